"""Review: a person decides on suspects one by one, and every decision is kept.

``decisions/`` keeps them in a file beside the audit, ``inference/`` says what they tell about the
labels that nobody has looked at, and ``server/`` is the page to decide on.
"""

from .decisions import (
    Agreement,
    Decisions,
    Event,
    Merged,
    Pair,
    Resolved,
    RowVerdict,
    as_text,
    decisions_path,
    from_text,
    open_decisions,
    resolve,
)
from .server import serve

__all__ = [
    "Agreement",
    "Decisions",
    "Event",
    "Merged",
    "Pair",
    "Resolved",
    "RowVerdict",
    "as_text",
    "decisions_path",
    "from_text",
    "open_decisions",
    "resolve",
    "serve",
]
