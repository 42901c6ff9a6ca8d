"""Decisions: what people said of rows, kept event by event in one SQLite file beside the audit.

``_event`` is what is said, ``_log`` all of it and what it amounts to, ``_consensus`` what several
people say together; ``_file`` is the file with its lock, ``_store`` puts them together.
"""

from ...exceptions import BeingReviewed, ConflictingEvent
from ._consensus import Agreement, Pair, Resolved, RowVerdict, resolve
from ._event import KINDS, Event, as_text, differ, from_text
from ._store import Decisions, Merged, decisions_path, open_decisions

__all__ = [
    "Agreement",
    "BeingReviewed",
    "ConflictingEvent",
    "Decisions",
    "Event",
    "KINDS",
    "Merged",
    "Pair",
    "Resolved",
    "RowVerdict",
    "as_text",
    "decisions_path",
    "differ",
    "from_text",
    "open_decisions",
    "resolve",
]
