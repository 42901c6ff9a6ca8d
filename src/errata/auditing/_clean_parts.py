"""Cleaning part by part: what may be dropped of a class depends on the whole table, and only that.

No more than half of a class is dropped, nor its last two rows. Where more would be, those stay that
are least probably wrong: from a probability on, which is looked for once, among all rows.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._detector import least_kept
from ._cleaning import Cleaned, Scores, clean_labels
from ._settings import KEPT_OF_A_CLASS, LAST_OF_A_CLASS
from ._stored_rows import StoredRows

Act = Callable[[Scores], Cleaned]


class Cuts(NamedTuple):
    """For each class, from which probability and, of equals, which row on rows may be dropped."""

    p_wrong: np.ndarray
    row: np.ndarray

    def spared(self, codes: np.ndarray, p_wrong: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Which rows of these classes stay although their label is probably wrong."""
        p, row = self.p_wrong[codes], self.row[codes]
        return (p_wrong < p) | ((p_wrong == p) & (rows < row))


def clean_stored(
    stored: StoredRows, rows: slice, has_skill: bool, action: str, **options: Any
) -> Cleaned:
    """See :meth:`errata.Audit.clean_rows`."""

    def act(scores: Scores) -> Cleaned:
        return clean_labels(scores.believed(has_skill), action, spare=False, **options)

    asked = (has_skill, action, *sorted(options.items()))
    if asked not in stored.cuts:
        stored.cuts[asked] = find_cuts(stored, act)
    return clean_part(stored, rows, act, stored.cuts[asked])


def clean_part(stored: StoredRows, rows: slice, act: Act, cuts: Cuts) -> Cleaned:
    """What :func:`._cleaning.clean_labels` says of some rows when it sees all of them."""
    scores = scores_of(stored, rows)
    cleaned = act(scores)
    dropped = np.flatnonzero(cleaned.did == "dropped")
    places = dropped + rows.start
    back = dropped[cuts.spared(scores.codes[dropped], scores.p_wrong[dropped], places)]
    cleaned.kept[back], cleaned.weight[back], cleaned.did[back] = True, 1.0, "kept"
    return cleaned


def find_cuts(stored: StoredRows, act: Act) -> Cuts:
    """Look through all rows for what is too much of a class.

    ``act`` drops whatever it would drop of a class that is large enough.
    """
    n_classes = len(stored.classes)
    sizes, found = np.zeros(n_classes, dtype=np.intp), []
    for rows in stored.slices():
        scores = scores_of(stored, rows)
        sizes += np.bincount(scores.codes[scores.codes >= 0], minlength=n_classes)
        cleaned = act(scores)
        sizes += _moved(stored, rows, scores.codes, cleaned)
        dropped = np.flatnonzero(cleaned.did == "dropped")
        found.append((scores.codes[dropped], scores.p_wrong[dropped], dropped + rows.start))
    codes, p_wrong, places = map(np.concatenate, zip(*found, strict=True))
    return _cut(sizes, codes, p_wrong, places)


def scores_of(stored: StoredRows, rows: slice) -> Scores:
    """What cleaning goes by, of some rows."""
    columns: dict[str, Any] = {
        name: stored.read(name, rows.start, rows.stop)
        for name in ("labels", "suggested", "p_wrong", "p_suggested")
    }
    return Scores(codes=stored.codes("labels", rows.start, rows.stop), **columns)


def _moved(stored: StoredRows, rows: slice, codes: np.ndarray, cleaned: Cleaned) -> np.ndarray:
    """By how much classes grow as rows are relabelled: what is left of a class counts."""
    n_classes = len(stored.classes)
    moved = (cleaned.did == "relabelled") & (codes >= 0)
    if not moved.any():
        return np.zeros(n_classes, dtype=np.intp)
    new = stored.codes("suggested", rows.start, rows.stop)[moved]
    return np.bincount(new, minlength=n_classes) - np.bincount(codes[moved], minlength=n_classes)


def _cut(sizes: np.ndarray, codes: np.ndarray, p_wrong: np.ndarray, rows: np.ndarray) -> Cuts:
    """The cuts that leave enough of each class, when these rows would be dropped."""
    kept = least_kept(sizes, min_per_class=LAST_OF_A_CLASS, min_fraction=KEPT_OF_A_CLASS)
    cuts = Cuts(np.full(len(sizes), -np.inf), np.zeros(len(sizes), dtype=np.intp))
    back = kept - (sizes - np.bincount(codes, minlength=len(sizes)))
    for code in np.flatnonzero(back > 0):
        members = np.flatnonzero(codes == code)
        ordered = members[np.lexsort((rows[members], p_wrong[members]))]
        if back[code] == len(members):
            cuts.p_wrong[code] = np.inf
        else:
            first = ordered[back[code]]
            cuts.p_wrong[code], cuts.row[code] = p_wrong[first], rows[first]
    return cuts
