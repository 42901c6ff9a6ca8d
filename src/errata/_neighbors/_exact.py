"""Exact neighbours: a tree for few dimensions, brute force beyond, ties to the smaller index.

A *query* is a function ``query(rows, asked)`` that finds, for each of the given rows, ``asked``
rows among which are its nearest ones, itself included.
"""

import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from scipy.sparse import issparse
from scipy.spatial import cKDTree
from sklearn import config_context
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import gen_even_slices

TREE_DIMENSIONS = 8  # a tree wins up to here even on Gaussian rows; the two meet at 9 or 10
SMALL, SMALL_TREE_DIMENSIONS = 5_000, 6  # with fewer rows than this, up to here
PILOT_DIMENSIONS = 50  # up to here many rows may lie on few dimensions in fact, and a pilot tells
PILOT_FROM = 15_000  # rows; with fewer, brute force is done before the pilot has paid
CHUNK = 2**23  # coordinates of neighbours held at once: 64 MB


class Found(NamedTuple):
    """What a query found for m rows."""

    indices: np.ndarray  # (m, asked), in any order
    distances: np.ndarray  # (m, asked)
    reach: np.ndarray  # (m,): whatever was not found is at least this far


Query = Callable[[np.ndarray, int], Found]


def exact_query(X: Any, metric: Any, n_jobs: int | None) -> Query:
    """The fastest query that knows the metric and suits the shape of ``X``."""
    if metric != "euclidean" or issparse(X):
        return _ask_scikit_learn(X, metric, n_jobs)
    n, d = X.shape
    if d <= (SMALL_TREE_DIMENSIONS if n < SMALL else TREE_DIMENSIONS):
        return ask_tree(X, n_jobs)
    if d > PILOT_DIMENSIONS or n < PILOT_FROM:
        return ask_everybody(X, n_jobs)
    return _quicker(_measured(X, ask_tree(X, n_jobs)), ask_everybody(X, n_jobs), n)


def settle(
    query: Query, rows: np.ndarray, k: int, X: Any, *, zero_is_equal: bool = True
) -> np.ndarray:
    """Indices of the ``k`` nearest others of each of ``rows``, by distance and then by index.

    Asks for two more than k: the row itself, and one to see whether the k-th place is shared. Where
    it is, asks for four times as many, until all rows that share it are known. ``zero_is_equal``
    says that rows at distance 0 are equal, so that many of them are found without asking.
    """
    n, d = X.shape
    neighbors = np.empty((len(rows), k), dtype=np.intp)
    shared, asked = np.arange(len(rows)), min(k + 2, n)
    while len(shared):
        still_shared = []
        for batch in batches(len(shared), asked * d):
            part = shared[batch]
            indices, distances, reach = query(rows[part], asked)
            neighbors[part], distances = rank_others(indices, distances, rows[part], k)
            still_shared.append(part[(distances[:, -1] >= reach) & (asked < n)])
        shared = np.concatenate(still_shared)
        if zero_is_equal and len(shared):
            shared = _settle_twins(X, rows, shared, neighbors)
        asked = min(4 * asked, n)
    return neighbors


def _settle_twins(
    X: np.ndarray, rows: np.ndarray, shared: np.ndarray, neighbors: np.ndarray
) -> np.ndarray:
    """Give those of ``rows[shared]`` with k equals the first k of them; return the others.

    Otherwise a table of few distinct rows would ask for all of them again and again.
    """
    k = neighbors.shape[1]
    crowded = (X[neighbors[shared, -1]] == X[rows[shared]]).all(axis=1)
    if not crowded.any():
        return shared
    _, group, sizes = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    group = group.ravel()
    crowded &= sizes[group[rows[shared]]] > k
    by_group, starts = np.argsort(group, kind="stable"), np.cumsum(sizes) - sizes
    asking = rows[shared[crowded]]
    twins = by_group[starts[group[asking], None] + np.arange(k + 1)]
    others = twins != asking[:, None]
    others[others.all(axis=1), -1] = False  # one too many where the row comes later
    neighbors[shared[crowded]] = twins[others].reshape(-1, k)
    return shared[~crowded]


