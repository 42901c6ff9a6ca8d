"""Rows whose neighbours can be told at a glance, and slow twins of what looks at them."""

import numpy as np
from scipy.spatial.distance import cdist

# Ten rows on a line with planted errors at 2 and 8.
TINY_X = np.array([0, 1, 2.1, 3.3, 4.6, 10, 11.2, 12.3, 13.3, 14.2])[:, None]
TINY_Y = np.array([0, 0, 1, 0, 0, 1, 1, 1, 0, 1])
PLANTED = [2, 8]


def two_clusters(n=100, seed=0):
    """Two clusters so far apart that no neighbourhood holds rows of both."""
    y = np.arange(n) % 2
    X = np.random.RandomState(seed).normal(size=(n, 2)) + 20 * y[:, None] - 10
    return X, y


def naive_margin(votes, label):
    """(max_{q != label} c_q - c_label + k) / 2k, by counting."""
    votes = list(votes)
    others = max((votes.count(q) for q in votes if q != label), default=0)
    return (others - votes.count(label) + len(votes)) / (2 * len(votes))


def naive_proximity_pairs(X, graph):
    """The pairs that no third row stands between, by looking at all of them."""
    D, n = cdist(X, X), len(X)

    def between(i, j, z):
        if graph == "gabriel":
            return D[i, z] ** 2 + D[j, z] ** 2 < D[i, j] ** 2 - 1e-9
        return max(D[i, z], D[j, z]) < D[i, j] - 1e-9

    pairs = ((i, j) for i in range(n) for j in range(n) if i != j)
    return [(i, j) for i, j in pairs if not any(between(i, j, z) for z in range(n))]
