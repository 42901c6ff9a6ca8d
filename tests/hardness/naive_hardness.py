"""Slow and plain twins of what errata.hardness computes cleverly."""

import numpy as np
from scipy.spatial.distance import cdist


def naive_nearest(X, k, metric="euclidean"):
    """Sort every row's distances, by index where they tie."""
    distances = cdist(X, X, metric)
    np.fill_diagonal(distances, np.inf)
    return np.argsort(distances, axis=1, kind="stable")[:, :k]


def naive_local_sets(X, y, metric="euclidean"):
    """The six arrays of ``local_sets``, row by row."""
    D, n = cdist(X, X, metric), len(y)
    enemy, radius, extent = [], [], []
    usefulness, harmfulness, cardinality = (np.zeros(n, dtype=int) for _ in range(3))
    for i in range(n):
        others = [j for j in range(n) if y[j] != y[i]]
        friends = [j for j in range(n) if y[j] == y[i] and j != i]
        nearest = min(others, key=lambda j: D[i, j])
        enemy.append(nearest)
        radius.append(D[i, nearest])
        extent.append(max((D[i, j] for j in friends), default=0))
        harmfulness[nearest] += 1
        for j in friends:
            if D[i, j] < D[i, nearest]:
                cardinality[i] += 1
                usefulness[j] += 1
    return enemy, radius, extent, cardinality, usefulness, harmfulness


def naive_prune(left, right, errors, node=0):
    """Leaves that remain below a node once pruned, and the errors they expect together."""
    if left[node] < 0:
        return [node], errors[node]
    leaves, below = [], 0.0
    for child in (left[node], right[node]):
        kept, expected = naive_prune(left, right, errors, child)
        leaves, below = leaves + kept, below + expected
    return ([node], errors[node]) if errors[node] <= below else (leaves, below)
