"""Rows that are flagged in one of two audits: what each says of them, and why they differ."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .._format import four_digits
from ._diff_matching import Matching
from ._row_index import names_by

if TYPE_CHECKING:
    from ._base import BaseAudit

ADDED, GONE, RELABELLED, CONFIRMED, SAME = (
    *("new row", "row gone", "label changed", "label known", "same label"),
)
TOLD = ("row", "id", "label", "suggested", "p_wrong", "known")
Told = dict[str, Any]  # what an audit says of a row


def flagged_rows(
    old: "BaseAudit", new: "BaseAudit", matching: Matching
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the new audit that are newly flagged, and of the old one that are resolved."""
    then, now = np.append(old.flagged, False), np.append(new.flagged, False)  # -1 is not flagged
    newly = np.flatnonzero(now[:-1] & ~then[matching.old_rows])
    resolved = np.flatnonzero(then[:-1] & ~now[matching.new_rows(len(old))])
    return newly[_most(new, newly)], resolved[_most(old, resolved)]


def _most(audit: "BaseAudit", rows: np.ndarray) -> np.ndarray:
    return np.argsort(-vars(audit)["suspicion"][rows], kind="stable")


def newly_flagged(
    old: "BaseAudit", new: "BaseAudit", matching: Matching, rows: np.ndarray
) -> list[Told]:
    """What is told of rows of the new audit."""
    return _told(old, new, matching.old_rows[rows], rows, _why_flagged)


def resolved(
    old: "BaseAudit", new: "BaseAudit", matching: Matching, rows: np.ndarray
) -> list[Told]:
    """What is told of rows of the old audit."""
    return _told(old, new, rows, matching.new_rows(len(old))[rows], _why_resolved)


def _told(
    old: "BaseAudit",
    new: "BaseAudit",
    old_rows: np.ndarray,
    rows: np.ndarray,
    why: Callable[[Told, Told], str],
) -> list[Told]:
    """What both audits say of some rows, -1 where a row is in one of them only."""
    return [
        {
            "row": after["row"],
            "old_row": before["row"],
            "id": before["id"] if after["id"] is None else after["id"],
            "label": after["label"],
            "old_label": before["label"],
            "suggested": (before if after["row"] is None else after)["suggested"],
            "p_wrong": after["p_wrong"],
            "old_p_wrong": before["p_wrong"],
            "why": why(before, after),
        }
        for before, after in zip(_of_rows(old, old_rows), _of_rows(new, rows), strict=True)
    ]


def _of_rows(audit: "BaseAudit", rows: np.ndarray) -> Iterator[Told]:
    """What an audit says of some rows; nothing of those that are -1."""
    there = rows[rows >= 0]
    told = iter(_columns(audit, there)) if len(there) else iter(())
    return (next(told) if row >= 0 else dict.fromkeys(TOLD) for row in rows)


def _columns(audit: "BaseAudit", rows: np.ndarray) -> list[Told]:
    words, names, known = audit.in_words(rows), _names_of(audit), vars(audit).get("known")
    columns = (
        rows.tolist(),
        [None] * len(rows) if names is None else [str(name) for name in names[rows]],
        words["label"],
        words["suggested"],
        [four_digits(p) for p in vars(audit)["p_wrong"][rows]],
        [False] * len(rows) if known is None else known[rows].tolist(),
    )
    return [dict(zip(TOLD, row, strict=True)) for row in zip(*columns, strict=True)]


def _names_of(audit: "BaseAudit") -> np.ndarray | None:
    """What a person calls the rows: items, ids or the index."""
    if audit.kind == "votes":
        return vars(audit)["items"]
    if audit.ids is not None:
        return audit.ids
    return None if audit.index is None else names_by(audit.index)


def _why_flagged(before: Told, after: Told) -> str:
    if before["row"] is None:
        return ADDED
    return SAME if before["label"] == after["label"] else RELABELLED


def _why_resolved(before: Told, after: Told) -> str:
    if after["row"] is None:
        return GONE
    if before["label"] != after["label"]:
        return RELABELLED
    return CONFIRMED if after["known"] else SAME
