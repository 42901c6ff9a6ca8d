"""Recordings: rows in the order of time, and what has to be left out together."""

from typing import NamedTuple

import numpy as np

from ..._crossfit import make_folds
from ..._format import plural
from ..._validation import is_missing
from .._settings import FEW_RECORDINGS, FOLDS, WINDOW


class Recordings(NamedTuple):
    """Which rows make a recording, in which order."""

    order: np.ndarray  # (n,): the rows, recording after recording
    ends: np.ndarray  # (S,): where each recording stops in that order

    @property
    def lengths(self) -> np.ndarray:
        """Rows of each recording."""
        return np.diff(self.ends, prepend=0)

    def in_order(self, rows: np.ndarray) -> np.ndarray:
        """One value per row of the table as one value per moment."""
        return rows[self.order]

    def in_table(self, moments: np.ndarray) -> np.ndarray:
        """One value per moment as one value per row of the table."""
        rows = np.empty_like(moments)
        rows[self.order] = moments
        return rows

    @property
    def numbers(self) -> np.ndarray:
        """The number of each row's recording, shape (n,)."""
        return self.in_table(np.repeat(np.arange(len(self.ends)), self.lengths))

    def for_rows(self, rows: np.ndarray) -> "Recordings":
        """The same for some rows, now counted from 0; a recording with a gap becomes two."""
        place = np.full(len(self.order), -1)
        place[rows] = np.arange(len(rows))
        moments = np.flatnonzero(place[self.order] >= 0)
        number = np.searchsorted(self.ends, moments, side="right")
        follows = (np.diff(moments) == 1) & (np.diff(number) == 0)
        ends = np.flatnonzero(np.r_[~follows, True]) + 1
        return Recordings(place[self.order[moments]], ends)

    def runs(self, *values: np.ndarray) -> np.ndarray:
        """The number of each row's run: neighbours of one recording that agree in all values."""
        begins = np.zeros(len(self.order), dtype=bool)
        begins[np.r_[0, self.ends[:-1]]] = True
        for value in map(self.in_order, values):
            begins[1:] |= value[1:] != value[:-1]
        return self.in_table(np.cumsum(begins) - 1)

    def pieces(self, codes: np.ndarray, longest: int) -> np.ndarray:
        """The number of each row's piece: runs of one label, cut where they are too long."""
        runs = self.in_order(self.runs(codes))
        since = np.arange(len(runs)) - np.flatnonzero(np.diff(runs, prepend=-1))[runs]
        return self.in_table(np.cumsum(since % longest == 0) - 1)

    def windows(self, most: int, random: np.random.Generator) -> np.ndarray:
        """All rows, or of too many some stretches of time, drawn at random; rows in order."""
        n = len(self.order)
        if n <= most:
            return np.arange(n)
        window = np.arange(n) // WINDOW
        drawn = random.choice(window[-1] + 1, max(1, most // WINDOW), replace=False)
        return np.sort(self.order[np.isin(window, drawn)])

    def folds(self, codes: np.ndarray, seed: int) -> np.ndarray:
        """The fold that each row is tested in: whole recordings, or parts of them if they are few.

        Parts that follow each other are in different folds, so that what happens once in a long
        recording, and lasts, can be learnt from its other half.
        """
        if len(self.ends) >= FEW_RECORDINGS:
            fold = np.empty(len(codes), dtype=np.intp)
            for k, (_, test) in enumerate(
                make_folds(FOLDS, codes, groups=self.numbers, random_state=seed)
            ):
                fold[test] = k
            return fold
        parts = -(-2 * FOLDS // len(self.ends))
        since = [np.arange(length) * parts // length for length in self.lengths]
        place = np.concatenate([parts * k + part for k, part in enumerate(since)])
        return self.in_table(place % FOLDS)


def gather_recordings(names: np.ndarray) -> tuple[Recordings, list[str]]:
    """The recordings that a column names, the first first, and a note where rows were gathered.

    Rows of one name belong together in the order of the table, whether or not they stand together.
    """
    _check_names(names)
    _, first, number, sizes = np.unique(
        names.astype(str), return_index=True, return_inverse=True, return_counts=True
    )
    by_place = np.argsort(first)
    alone = by_place[sizes[by_place] < 2]
    if len(alone):
        raise ValueError(
            f"the recording {str(names[first[alone[0]]])!r} has one row; a sequence takes two at "
            "least. Drop such rows, or name the column that rows of one recording share."
        )
    rank = np.empty_like(by_place)
    rank[by_place] = np.arange(len(by_place))
    order = np.argsort(rank[number], kind="stable")
    apart = int(np.sum(np.diff(number) != 0)) + 1 - len(first)
    note = [] if not apart else [_gathered_note(len(first))]
    return Recordings(order, np.cumsum(sizes[by_place])), note


def _check_names(names: np.ndarray) -> None:
    missing = np.flatnonzero([is_missing(name, text=True) for name in names.tolist()])
    if len(missing):
        raise ValueError(
            f"sequence is missing in {plural(len(missing), 'row')} (the first is row {missing[0]}, "
            "counted from 0); say of every row which recording it belongs to."
        )


def _gathered_note(recordings: int) -> str:
    return (
        f"Rows of the {plural(recordings, 'recording')} do not stand together; each recording was "
        "gathered in the order of the table, which should be that of time."
    )


def order_note(recordings: Recordings, codes: np.ndarray) -> list[str]:
    """A word where neighbours share their label no more often than rows drawn by lot."""
    ordered = recordings.in_order(codes)
    inside = np.ones(len(codes) - 1, dtype=bool)
    inside[recordings.ends[:-1] - 1] = False
    alike = float(np.mean((ordered[1:] == ordered[:-1])[inside]))
    by_lot = float(np.sum((np.bincount(codes) / len(codes)) ** 2))
    error = np.sqrt(by_lot * (1 - by_lot) / inside.sum())
    if alike > by_lot + 3 * error:
        return []
    return [
        "Neighbouring rows share their label no more often than rows drawn by lot: the table does "
        "not seem to be in the order of time. Sort it, or audit it without sequence."
    ]
