"""Decisions: what people said of rows, kept event by event in one SQLite file beside the audit.

``_event`` is what is said, ``_consensus`` what several people say together, ``_file`` the file with
its lock, and ``_store`` all that was said and what it amounts to.
"""

from ...exceptions import BeingReviewed, ConflictingEvent
from ._consensus import Agreement, Pair, Resolved, RowVerdict, opinion, resolve
from ._event import GOLD, KINDS, Event, as_text, differ, from_text
from ._store import Decisions, Merged, decisions_path, open_decisions

__all__ = [
    "Agreement",
    "BeingReviewed",
    "ConflictingEvent",
    "Decisions",
    "Event",
    "GOLD",
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
    "opinion",
    "resolve",
]
