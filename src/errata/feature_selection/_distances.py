"""Distances to the k-th nearest row, by subsets of the columns, a block of rows at a time."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from joblib import Parallel, delayed

from .._blocks import blocks
from .._kernels import kernels
from .._neighbors import NeighborIndex
from ._line import nearest_on_line
from ._segments import Segments

CHUNK_BYTES = 2**26
ROWS = 256  # of a block at most: several for each job, and buffers that stay near the processor
TREE_DIMENSIONS = 8  # up to here a tree finds the neighbours of one subset sooner, of many rows
TREE_ROWS = 5_000

# What is wanted of a block: squares (candidate, row, g) and the slice of rows -> (candidate, ...),
# to be summed over blocks.
Summary = Callable[[np.ndarray, slice], np.ndarray]


class SubsetDistances:
    """Squared distances to the nearest rows, in a subset with one column more, or one less.

    A block of distances is made once for the subset, and a column added or taken away for each
    candidate: O(n² (|S| + candidates)) a step, and memory for a block. Distances of a subset are
    never those of the step before less a column, so that rounding does not add up.
    """

    def __init__(
        self,
        columns: np.ndarray,
        segments: Segments,
        *,
        n_jobs: int | None = None,
        chunk_bytes: int = CHUNK_BYTES,
    ) -> None:
        self.columns, self.segments = columns, segments
        self.n_jobs, self.chunk_bytes = n_jobs, chunk_bytes

    def with_each(
        self, subset: Sequence[int], candidates: Sequence[int], summary: Summary
    ) -> np.ndarray:
        """Sums of what ``summary`` makes of the subset with each candidate, one at a time."""
        if not len(subset):
            return self._on_lines(candidates, summary)
        return self._by_blocks(subset, candidates, 1, summary)

    def without_each(self, subset: Sequence[int], summary: Summary) -> np.ndarray:
        """Sums of what ``summary`` makes of the subset without each of its columns."""
        if len(subset) == 2:
            return self._on_lines(subset[::-1], summary)
        return self._by_blocks(subset, subset, -1, summary)

    def _on_lines(self, candidates: Sequence[int], summary: Summary) -> np.ndarray:
        every_row = slice(0, self.columns.shape[1])

        def work(j: int) -> np.ndarray:
            return summary(nearest_on_line(self.columns[j], self.segments)[None], every_row)

        return np.concatenate(self._threads()(delayed(work)(j) for j in candidates))

    def _by_blocks(
        self, subset: Sequence[int], candidates: Sequence[int], sign: int, summary: Summary
    ) -> np.ndarray:
        nearest = kernels("subset_distances").nearest_squares
        chosen, tried = (np.asarray(s, dtype=np.intp) for s in (subset, candidates))

        def work(rows: slice) -> np.ndarray:
            squares = nearest(
                self.columns, rows.start, rows.stop, chosen, tried, sign, *self.segments
            )
            return summary(squares, rows)

        return sum(self._threads()(delayed(work)(rows) for rows in self._blocks(len(candidates))))

    def _blocks(self, n_candidates: int) -> Iterator[slice]:
        """Blocks whose distances, and whose results, fill no more than ``chunk_bytes``.

        They do not depend on the number of jobs, and neither do the sums.
        """
        n = self.columns.shape[1]
        width = max(n, n_candidates * self.segments.starts.shape[1])
        return blocks(n, min(self.chunk_bytes // 8, ROWS * width), width=width)

    def _threads(self) -> Parallel:
        return Parallel(n_jobs=self.n_jobs, require="sharedmem")


def nearest_in_segments(
    columns: np.ndarray, segments: Segments, *, n_jobs: int | None = None
) -> np.ndarray:
    """Squared distances (n, g) in all columns at once, by whatever finds them soonest."""
    d, n = columns.shape
    if d == 1:
        return nearest_on_line(columns[0], segments)
    if d <= TREE_DIMENSIONS and n >= TREE_ROWS:
        return _by_trees(columns, segments, n_jobs)
    kept = np.empty((n, segments.starts.shape[1]))

    def keep(squares: np.ndarray, rows: slice) -> np.ndarray:
        kept[rows] = squares[0]
        return np.zeros(1)

    every_column = range(d)
    SubsetDistances(columns, segments, n_jobs=n_jobs).with_each(
        every_column[:-1], every_column[-1:], keep
    )
    return kept


def _by_trees(columns: np.ndarray, segments: Segments, n_jobs: int | None) -> np.ndarray:
    points = np.ascontiguousarray(columns.T)
    found = np.empty((len(points), segments.starts.shape[1]))
    for g, segment, count, rows in segments.searches():
        index = NeighborIndex(points[segment], n_jobs=n_jobs)
        inside = (rows >= segment.start) & (rows < segment.stop)
        if inside.any():
            others = index.others(count)[0][:, -1]
            found[rows[inside], g] = others[rows[inside] - segment.start]
        if not inside.all():
            found[rows[~inside], g] = index.find(points[rows[~inside]], count)[0][:, -1]
    return found**2


def log_squares(squares: np.ndarray) -> np.ndarray:
    """Logarithms of squared distances, or a sentence where too many rows are equal."""
    if not squares.all():
        equal = (squares == 0).any(axis=-1)
        rows = int(np.atleast_2d(equal).any(axis=0).sum())
        raise ValueError(
            f"{rows} or more rows have as many equals as neighbours are asked for, so that the "
            "density around them is infinite; add a little noise to the columns (jitter=1e-3 in "
            "the selector), or ask for more neighbours."
        )
    return np.log(squares)
