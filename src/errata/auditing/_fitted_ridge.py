"""Ridge regressions on RBF features that were fitted: what they say of other rows.

The features of one audit are drawn around the same rows, and differ in their width. That of
sharpness 2 s is the one of sharpness s to the fourth power: distances and exponentials, which is
nearly all there is to do, are computed once for all of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from .._blocks import blocks
from ..elm import ELMClassifier
from ._cross_fitting import all_columns
from ._models import NewRows, TrainingData, split_of_fold
from ._settings import CACHED, RIDGE_FOLDS

FARTHEST = 1e100  # squares of what is farther could overflow


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
            outputs, split = (model.coef_[None], model.intercept_[None]), None
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
    X = _with_squares(rows.X)
    scores = {id(ridge): np.empty((len(ridge.classes), len(X))) for ridge in ridges}
    for split, asked in widest.asked(rows):
        for block in blocks(len(asked), CACHED, width=len(widest.exponents[0])):
            own = asked[block]
            features, gamma = widest.features(X[own]), widest.gamma
            for ridge in ordered:
                while gamma < ridge.gamma:
                    features *= features
                    gamma *= 2
                scores[id(ridge)][:, own] = ridge.scores(features, split)
    return [ridge.proba(scores[id(ridge)]) for ridge in ridges]


def _with_squares(X: np.ndarray) -> np.ndarray:
    """Rows (x, |x|², 1)."""
    X = np.clip(X, -FARTHEST, FARTHEST, dtype=np.float64)
    return np.column_stack([X, np.einsum("ij,ij->i", X, X), np.ones(len(X))])
