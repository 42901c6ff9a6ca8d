"""Rows of an audit found again in a later one: by what they are called, what they hold, or where.

A row is called by its id, item or index; it holds what its cells other than the label say.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._format import plural
from ._row_index import names_by

if TYPE_CHECKING:
    from ._base import BaseAudit

BY_PLACE = (
    "Rows are matched by their place, as nothing else is known of them in both audits: if rows "
    "were sorted, added or taken out before the last one, this is no comparison. Audit both tables "
    "with ids."
)


class Matching(NamedTuple):
    """Which row of the old audit each row of the new one was."""

    by: str  # "id", "item", "index", "contents" or "place"
    old_rows: np.ndarray  # (n,), -1 for a row that is new
    notes: list[str]

    def new_rows(self, n_old: int) -> np.ndarray:
        """The row of the new audit that each of the old ones is, -1 for one that is gone."""
        found, rows = np.full(n_old, -1), np.flatnonzero(self.old_rows >= 0)
        found[self.old_rows[rows]] = rows
        return found


class _Names(NamedTuple):
    by: str
    of: Any  # what the names are made of, which must be the same in both audits
    values: np.ndarray


def match_rows(old: "BaseAudit", new: "BaseAudit") -> Matching:
    """Find rows by the first of these that both audits know: ids or items, index, contents, place.

    Rows of one name are taken in their order, each of them once.
    """
    known = {(names.by, repr(names.of)): names.values for names in _names(old)}
    for names in _names(new):
        before = known.get((names.by, repr(names.of)))
        if before is not None:
            old_rows = _places(_once(before), _once(names.values))
            return Matching(names.by, old_rows, _repeated(names))
    places = np.arange(len(new))
    return Matching("place", np.where(places < len(old), places, -1), [BY_PLACE])


def _names(audit: "BaseAudit") -> Iterator[_Names]:
    """All that an audit calls its rows, the surest first."""
    if audit.kind == "votes":
        yield _Names("item", None, vars(audit)["items"])
    if audit.ids is not None:
        yield _Names("id", audit.about.get("id"), audit.ids)
    if audit.index is not None:
        yield _Names("index", list(audit.index.names), names_by(audit.index))
    if audit.keys is not None and len(audit) and not str(audit.keys[0]).startswith("row."):
        columns = None if audit.digests is None else audit.digests.columns
        yield _Names("contents", columns, audit.keys)


def _once(names: np.ndarray) -> list[tuple[str, int]]:
    """Names as text, each with how often it stood before."""
    seen: Counter[str] = Counter()
    told = []
    for name in map(str, names.tolist()):
        told.append((name, seen[name]))
        seen[name] += 1
    return told


def _places(old: list[tuple[str, int]], new: list[tuple[str, int]]) -> np.ndarray:
    rows = {name: row for row, name in enumerate(old)}
    return np.array([rows.get(name, -1) for name in new], dtype=np.intp)


def _repeated(names: _Names) -> list[str]:
    """A note on names that stand for several rows; of contents this is in their making."""
    if names.by == "contents":
        return []
    twice = [name for name, n in Counter(map(str, names.values.tolist())).items() if n > 1]
    if not twice:
        return []
    nouns = {"id": "ids", "item": "items", "index": "names of the index"}
    several = plural(len(twice), names.by, nouns[names.by])
    stand = "stands" if len(twice) == 1 else "stand"
    return [f"{several} {stand} for several rows, which are matched in their order."]
