"""Models that were fitted, as a few arrays: all that is needed to ask them about other rows.

The features of one audit are drawn around the same rows, and differ in their width. That of
sharpness 2 s is the one of sharpness s to the fourth power: distances and exponentials, which is
nearly all there is to do, are computed once for all of them.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from ..._blocks import blocks
from ..._compat import read_boosted_trees
from ..._kernels import kernels
from ..._kernels._trees import ALL, NODE
from ...elm import ELMClassifier
from .._settings import CACHED, RIDGE_FOLDS
from ._base import (
    NewRows,
    TrainingData,
    all_columns,
    certain_or_uniform,
    single_precision,
    split_of_fold,
)

FARTHEST = 1e100  # squares of what is farther could overflow


class FittedTrees:
    """Trees whose nodes lie one behind the other, as the compiled loop wants them.

    ``trees`` are what ``grow_forest`` keeps; ``seen`` says whether a tree was grown on rows of a
    fold, (trees, folds).
    """

    def __init__(self, trees: Sequence[np.ndarray], seen: np.ndarray | None) -> None:
        self.roots, child, feature, threshold, leaf, self.votes = trees
        self.seen = seen
        self.nodes = np.empty(len(child), dtype=NODE)
        self.nodes["child"] = child
        self.nodes["feature"] = feature
        self.nodes["threshold"] = threshold
        self.nodes["leaf"] = leaf

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
        return kernels("trees").sum_votes(X, roots, self.nodes, self.votes)


def round_down(threshold: np.ndarray) -> np.ndarray:
    """In single precision, as rows are, where ``x > threshold`` is true of the same numbers."""
    single = threshold.astype(np.float32)
    above = single > threshold
    single[above] = np.nextafter(single[above], np.float32(-np.inf))
    return single


class BoostedTrees:
    """Cuts and leaves of all trees; those of one step follow each other, one for each output.

    From a fitted HistGradientBoostingClassifier with 32 leaves a tree at most.
    """

    def __init__(self, model: Any) -> None:
        self.baseline, trees = read_boosted_trees(model)
        self.values = np.zeros((len(trees), 32))  # of the leaves from left to right
        cuts: list[tuple[int, float, int]] = []
        starts = [0]
        for nodes, leaves in zip(trees, self.values, strict=True):
            _visit(nodes, 0, 0, cuts, leaves)
            starts.append(len(cuts))
        features, thresholds, masks = zip(*cuts, strict=True) if cuts else ((), (), ())
        self.starts = np.array(starts)  # the first cut of each tree
        self.features = np.array(features, dtype=np.intp)
        self.thresholds = round_down(np.array(thresholds, dtype=np.float64))
        self.masks = np.array(masks, dtype=np.uint32)  # zero at the leaves to the left

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """As the classifier it was made from, with rows in single precision."""
        columns = np.ascontiguousarray(single_precision(X).T)
        raw = kernels("trees").sum_values(
            columns,
            self.starts,
            self.features,
            self.thresholds,
            self.masks,
            self.values,
            len(self.baseline),
        )
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


class FittedRidge:
    """Output weights on RBF features: those fitted to all rows, or to those outside each fold."""

    def __init__(self, model: ELMClassifier, data: TrainingData) -> None:
        gamma = np.full_like(model.hidden_bias_, -model.gamma_)
        # (d + 2, m): what (x, |x|², 1) is multiplied by to get -gamma |x - z|².
        self.exponents = np.vstack([model.hidden_weights_, gamma, model.hidden_bias_])
        if data.folds is None:
            outputs = (model.coef_[None], model.intercept_[None])
            self.split_of_fold = None
        else:
            outputs = model.fold_coef_, model.fold_intercept_
            self.split_of_fold = split_of_fold(data.folds, RIDGE_FOLDS)
        # (1 or splits, m, q) and (1 or splits, q), over the temperature.
        self.coef, self.intercept = (values / model.temperature_ for values in outputs)
        self.classes = model.classes_  # those that it knows, q
        self.n_classes = data.n_classes

    @property
    def gamma(self) -> float:
        """Of the features, exp(-gamma |x - z|²)."""
        return -float(self.exponents[-2, 0])

    def predict_proba(self, rows: NewRows) -> np.ndarray:
        """Probabilities of the labels, shape (n, n_classes)."""
        return predict_together([self], rows)[0]

    def comes_of_squaring(self, wider: "FittedRidge") -> bool:
        """Whether its features are those of another, squared some number of times."""
        power = self.gamma / wider.gamma
        same_centers = np.array_equal(self.exponents, power * wider.exponents)
        return same_centers and np.log2(power).is_integer()

    def features(self, X: np.ndarray) -> np.ndarray:
        """Features of rows (x, |x|², 1)."""
        Z = X @ self.exponents
        np.minimum(Z, 0, out=Z)  # rounding may leave it a little above
        return np.exp(Z, out=Z)

    def scores(self, features: np.ndarray, split: int) -> np.ndarray:
        """Logarithms of probabilities but for a constant, shape (q, n)."""
        return self.coef[split].T @ features.T + self.intercept[split][:, None]

    def proba(self, scores: np.ndarray) -> np.ndarray:
        """Probabilities, shape (n, n_classes)."""
        return all_columns(softmax(scores, axis=0).T, self.classes, self.n_classes)

    def asked(self, rows: NewRows) -> Iterator[tuple[int, np.ndarray]]:
        """Each split, and the rows that are asked of it."""
        if self.split_of_fold is None:
            yield 0, np.arange(len(rows))
            return
        split = self.split_of_fold[rows.folds]
        yield from ((int(k), np.flatnonzero(split == k)) for k in np.unique(split))


def predict_together(ridges: Sequence[FittedRidge], rows: NewRows) -> list[np.ndarray]:
    """Scores by each of the ridges of one audit, in double precision.

    Weights of wide features are large and cancel each other: in single precision, what is said of a
    row would depend on the rows beside it.
    """
    ordered = sorted(ridges, key=lambda ridge: ridge.gamma)
    widest = ordered[0]
    if not all(ridge.comes_of_squaring(widest) for ridge in ordered):
        return [ridge.predict_proba(rows) for ridge in ridges]
    X = np.clip(rows.X, -FARTHEST, FARTHEST, dtype=np.float64)
    X = np.column_stack([X, np.einsum("ij,ij->i", X, X), np.ones(len(X))])
    scores = {id(ridge): np.empty((len(ridge.classes), len(X))) for ridge in ridges}
    for split, asked in widest.asked(rows):
        for block in blocks(len(asked), CACHED, width=len(widest.exponents[0])):
            own = asked[block]
            features = widest.features(X[own])
            gamma = widest.gamma
            for ridge in ordered:
                while gamma < ridge.gamma:
                    features *= features
                    gamma *= 2
                scores[id(ridge)][:, own] = ridge.scores(features, split)
    return [ridge.proba(scores[id(ridge)]) for ridge in ridges]
