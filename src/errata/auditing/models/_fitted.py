"""Models that were fitted, as a few arrays: all that is needed to ask them about other rows.

The features of one audit are drawn around the same rows, and differ in their width. That of
sharpness 2 s is the one of sharpness s to the fourth power: distances and exponentials, which is
nearly all there is to do, are computed once for all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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


class FittedTrees(NamedTuple):
    """Trees whose nodes lie one behind the other, as the compiled loop wants them."""

    roots: np.ndarray  # (trees,)
    nodes: np.ndarray  # of the trees, as NODE
    votes: np.ndarray  # (leaves, n_classes)
    seen: np.ndarray | None  # (trees, folds), whether a tree was grown on rows of a fold

    @classmethod
    def of(cls, trees: Sequence[np.ndarray], seen: np.ndarray | None) -> "FittedTrees":
        """From what ``grow_forest`` keeps."""
        roots, child, feature, threshold, leaf, votes = trees
        nodes = np.empty(len(child), dtype=NODE)
        nodes["child"] = child
        nodes["feature"] = feature
        nodes["threshold"] = threshold
        nodes["leaf"] = leaf
        return cls(roots, nodes, votes, seen)

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
        baseline, trees = read_boosted_trees(model)
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
            round_down(np.array(thresholds, dtype=np.float64)),
            np.array(masks, dtype=np.uint32),
            values,
        )

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """As the classifier it was made from, with rows in single precision."""
        columns = np.ascontiguousarray(single_precision(X).T)
        raw = kernels("trees").sum_values(columns, *self[1:], len(self.baseline))
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


@dataclass(frozen=True)
class FittedRidge:
    """Output weights on RBF features: those fitted to all rows, or to those outside each fold."""

    exponents: np.ndarray  # (d + 2, m): what (x, |x|², 1) is multiplied by to get -gamma |x - z|²
    coef: np.ndarray  # (1 or splits, m, q), over the temperature
    intercept: np.ndarray  # (1 or splits, q), over the temperature
    split_of_fold: np.ndarray | None
    classes: np.ndarray  # those that it knows, q
    n_classes: int

    @classmethod
    def of(cls, model: ELMClassifier, data: TrainingData) -> "FittedRidge":
        """What of a fitted model is needed for other rows."""
        gamma = np.full_like(model.hidden_bias_, -model.gamma_)
        exponents = np.vstack([model.hidden_weights_, gamma, model.hidden_bias_])
        if data.folds is None:
            outputs = (model.coef_[None], model.intercept_[None])
            split = None
        else:
            outputs = model.fold_coef_, model.fold_intercept_
            split = split_of_fold(data.folds, RIDGE_FOLDS)
        coef, intercept = (values / model.temperature_ for values in outputs)
        return cls(exponents, coef, intercept, split, model.classes_, data.n_classes)

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
    """What each of the ridges of one audit says, in double precision.

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
