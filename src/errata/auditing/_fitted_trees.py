"""Trees that were grown, as a few arrays: all that is needed to ask them about other rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._kernels import _tree_walks as walks
from ._cross_fitting import certain_or_uniform
from ._models import NewRows


class FittedTrees(NamedTuple):
    """Trees whose nodes lie one behind the other; the second child of a node follows the first.

    A leaf is its own child, and no number is above its threshold: who is there stays there.
    """

    roots: np.ndarray  # (trees,)
    child: np.ndarray  # (nodes,), the first
    feature: np.ndarray  # (nodes,)
    threshold: np.ndarray  # (nodes,), above which a row goes to the second
    leaf: np.ndarray  # (nodes,), number of a leaf
    votes: np.ndarray  # (leaves, n_classes)
    seen: np.ndarray | None  # (trees, folds), whether a tree was grown on rows of a fold

    @classmethod
    def of(
        cls, trees: Sequence[tuple[Any, np.ndarray]], n_classes: int, seen: np.ndarray | None
    ) -> "FittedTrees":
        """From scikit-learn's trees, each with the codes it knows."""
        parts = [_laid_out(tree, codes, n_classes) for tree, codes in trees]
        nodes = np.cumsum([0, *(len(part.child) for part in parts)])
        leaves = np.cumsum([0, *(len(part.votes) for part in parts)])
        return cls(
            nodes[:-1].astype(np.int32),
            np.concatenate([p.child + start for p, start in zip(parts, nodes, strict=False)]),
            np.concatenate([p.feature for p in parts]),
            np.concatenate([p.threshold for p in parts]),
            np.concatenate([p.leaf + start for p, start in zip(parts, leaves, strict=False)]),
            np.concatenate([p.votes for p in parts]),
            seen,
        )

    def predict_proba(self, rows: NewRows) -> np.ndarray:
        """Mean of the votes of all trees, or of those that have not seen the fold of a row."""
        with np.errstate(over="ignore"):  # too large for single precision is infinite
            X = np.ascontiguousarray(rows.X, dtype=np.float32)
        if self.seen is None:
            return certain_or_uniform(self._votes(X, self.roots))
        votes = np.empty((len(X), self.votes.shape[1]))
        folds = np.asarray(rows.folds)
        for fold in np.unique(folds):
            own = np.flatnonzero(folds == fold)
            votes[own] = self._votes(X[own], self.roots[~self.seen[:, fold]])
        return certain_or_uniform(votes)

    def _votes(self, X: np.ndarray, roots: np.ndarray) -> np.ndarray:
        return walks.sum_votes(
            X, roots, self.child, self.feature, self.threshold, self.leaf, self.votes
        )


class _Laid(NamedTuple):
    """One tree as :class:`FittedTrees` holds several."""

    child: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    leaf: np.ndarray
    votes: np.ndarray


def _laid_out(tree: Any, codes: np.ndarray, n_classes: int) -> _Laid:
    """Nodes moved so that the two children of each lie side by side."""
    inner = np.flatnonzero(tree.children_left >= 0)
    leaves = np.flatnonzero(tree.children_left < 0)
    first = 1 + 2 * np.arange(len(inner), dtype=np.int32)
    place = np.zeros(tree.node_count, dtype=np.int32)
    place[tree.children_left[inner]], place[tree.children_right[inner]] = first, first + 1
    child = np.arange(tree.node_count, dtype=np.int32)
    child[place[inner]] = first
    feature = np.zeros(tree.node_count, dtype=np.int32)
    feature[place[inner]] = tree.feature[inner]
    threshold = np.full(tree.node_count, np.inf, dtype=np.float32)
    threshold[place[inner]] = _rounded_down(tree.threshold[inner])
    leaf = np.zeros(tree.node_count, dtype=np.int32)
    leaf[place[leaves]] = np.arange(len(leaves))
    votes = np.zeros((len(leaves), n_classes), dtype=np.float32)
    votes[:, codes] = tree.value[leaves, 0]
    return _Laid(child, feature, threshold, leaf, votes)


def _rounded_down(threshold: np.ndarray) -> np.ndarray:
    """In single precision, as rows are, where ``x > threshold`` is true of the same numbers."""
    single = threshold.astype(np.float32)
    above = single > threshold
    single[above] = np.nextafter(single[above], np.float32(-np.inf))
    return single
