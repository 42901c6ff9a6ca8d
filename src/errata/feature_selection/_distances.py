"""Distances to the k-th nearest row, by subsets of columns, of rows made ready for neighbours."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

from .._blocks import blocks
from .._canonical import measure_spread
from .._format import plural
from .._kernels import kernels
from .._neighbors import NeighborIndex, limit_neighbors
from .._warn import warn_user

CHUNK_BYTES = 2**26
ROWS = 256  # of a block at most: several for each job, and buffers that stay near the processor
TREE_DIMENSIONS = 8  # up to here a tree finds the neighbours of one subset sooner, of many rows
TREE_ROWS = 5_000

# What is wanted of a block: squares (candidate, row, g) and the slice of rows -> (candidate, ...),
# to be summed over blocks.
Summary = Callable[[np.ndarray, slice], np.ndarray]


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
        self.columns = columns
        self.segments = segments
        self.n_jobs = n_jobs
        self.chunk_bytes = chunk_bytes

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
            return summary(find_nearest_on_line(self.columns[j], self.segments)[None], every_row)

        return np.concatenate(self._threads()(delayed(work)(j) for j in candidates))

    def _by_blocks(
        self, subset: Sequence[int], candidates: Sequence[int], sign: int, summary: Summary
    ) -> np.ndarray:
        nearest = kernels("distances").find_nearest_squares
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


def find_nearest_in_segments(columns: np.ndarray, segments: Segments) -> np.ndarray:
    """Squared distances (n, g) in all columns at once, by whatever finds them soonest."""
    d, n = columns.shape
    if d == 1:
        return find_nearest_on_line(columns[0], segments)
    if d <= TREE_DIMENSIONS and n >= TREE_ROWS:
        return _search_by_trees(columns, segments)
    kept = np.empty((n, segments.starts.shape[1]))

    def keep(squares: np.ndarray, rows: slice) -> np.ndarray:
        kept[rows] = squares[0]
        return np.zeros(1)

    every_column = range(d)
    SubsetDistances(columns, segments).with_each(every_column[:-1], every_column[-1:], keep)
    return kept


def _search_by_trees(columns: np.ndarray, segments: Segments) -> np.ndarray:
    points = np.ascontiguousarray(columns.T)
    found = np.empty((len(points), segments.starts.shape[1]))
    for g, segment, count, rows in segments.searches():
        index = NeighborIndex(points[segment])
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


def find_nearest_on_line(x: np.ndarray, segments: Segments) -> np.ndarray:
    """Squared distance of each value to its nearest within segments, (n, g): O(n log n + n k)."""
    found = np.empty((len(x), segments.starts.shape[1]))
    for g, segment, count, rows in segments.searches():
        inside = (rows >= segment.start) & (rows < segment.stop)
        if inside.any():
            others = _to_others(x[segment], count)
            found[rows[inside], g] = others[rows[inside] - segment.start]
        if not inside.all():
            found[rows[~inside], g] = _to_values(x[segment], x[rows[~inside]], count)
    return found


def _to_others(values: np.ndarray, k: int) -> np.ndarray:
    order = np.argsort(values)
    place = np.arange(len(values))
    found = np.empty(len(values))
    found[order] = _find_kth(values[order], values[order], place, place + 1, k)
    return found


def _to_values(values: np.ndarray, points: np.ndarray, k: int) -> np.ndarray:
    values = np.sort(values)
    place = np.searchsorted(values, points)
    return _find_kth(values, points, place, place, k)


def _find_kth(
    values: np.ndarray, points: np.ndarray, below: np.ndarray, above: np.ndarray, k: int
) -> np.ndarray:
    """Square of the least reach that has k values: some of ``values[:below]``, the others above.

    Every share between the two sides is tried; values that are not there are infinitely far.
    """
    padded = np.pad(values, k, constant_values=(-np.inf, np.inf))
    least = np.minimum(points - padded[below], padded[above + 2 * k - 1] - points)
    for lower in range(1, k):
        reach = np.maximum(
            points - padded[below + k - lower], padded[above + 2 * k - lower - 1] - points
        )
        np.minimum(least, reach, out=least)
    return least**2


def prepare_columns(
    X: np.ndarray, *, standardize: bool, jitter: float, random_state: Any
) -> np.ndarray:
    """Columns of mean 0 and deviation 1 where asked for, and noise that tells equal rows apart.

    Noise of deviation ``jitter`` adds the same entropy to all rows and to those of a class, so that
    mutual information keeps its meaning where values repeat. It is drawn once, never for each
    subset: columns are compared under the same noise.
    """
    if standardize:
        mean, spread = measure_spread(X)
        X = (X - mean) / np.where(spread > 0, spread, 1.0)
    if jitter > 0:
        X = X + check_random_state(random_state).normal(scale=jitter, size=X.shape)
    return X


class ClassRows:
    """Rows sorted by class, so that each class is a slice, and how many neighbours each can have.

    Classes of a single row are left out: it has no neighbour in its class. Warns of them, and of
    classes that have fewer neighbours than asked for.
    """

    def __init__(self, X: np.ndarray, codes: np.ndarray, n_neighbors: int) -> None:
        sizes = np.bincount(codes)
        order = np.argsort(codes, kind="stable")
        self.order = order[sizes[codes[order]] > 1]  # (n,): where each row stood
        self.present = np.flatnonzero(sizes > 1)  # (K,): the codes of the classes that are left
        self.sizes = sizes[sizes > 1]  # n_y
        self.n = len(self.order)
        _check_sizes(len(codes) - self.n, len(self.present))
        self.columns = np.ascontiguousarray(X[self.order].T)  # (p, n), one after the other
        self.codes = np.searchsorted(self.present, codes[self.order])  # (n,), ascending
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])  # class y: starts[y:y+2]
        k = limit_neighbors(n_neighbors, self.n)
        self.n_neighbors = k
        self.own_neighbors = np.minimum(k, self.sizes - 1)  # k_y, of a row of the class
        self.other_neighbors = np.minimum(k, self.sizes)  # of any other row
        n_small = int((self.own_neighbors < k).sum())
        if n_small:
            warn_user(
                f"n_neighbors={k} is more than there are other rows in "
                f"{plural(n_small, 'class', 'classes')}; all of them are taken there."
            )

    def split_all_and_own(self) -> Segments:
        """All rows, then those of the row's class: what mutual information compares."""
        k = np.full_like(self.own_neighbors, self.n_neighbors)
        n = np.full(len(self.sizes), self.n)
        return Segments(
            self.codes,
            np.column_stack([0 * n, self.starts[:-1]]),
            np.column_stack([n, self.starts[1:]]),
            np.column_stack([k, self.own_neighbors]),
        )

    def split_by_class(self) -> Segments:
        """One class after the other: what posteriors compare."""
        n_classes = len(self.sizes)
        counts = np.tile(self.other_neighbors, (n_classes, 1))
        np.fill_diagonal(counts, self.own_neighbors)
        starts = np.tile(self.starts, (n_classes, 1))
        return Segments(self.codes, starts[:, :-1], starts[:, 1:], counts)


def _check_sizes(n_alone: int, n_left: int) -> None:
    if n_left < 2:
        raise ValueError(
            f"y has {plural(n_left, 'class', 'classes')} of two rows or more, and two such classes "
            "are needed at least; numbers that measure something are no classes."
        )
    if n_alone:
        warn_user(
            f"left out of the estimate: {plural(n_alone, 'row')} alone in a class, without a "
            "neighbour there."
        )
