"""Base learners of boosting: small compiled trees, or any estimator of scikit-learn.

A base learner holds the training rows and is fitted again and again, each time to other weights:
``classify`` fits a classifier, ``regress`` a regressor. Either way it gives the fitted base
estimator with its predictions for the training rows; :mod:`._decision` adds them up for others.
"""

from typing import Any, Protocol

import numpy as np
from sklearn.base import BaseEstimator

from ..._kernels import kernels
from ..._random import seeded_clone
from ._decision import ROUNDING, CompiledTree, FittedBase

BINNED_FROM = 100_000  # rows; with more, bins lose little and are several times faster
N_BINS = 255  # so that the number of a bin takes one byte


class BaseLearner(Protocol):
    """Anything that fits base estimators to weighted training rows."""

    def classify(self, codes: np.ndarray, n_classes: int, weights: np.ndarray) -> FittedBase:
        """Fit a classifier that predicts codes of classes."""

    def regress(self, targets: np.ndarray, weights: np.ndarray) -> FittedBase:
        """Fit a regressor, by weighted least squares."""


def make_base_learner(
    estimator: BaseEstimator | None,
    X: Any,
    *,
    max_depth: int,
    by_error: bool,
    random: Any,
    fit_params: dict[str, Any] | None = None,
) -> BaseLearner:
    """Compiled trees, unless there is an estimator."""
    if estimator is None:
        return TreeLearner(X, max_depth, by_error)
    return EstimatorLearner(estimator, X, random, fit_params)


def constant_base(code: int, codes: np.ndarray) -> FittedBase:
    """A base estimator that always predicts the same class."""
    # No value exceeds infinity: all rows go to the left leaf.
    stump = CompiledTree(np.zeros(1, dtype=np.int32), np.full(1, np.inf), np.full(2, code))
    return FittedBase(stump, np.full_like(codes, code))


class TreeLearner:
    """Small trees on columns that are sorted once; on bins of them when there are many rows."""

    def __init__(self, X: np.ndarray, max_depth: int, by_error: bool = False) -> None:
        self.twin = kernels("trees")
        self.table: tuple[np.ndarray, ...]
        self.growth = max_depth, by_error
        if len(X) > BINNED_FROM:
            self.grow, self.table = self.twin.grow_binned, into_bins(X)
        else:
            columns = np.ascontiguousarray(X.T)
            order = np.argsort(columns, axis=1, kind="stable")
            ranked = np.take_along_axis(columns, order, axis=1)
            self.grow, self.table = self.twin.grow, (columns, order.astype(np.uint32), ranked)

    def classify(self, codes: np.ndarray, n_classes: int, weights: np.ndarray) -> FittedBase:
        """A tree whose leaves give the heaviest class; the second of two, the first of several."""
        sums = self.twin.class_sums(codes, weights, n_classes)
        features, thresholds, leaf, total, weight = self.grow(
            *self.table, sums, weights, *self.growth
        )
        leaves, outputs = self.twin.vote(leaf, total, weight, ROUNDING)
        return FittedBase(CompiledTree(features, thresholds, leaves), outputs)

    def regress(self, targets: np.ndarray, weights: np.ndarray) -> FittedBase:
        """A tree whose leaves give the weighted mean of the targets."""
        sums = (weights * targets)[:, None]
        features, thresholds, leaf, total, weight = self.grow(
            *self.table, sums, weights, *self.growth
        )
        leaves = np.divide(total[:, 0], weight, out=np.zeros(len(weight)), where=weight > 0)
        return FittedBase(CompiledTree(features, thresholds, leaves), leaves[leaf])


def into_bins(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bins (n, d) and their upper edges (d, N_BINS), the last of them infinite.

    Values get a bin each where there are few; otherwise bins hold equally many rows, as far as a
    sample of them can tell.
    """
    bins = np.empty(X.shape, dtype=np.uint8)
    edges = np.full((X.shape[1], N_BINS), np.inf)
    # Up to a thousand rows a bin say well enough where it ends.
    sample = X[:: 1 + len(X) // (1000 * N_BINS)]
    for feature in range(X.shape[1]):
        values = np.unique(sample[:, feature])
        if len(values) > N_BINS:
            levels = np.linspace(0, 1, N_BINS + 1)[1:-1]
            cuts = np.unique(np.quantile(sample[:, feature], levels, method="inverted_cdf"))
        else:
            cuts = values[:-1] / 2 + values[1:] / 2  # their difference can overflow
        edges[feature, : len(cuts)] = cuts
        bins[:, feature] = np.searchsorted(cuts, X[:, feature])
    return bins, edges


class EstimatorLearner:
    """Clones of an estimator, each fitted to the rows with its own weights.

    ``fit_params`` is metadata about the rows that the estimator asked for.
    """

    def __init__(
        self,
        estimator: BaseEstimator,
        X: Any,
        random: np.random.RandomState,
        fit_params: dict[str, Any] | None = None,
    ) -> None:
        self.estimator, self.X, self.random = estimator, X, random
        self.fit_params = fit_params or {}

    def classify(self, codes: np.ndarray, n_classes: int, weights: np.ndarray) -> FittedBase:
        """Fit a classifier."""
        return self._fit(codes, weights)

    def regress(self, targets: np.ndarray, weights: np.ndarray) -> FittedBase:
        """Fit a regressor."""
        return self._fit(targets, weights)

    def _fit(self, targets: np.ndarray, weights: np.ndarray) -> FittedBase:
        fitted = seeded_clone(self.estimator, self.random)
        # Some learners mind the scale of weights: let them be one on average.
        weights = weights * (len(weights) / weights.sum())
        fitted.fit(self.X, targets, sample_weight=weights, **self.fit_params)
        return FittedBase(fitted, fitted.predict(self.X))
