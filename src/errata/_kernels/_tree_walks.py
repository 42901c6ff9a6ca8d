"""Rows that walk down trees, and the votes of the leaves they come to. The plain twin.

The nodes of all trees lie in one array, the two children of a node side by side at ``child``; a row
goes to the second where its value is above the threshold. A leaf is its own child, and its
threshold is infinite.
"""

import numpy as np


def sum_votes(X, roots, child, feature, threshold, leaf, votes):
    """Sum over the trees of the votes (leaves, K) of each row's leaf: an array (n, K)."""
    total = np.zeros((len(X), votes.shape[1]))
    rows = np.arange(len(X))
    for root in roots:
        total += votes[leaf[_leaves(X, rows, root, child, feature, threshold)]]
    return total


def _leaves(X, rows, root, child, feature, threshold):
    node = np.full(len(X), root)
    moving = rows
    while len(moving):
        here = node[moving]
        node[moving] = child[here] + (X[moving, feature[here]] > threshold[here])
        moving = moving[node[moving] != here]
    return node
