"""Where each row looks for its neighbours: among all rows, among those of a class, or both."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ._preparation import ClassRows


class Segments(NamedTuple):
    """Slices of the rows, the same for all rows of a kind, and how many neighbours are wanted.

    A row of kind y looks for its ``counts[y, g]``-th nearest among ``starts[y, g]:stops[y, g]``.
    """

    kinds: np.ndarray  # (n,)
    starts: np.ndarray  # (kinds, g)
    stops: np.ndarray
    counts: np.ndarray

    def searches(self) -> Iterator[tuple[int, slice, int, np.ndarray]]:
        """Each different search once: g, the segment, how many neighbours, and the rows."""
        for g in range(self.starts.shape[1]):
            wanted = np.column_stack([self.starts[:, g], self.stops[:, g], self.counts[:, g]])
            searches, which = np.unique(wanted, axis=0, return_inverse=True)
            of_row = which.ravel()[self.kinds]
            for s, (start, stop, count) in enumerate(searches.tolist()):
                yield g, slice(start, stop), count, np.flatnonzero(of_row == s)


def all_and_own(rows: ClassRows) -> Segments:
    """All rows, then those of the row's class: what mutual information compares."""
    k, n = np.full_like(rows.own_neighbors, rows.n_neighbors), np.full(len(rows.sizes), rows.n)
    return Segments(
        rows.codes,
        np.column_stack([0 * n, rows.starts[:-1]]),
        np.column_stack([n, rows.starts[1:]]),
        np.column_stack([k, rows.own_neighbors]),
    )


def every_class(rows: ClassRows) -> Segments:
    """One class after the other: what posteriors compare."""
    n_classes = len(rows.sizes)
    counts = np.tile(rows.other_neighbors, (n_classes, 1))
    np.fill_diagonal(counts, rows.own_neighbors)
    starts = np.tile(rows.starts, (n_classes, 1))
    return Segments(rows.codes, starts[:, :-1], starts[:, 1:], counts)


def one_segment(n: int, n_neighbors: int) -> Segments:
    """All rows, whatever their class: what an entropy needs."""
    one = np.ones((1, 1), dtype=np.intp)
    return Segments(np.zeros(n, dtype=np.intp), 0 * one, n * one, n_neighbors * one)
