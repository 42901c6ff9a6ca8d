"""Boosted trees that were fitted, as a few arrays: scikit-learn walks down each of them instead."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, softmax

from .._compat import boosted_trees
from .._kernels import kernels
from .._kernels._small_trees import ALL
from ._fitted_trees import rounded_down, single_precision


class BoostedTrees(NamedTuple):
    """Cuts and leaves of all trees; those of one step follow each other, one for each output."""

    baseline: np.ndarray  # (outputs,)
    starts: np.ndarray  # (trees + 1,), the first cut of each tree
    features: np.ndarray  # (cuts,)
    thresholds: np.ndarray  # (cuts,)
    masks: np.ndarray  # (cuts,), zero at the leaves to the left
    values: np.ndarray  # (trees, 32), of the leaves from left to right

    @classmethod
    def of(cls, model: Any) -> "BoostedTrees":
        """From a fitted HistGradientBoostingClassifier with 32 leaves a tree at most."""
        baseline, trees = boosted_trees(model)
        values = np.zeros((len(trees), 32))
        cuts: list[tuple[int, float, int]] = []
        starts = [0]
        for nodes, leaves in zip(trees, values, strict=True):
            _visit(nodes, 0, 0, cuts, leaves)
            starts.append(len(cuts))
        features, thresholds, masks = zip(*cuts, strict=True) if cuts else ((), (), ())
        return cls(
            baseline,
            np.array(starts),
            np.array(features, dtype=np.intp),
            rounded_down(np.array(thresholds, dtype=np.float64)),
            np.array(masks, dtype=np.uint32),
            values,
        )

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """As the classifier it was made from, with rows in single precision."""
        columns = np.ascontiguousarray(single_precision(X).T)
        raw = kernels("small_trees").sum_values(columns, *self[1:], len(self.baseline))
        raw += self.baseline[:, None]
        if len(raw) > 1:
            return softmax(raw, axis=0).T
        return np.vstack([expit(-raw), expit(raw)]).T


def _visit(
    nodes: np.ndarray, node: int, first: int, cuts: list[tuple[int, float, int]], leaves: np.ndarray
) -> int:
    """Write down a node and all below it; the number of its leaves, of which one was ``first``."""
    here = nodes[node]
    if here["is_leaf"]:
        leaves[first] = here["value"]
        return 1
    n_left = _visit(nodes, here["left"], first, cuts, leaves)
    to_the_left = ((1 << n_left) - 1) << first
    cuts.append((here["feature_idx"], here["num_threshold"], int(ALL) ^ to_the_left))
    return n_left + _visit(nodes, here["right"], first + n_left, cuts, leaves)
