"""Grow a decision tree, and prune it as C4.5 does."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv
from sklearn.tree import DecisionTreeClassifier


class GrownTree(NamedTuple):
    """A decision tree and where the rows it was grown on end up.

    Nodes are numbered such that parents come before their children.
    """

    left: np.ndarray  # (n_nodes,): first child, -1 for a leaf
    right: np.ndarray  # (n_nodes,): second child
    counts: np.ndarray  # (n_nodes, n_classes): how many rows of each label reach the node
    leaves: np.ndarray  # (n,): the leaf of each row

    @property
    def sizes(self) -> np.ndarray:
        """How many rows reach each node."""
        return self.counts.sum(axis=1)

    @property
    def depths(self) -> np.ndarray:
        """How many splits lie above each node."""
        depths = np.zeros(len(self.left), dtype=np.intp)
        for node in np.flatnonzero(self.left >= 0):
            depths[self.left[node]] = depths[self.right[node]] = depths[node] + 1
        return depths

    def commonest(self, codes: np.ndarray) -> np.ndarray:
        """The commonest label in the leaf of each row; its own when no other is commoner."""
        counts = self.counts[self.leaves]
        own = counts[np.arange(len(codes)), codes]
        return np.where(counts.max(axis=1) > own, counts.argmax(axis=1), codes)


def grow_tree(
    X: Any, codes: np.ndarray, random_state: Any, *, min_samples_leaf: int = 1
) -> GrownTree:
    """Split until every leaf holds one label, or rows that cannot be told apart or are too few."""
    model = DecisionTreeClassifier(random_state=random_state, min_samples_leaf=min_samples_leaf)
    nodes = model.fit(X, codes).tree_
    counts = np.rint(nodes.value[:, 0] * nodes.n_node_samples[:, None]).astype(np.intp)
    return GrownTree(nodes.children_left, nodes.children_right, counts, model.apply(X))


def prune(tree: GrownTree, confidence: float) -> GrownTree:
    """Replace subtrees by leaves, from the bottom, where that promises no more errors."""
    errors = expected_errors(tree.counts, confidence)
    below, left, right = errors.copy(), tree.left.copy(), tree.right.copy()
    for node in np.flatnonzero(tree.left >= 0)[::-1]:
        below[node] = below[left[node]] + below[right[node]]
        if errors[node] <= below[node]:
            below[node] = errors[node]
            left[node] = right[node] = -1
    return GrownTree(left, right, tree.counts, _stops(tree, left)[tree.leaves])


def grow_and_prune(
    X: Any,
    codes: np.ndarray,
    random_state: Any,
    *,
    min_samples_leaf: int = 5,
    confidence: float = 0.25,
) -> GrownTree:
    """A tree too coarse to obey single labels."""
    return prune(grow_tree(X, codes, random_state, min_samples_leaf=min_samples_leaf), confidence)


def expected_errors(counts: np.ndarray, confidence: float) -> np.ndarray:
    """Errors to expect from each node as a leaf: N U(E, N), section 4.2 of Quinlan (1993).

    U is the exact upper limit: E errors or fewer would have the probability ``confidence``.
    """
    sizes = counts.sum(axis=1)
    errors = sizes - counts.max(axis=1)
    return sizes * betaincinv(errors + 1, sizes - errors, 1 - confidence)


def _stops(tree: GrownTree, left: np.ndarray) -> np.ndarray:
    """For each node of the full tree, the node that a row on its way there now stops at."""
    stops = np.arange(len(left))
    for node in np.flatnonzero(tree.left >= 0):
        if stops[node] != node or left[node] < 0:
            stops[tree.left[node]] = stops[tree.right[node]] = stops[node]
    return stops
