"""Rows that walk down trees, and the votes of the leaves they come to. The plain twin.

The nodes of all trees lie in one array, the two children of a node side by side at ``child``; a row
goes to the second where its value is above the threshold. A leaf is its own child, and no value is
above its threshold: who is there stays there.
"""

import numpy as np

NODE = np.dtype(
    [("child", np.int32), ("feature", np.int32), ("threshold", np.float32), ("leaf", np.int32)]
)


def sum_votes(X, roots, nodes, votes):
    """Sum over the trees of the votes (leaves, K) of each row's leaf: an array (n, K)."""
    total = np.zeros((len(X), votes.shape[1]))
    for root in roots:
        total += votes[nodes["leaf"][_ends(X, root, nodes)]]
    return total


def _ends(X, root, nodes):
    node = np.full(len(X), root)
    moving = np.arange(len(X))
    while len(moving):
        here = node[moving]
        above = X[moving, nodes["feature"][here]] > nodes["threshold"][here]
        node[moving] = nodes["child"][here] + above
        moving = moving[node[moving] != here]
    return node
