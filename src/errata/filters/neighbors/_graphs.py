"""Neighbourhood graphs: who is next to whom, without direction."""

from typing import Any, NamedTuple

import numpy as np

from ..._neighbors import NeighborIndex, distances_between, possible_neighbors

SLACK = 1 - 1e-12  # what only rounding makes nearer does not stand between two rows
STEPS = (16, 128)  # the rows nearest to one end are asked first: most pairs fall at once


class Edges(NamedTuple):
    """The edges of an undirected graph, each once from either end.

    They are ordered by the row they leave from, then by length, then by the row they lead to.
    """

    source: np.ndarray
    target: np.ndarray
    distance: np.ndarray

    @property
    def rank(self) -> np.ndarray:
        """1 for the shortest edge of the row that it leaves from, 2 for the next, and so on."""
        return 1 + np.arange(len(self.source)) - np.searchsorted(self.source, self.source)

    def only(self, mask: np.ndarray) -> "Edges":
        """Some of the edges."""
        return Edges(*(part[mask] for part in self))


def knn_edges(
    X: Any, k: int, *, mutual: bool, metric: Any = "euclidean", n_jobs: int | None = None
) -> Edges:
    """Edges between rows of which one is among the k nearest of the other; if ``mutual``, both.

    Examples
    --------
    >>> import numpy as np
    >>> edges = knn_edges(np.array([[0.0], [1.0], [3.0]]), 1, mutual=False)
    >>> list(zip(edges.source.tolist(), edges.target.tolist()))
    [(0, 1), (1, 0), (1, 2), (2, 1)]
    """
    n = X.shape[0]
    k = possible_neighbors(k, n)
    distance, target = NeighborIndex(X, metric=metric, n_jobs=n_jobs).others(k)
    source, target = np.repeat(np.arange(n), k), target.ravel()
    pair = np.minimum(source, target) * n + np.maximum(source, target)
    _, first, ends = np.unique(pair, return_index=True, return_counts=True)
    kept = first[ends == 2] if mutual else first
    return _both_ways(source[kept], target[kept], distance.ravel()[kept])


def gabriel_edges(X: Any, *, metric: Any = "euclidean") -> Edges:
    """Edges between rows i, j with no z such that d²(i, z) + d²(j, z) < d²(i, j).

    No other row lies in the sphere of which the edge is a diameter.
    """
    return _edges_unless(X, metric, lambda to_i, to_j, edge: to_i**2 + to_j**2 < edge**2 * SLACK)


def relative_edges(X: Any, *, metric: Any = "euclidean") -> Edges:
    """Edges between rows i, j with no z such that max(d(i, z), d(j, z)) < d(i, j).

    No other row is nearer to both than they are to each other (the relative neighbourhood graph).
    """
    return _edges_unless(X, metric, lambda to_i, to_j, edge: np.maximum(to_i, to_j) < edge * SLACK)


def _edges_unless(X: Any, metric: Any, between: Any) -> Edges:
    """Edges between the rows that no third row is between; O(n²) memory, up to O(n³) time."""
    D = distances_between(X, X, metric)
    rows = [_later_neighbors(D, i, between) for i in range(len(D) - 1)]
    source = np.repeat(np.arange(len(rows)), [len(targets) for targets in rows])
    target = np.concatenate(rows)
    return _both_ways(source, target, D[source, target])


def _later_neighbors(D: np.ndarray, i: int, between: Any) -> np.ndarray:
    """The rows after ``i`` that no third row separates from it."""
    left, nearest_first = np.arange(i + 1, len(D)), np.argsort(D[i], kind="stable")
    for third in np.split(nearest_first, STEPS):
        separated = between(D[third, i, None], D[third[:, None], left], D[i, left])
        left = left[~separated.any(axis=0)]
    return left


def _both_ways(a: np.ndarray, b: np.ndarray, distance: np.ndarray) -> Edges:
    source, target, distance = np.r_[a, b], np.r_[b, a], np.r_[distance, distance]
    order = np.lexsort((target, distance, source))
    return Edges(source[order], target[order], distance[order])
