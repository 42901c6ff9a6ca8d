"""Exact neighbours: a tree for few dimensions, brute force beyond, ties to the smaller index.

A *query* is a callable ``query(points, asked)`` that finds, for each of the given points, ``asked``
rows of a table among which are the nearest ones.
"""

import time
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from scipy.sparse import issparse
from scipy.spatial import cKDTree
from sklearn import config_context
from sklearn.neighbors import NearestNeighbors

from .._blocks import blocks

TREE_DIMENSIONS = 8  # a tree wins up to here even on Gaussian rows; the two meet at 9 or 10
# With fewer rows than SMALL, a tree wins up to fewer dimensions.
SMALL = 5_000
SMALL_TREE_DIMENSIONS = 6
PILOT_DIMENSIONS = 50  # up to here many rows may lie on few dimensions in fact, and a pilot tells
PILOT_FROM = 15_000  # rows; with fewer, brute force is done before the pilot has paid
CHUNK = 2**23  # coordinates of neighbours held at once: 64 MB


# What a query found for m points: indices (m, asked) in any order, distances (m, asked), and how
# far whatever was not found is at least, (m,)
Found = tuple[np.ndarray, np.ndarray, np.ndarray]
Query = Callable[[Any, int], Found]


def choose_query(X: Any, metric: Any, n_jobs: int | None) -> Query:
    """The fastest query that knows the metric and suits the shape of ``X``."""
    if metric != "euclidean" or issparse(X):
        return LibrarySearch(X, metric, n_jobs)
    n, d = X.shape
    if d <= (SMALL_TREE_DIMENSIONS if n < SMALL else TREE_DIMENSIONS):
        return TreeSearch(X, n_jobs)
    if d > PILOT_DIMENSIONS or n < PILOT_FROM:
        return BruteSearch(X, n_jobs)
    return _pick_quicker(TreeSearch(X, n_jobs, measured=True), BruteSearch(X, n_jobs), X)


def find_nearest(
    query: Query,
    points: Any,
    k: int,
    X: Any,
    *,
    own: np.ndarray | None = None,
    zero_is_equal: bool = True,
) -> tuple[np.ndarray, np.ndarray]:
    """Distances and indices of the ``k`` rows nearest to each point, by distance, then by index.

    ``own`` tells which row of ``X`` each point is, so that it is left out; None if they are others.
    Asks for one more than that, to see whether the k-th place is shared. Where it is, asks for four
    times as many, until all rows that share it are known. ``zero_is_equal`` says that rows at
    distance 0 are equal, so that many of them are found without asking.
    """
    n, d = X.shape
    shape = (points.shape[0], k)
    distances = np.empty(shape)
    neighbors = np.empty(shape, dtype=np.intp)
    shared = np.arange(shape[0])
    asked = min(k + 1 + (own is not None), n)
    while len(shared):
        still_shared = []
        for batch in blocks(len(shared), CHUNK, width=asked * d):
            part = shared[batch]
            indices, found, reach = query(points[part], asked)
            ours = None if own is None else own[part]
            distances[part], neighbors[part] = pick_nearest(indices, found, k, ours)
            still_shared.append(part[(distances[part, -1] >= reach) & (asked < n)])
        shared = np.concatenate(still_shared)
        if zero_is_equal and len(shared):
            shared = _assign_twins(X, points, own, shared, neighbors)
        asked = min(4 * asked, n)
    return distances, neighbors


def _assign_twins(
    X: np.ndarray,
    points: np.ndarray,
    own: np.ndarray | None,
    shared: np.ndarray,
    neighbors: np.ndarray,
) -> np.ndarray:
    """Give those of ``points[shared]`` with k equals the first k of them; return the others.

    Otherwise a table of few distinct rows would ask for all of them again and again.
    """
    k = neighbors.shape[1]
    last = neighbors[shared, -1]
    crowded = (X[last] == points[shared]).all(axis=1)
    if not crowded.any():
        return shared
    _, group, sizes = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    group = group.ravel()
    wanted = k + (own is not None)  # equals, the point itself among them
    crowded &= sizes[group[last]] >= wanted
    by_group = np.argsort(group, kind="stable")
    starts = np.cumsum(sizes) - sizes
    twins = by_group[starts[group[last[crowded]], None] + np.arange(wanted)]
    if own is not None:
        others = twins != own[shared[crowded], None]
        others[others.all(axis=1), -1] = False  # one too many where the row comes later
        twins = twins[others].reshape(-1, k)
    neighbors[shared[crowded]] = twins
    return shared[~crowded]


