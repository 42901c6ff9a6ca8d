"""Rows that walk down trees, and the votes of the leaves they come to. The compiled twin.

A walk waits for memory at every step. Four rows walk side by side, as their steps need not wait for
each other, and none of them branches: twice as fast as one by one. Tree by tree, so that the nodes
of one stay in the cache.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def sum_votes(X, roots, nodes, votes):
    """As the plain twin."""
    n, n_classes = len(X), votes.shape[1]
    total = np.zeros((n, n_classes))
    ends = np.empty(4, np.int32)
    for root in roots:
        for row in range(0, n, 4):
            _walk(X, row, root, nodes, ends)
            for i in range(min(4, n - row)):
                for c in range(n_classes):
                    total[row + i, c] += votes[ends[i], c]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _walk(X, row, root, nodes, ends):
    """The leaves that four rows come to; behind the last, this row stands for the others."""
    last = len(X) - 1
    x0, x1, x2, x3 = X[row], X[min(row + 1, last)], X[min(row + 2, last)], X[min(row + 3, last)]
    a = b = c = d = root
    while True:
        next_a = nodes[a]["child"] + (x0[nodes[a]["feature"]] > nodes[a]["threshold"])
        next_b = nodes[b]["child"] + (x1[nodes[b]["feature"]] > nodes[b]["threshold"])
        next_c = nodes[c]["child"] + (x2[nodes[c]["feature"]] > nodes[c]["threshold"])
        next_d = nodes[d]["child"] + (x3[nodes[d]["feature"]] > nodes[d]["threshold"])
        if (next_a == a) & (next_b == b) & (next_c == c) & (next_d == d):
            break
        a, b, c, d = next_a, next_b, next_c, next_d
    ends[0], ends[1] = nodes[a]["leaf"], nodes[b]["leaf"]
    ends[2], ends[3] = nodes[c]["leaf"], nodes[d]["leaf"]