def batches(n_rows: int, width: int) -> Iterator[slice]:
    """Even slices of the rows, such that each holds at most ``CHUNK`` numbers at this width."""
    if n_rows:
        yield from gen_even_slices(n_rows, -(-n_rows // max(1, CHUNK // width)))


def rank_others(
    indices: np.ndarray, distances: np.ndarray, rows: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The ``k`` nearest of what was found and their distances, by distance and then by index.

    A row is left out by its index, not as "the nearest": with duplicates that may be another one.
    """
    distances = np.where(indices == rows[:, None], np.inf, distances)
    order = np.lexsort((indices, distances))[:, :k]
    return np.take_along_axis(indices, order, 1), np.take_along_axis(distances, order, 1)


def measure(X: np.ndarray, rows: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Euclidean distances from each of ``rows`` to the rows found for it, from differences.

    Inner products are faster but lose digits where rows are close, and with them ties and order.
    """
    differences = X[rows][:, None] - X[indices]
    return np.sqrt(np.einsum("ijk,ijk->ij", differences, differences))


def ask_everybody(X: np.ndarray, n_jobs: int | None = None) -> Query:
    """Brute force by scikit-learn's inner products; measured again where these cannot tell."""
    centred = X - np.median(X[:: 1 + len(X) // 128], axis=0)  # a common offset would cost digits
    checked = partial(config_context, assume_finite=True, skip_parameter_validation=True)
    with checked():
        search = NearestNeighbors(algorithm="brute").fit(centred)
    # A squared distance is off by d eps (|a| + |b|)² at most, and a row near a is about as long as
    # a: take the row's own length, not the longest, lest one outlier make all others doubtful.
    rounding = 8 * (X.shape[1] + 4) * np.finfo(float).eps
    slack = rounding * np.einsum("ij,ij->i", centred, centred)
    tree = cache(lambda: _measured(X, ask_tree(X, n_jobs)))

    def query(rows: np.ndarray, asked: int) -> Found:
        with checked():
            distances, indices = search.kneighbors(centred[rows], asked)
        squares = distances**2
        last, error = squares[:, -1], rounding * squares[:, -1] + slack[rows]
        close = (np.diff(squares) <= 2 * error[:, None]).any(axis=1)  # their order may be wrong
        distances[close] = measure(X, rows[close], indices[close])
        found = Found(indices, distances, np.sqrt(np.maximum(last - error, 0)))
        blurred = last <= 100 * slack[rows]  # all so close together that some may not be found
        if blurred.any():
            for ours, exact in zip(found, tree()(rows[blurred], asked), strict=True):
                ours[blurred] = exact
        return found

    return query


def ask_tree(X: np.ndarray, n_jobs: int | None) -> Query:
    """A k-d tree: scipy's, about twice as fast here as scikit-learn's."""
    tree, workers = cKDTree(X, leafsize=32), effective_n_jobs(n_jobs)

    def query(rows: np.ndarray, asked: int) -> Found:
        distances, indices = tree.query(X[rows], asked, workers=workers)
        return Found(indices, distances, distances[:, -1])

    return query


def _measured(X: np.ndarray, query: Query) -> Query:
    """The query with distances as brute force has them: which of the two answers must not show."""

    def measured(rows: np.ndarray, asked: int) -> Found:
        indices, _, reach = query(rows, asked)
        return Found(indices, measure(X, rows, indices), reach * (1 - 1e-12))

    return measured


def _ask_scikit_learn(X: Any, metric: Any, n_jobs: int | None) -> Query:
    search = NearestNeighbors(metric=metric, n_jobs=n_jobs).fit(X)

    def query(rows: np.ndarray, asked: int) -> Found:
        distances, indices = search.kneighbors(X[rows], asked)
        return Found(indices, distances, distances[:, -1])

    return query


def _quicker(tree: Query, brute: Query, n: int) -> Query:
    """The query that takes less time for a row; both give the same answer."""

    def seconds_per_row(query: Query, n_rows: int) -> float:
        start = time.perf_counter()
        query(np.linspace(0, n - 1, n_rows, dtype=np.intp), 8)
        return (time.perf_counter() - start) / n_rows

    # Brute force is at its best with many rows at once; a tree does not care.
    return tree if seconds_per_row(tree, 32) < seconds_per_row(brute, 512) else brute
