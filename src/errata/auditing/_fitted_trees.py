"""Trees that were grown, as a few arrays: all that is needed to ask them about other rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._kernels import kernels
from .._kernels._tree_walks import NODE
from ._cross_fitting import certain_or_uniform
from ._models import NewRows


class FittedTrees(NamedTuple):
    """Trees whose nodes lie one behind the other, as the compiled loop wants them."""

    roots: np.ndarray  # (trees,)
    nodes: np.ndarray  # of the trees, as NODE
    votes: np.ndarray  # (leaves, n_classes)
    seen: np.ndarray | None  # (trees, folds), whether a tree was grown on rows of a fold

    @classmethod
    def of(
        cls, trees: Sequence[tuple[Any, np.ndarray]], n_classes: int, seen: np.ndarray | None
    ) -> "FittedTrees":
        """From scikit-learn's trees, each with the codes it knows."""
        n_nodes = n_leaves = 0
        roots, nodes, votes = [], [], []
        for tree, codes in trees:
            roots.append(n_nodes)
            nodes.append(_laid_out(tree, n_nodes, n_leaves))
            votes.append(_votes(tree, codes, n_classes))
            n_nodes += len(nodes[-1])
            n_leaves += len(votes[-1])
        return cls(np.array(roots), np.concatenate(nodes), np.concatenate(votes), seen)

    def predict_proba(self, rows: NewRows) -> np.ndarray:
        """Mean of the votes of all trees, or of those that have not seen the fold of a row."""
        X = single_precision(rows.X)
        if self.seen is None:
            return certain_or_uniform(self._votes(X, self.roots))
        votes = np.empty((len(X), self.votes.shape[1]))
        folds = np.asarray(rows.folds)
        for fold in np.unique(folds):
            own = np.flatnonzero(folds == fold)
            votes[own] = self._votes(X[own], self.roots[~self.seen[:, fold]])
        return certain_or_uniform(votes)

    def _votes(self, X: np.ndarray, roots: np.ndarray) -> np.ndarray:
        return kernels("tree_walks").sum_votes(X, roots, self.nodes, self.votes)


def _laid_out(tree: Any, start: int, first_leaf: int) -> np.ndarray:
    """The nodes of a tree, moved so that the two children of each lie side by side."""
    inner, leaves = np.flatnonzero(tree.children_left >= 0), _leaves(tree)
    first = 1 + 2 * np.arange(len(inner))
    place = np.zeros(tree.node_count, dtype=np.intp)
    place[tree.children_left[inner]], place[tree.children_right[inner]] = first, first + 1
    nodes = np.zeros(tree.node_count, dtype=NODE)
    nodes["child"][place[inner]] = start + first
    nodes["feature"][place[inner]] = tree.feature[inner]
    nodes["threshold"][place[inner]] = rounded_down(tree.threshold[inner])
    nodes["child"][place[leaves]] = start + place[leaves]
    nodes["threshold"][place[leaves]] = np.inf
    nodes["leaf"][place[leaves]] = first_leaf + np.arange(len(leaves))
    return nodes


def _votes(tree: Any, codes: np.ndarray, n_classes: int) -> np.ndarray:
    leaves = _leaves(tree)
    votes = np.zeros((len(leaves), n_classes), dtype=np.float32)
    votes[:, codes] = tree.value[leaves, 0]
    return votes


def _leaves(tree: Any) -> np.ndarray:
    return np.flatnonzero(tree.children_left < 0)


def single_precision(X: np.ndarray) -> np.ndarray:
    """Rows as trees see them; what is too large is infinite."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(X, dtype=np.float32)


def rounded_down(threshold: np.ndarray) -> np.ndarray:
    """In single precision, as rows are, where ``x > threshold`` is true of the same numbers."""
    single = threshold.astype(np.float32)
    above = single > threshold
    single[above] = np.nextafter(single[above], np.float32(-np.inf))
    return single
