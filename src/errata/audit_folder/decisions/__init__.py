"""Decisions: what people said of rows, kept event by event in one SQLite file beside the audit.

``_event`` is what is said, ``_replay`` what events amount to, also those of several people,
``_file`` the file with its lock, and ``_store`` what others use.
"""

from ...exceptions import BeingReviewed, ConflictingEvent
from ._event import GOLD, KINDS, Event, as_text, differ, from_text
from ._replay import Resolved, RowVerdict, opinion, resolve
from ._store import Decisions, decisions_path, open_decisions

__all__ = [
    "BeingReviewed",
    "ConflictingEvent",
    "Decisions",
    "Event",
    "GOLD",
    "KINDS",
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