def pick_nearest(
    indices: np.ndarray, distances: np.ndarray, k: int, own: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Distances and indices of the ``k`` nearest of what was found, by distance, then by index.

    A row is left out by its index, not as "the nearest": with duplicates that may be another one.
    """
    if own is not None:
        distances = np.where(indices == own[:, None], np.inf, distances)
    order = np.lexsort((indices, distances))[:, :k]
    return np.take_along_axis(distances, order, 1), np.take_along_axis(indices, order, 1)


def measure_distances(points: np.ndarray, X: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Euclidean distances from each point to the rows of ``X`` found for it, from differences.

    Inner products are faster but lose digits where rows are close, and with them ties and order.
    """
    differences = points[:, None] - X[indices]
    return np.sqrt(np.einsum("ijk,ijk->ij", differences, differences))


class TreeSearch:
    """A k-d tree: scipy's, about twice as fast here as scikit-learn's.

    ``measured`` gives distances as brute force has them: which of the two answers must not show.
    """

    def __init__(self, X: np.ndarray, n_jobs: int | None, *, measured: bool = False) -> None:
        self.X = X
        self.measured = measured
        self.tree = cKDTree(X, leafsize=32)
        self.workers = effective_n_jobs(n_jobs)

    def __call__(self, points: np.ndarray, asked: int) -> Found:
        """Search the tree."""
        distances, indices = self.tree.query(points, asked, workers=self.workers)
        if asked == 1:  # scipy drops the axis
            distances = distances[:, None]
            indices = indices[:, None]
        if not self.measured:
            return indices, distances, distances[:, -1]
        measured = measure_distances(points, self.X, indices)
        return indices, measured, distances[:, -1] * (1 - 1e-12)


class BruteSearch:
    """Brute force by scikit-learn's inner products; measured again where these cannot tell."""

    def __init__(self, X: np.ndarray, n_jobs: int | None = None) -> None:
        self.X = X
        self.n_jobs = n_jobs
        self.centre = np.median(X[:: 1 + len(X) // 128], axis=0)  # an offset would cost digits
        with _skip_checks():
            self.search = NearestNeighbors(algorithm="brute").fit(X - self.centre)
        # A squared distance is off by d eps (|a| + |b|)² at most, and a row near a is about as long
        # as a: take the point's own length, not the longest, lest one outlier make all doubtful.
        self.rounding = 8 * (X.shape[1] + 4) * np.finfo(float).eps

    def __call__(self, points: np.ndarray, asked: int) -> Found:
        """Compare each point with every row."""
        centred = points - self.centre
        slack = self.rounding * np.einsum("ij,ij->i", centred, centred)
        with _skip_checks():
            distances, indices = self.search.kneighbors(centred, asked)
        squares = distances**2
        last = squares[:, -1]
        error = self.rounding * squares[:, -1] + slack
        close = (np.diff(squares) <= 2 * error[:, None]).any(axis=1)  # their order may be wrong
        distances[close] = measure_distances(points[close], self.X, indices[close])
        found = (indices, distances, np.sqrt(np.maximum(last - error, 0)))
        blurred = last <= 100 * slack  # all so close together that some may not be found
        if blurred.any():
            for ours, exact in zip(found, self.tree(points[blurred], asked), strict=True):
                ours[blurred] = exact
        return found

    @cached_property
    def tree(self) -> TreeSearch:
        """Built only when inner products cannot tell rows apart."""
        return TreeSearch(self.X, self.n_jobs, measured=True)


class LibrarySearch:
    """What scikit-learn finds, for other metrics and sparse rows."""

    def __init__(self, X: Any, metric: Any, n_jobs: int | None) -> None:
        self.search = NearestNeighbors(metric=metric, n_jobs=n_jobs).fit(X)

    def __call__(self, points: Any, asked: int) -> Found:
        """Ask scikit-learn."""
        distances, indices = self.search.kneighbors(points, asked)
        # Rows that have no feature in common are farther than any other, but not than infinity,
        # which stands for the row itself.
        distances = np.nan_to_num(distances, nan=np.finfo(float).max)
        return indices, distances, distances[:, -1]


def _skip_checks() -> Any:
    return config_context(assume_finite=True, skip_parameter_validation=True)


def _pick_quicker(tree: Query, brute: Query, X: np.ndarray) -> Query:
    """The query that takes less time for a row; both give the same answer."""

    def seconds_per_row(query: Query, n_rows: int) -> float:
        start = time.perf_counter()
        query(X[np.linspace(0, len(X) - 1, n_rows, dtype=np.intp)], 8)
        return (time.perf_counter() - start) / n_rows

    # Brute force is at its best with many rows at once; a tree does not care.
    return tree if seconds_per_row(tree, 32) < seconds_per_row(brute, 512) else brute
