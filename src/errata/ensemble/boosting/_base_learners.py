"""Base learners of boosting, and what they add up to: terms, their sum, the class decided on.

A base learner holds the training rows and is fitted again and again, each time to other weights:
``classify`` fits a classifier, ``regress`` a regressor. Either way it gives the fitted base
estimator with its predictions for the training rows; :mod:`._decision` adds them up for others.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.base import BaseEstimator

from ..._blocks import blocks, map_blocks
from ..._kernels import kernels
from ..._random import clone_with_seed

BINNED_FROM = 100_000  # rows; with more, bins lose little and are several times faster
N_BINS = 255  # so that the number of a bin takes one byte

ROUNDING = 1e-12  # decisions this small, as a fraction of what they could be, are none
BATCH = 2**22  # numbers held at once when deciding on rows


class FittedBase(NamedTuple):
    """A fitted base estimator and its predictions for the training rows: codes or numbers."""

    estimator: Any
    outputs: np.ndarray


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


def make_constant_base(code: int, codes: np.ndarray) -> FittedBase:
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
            self.grow = self.twin.grow_binned
            self.table = bin_columns(X)
        else:
            columns = np.ascontiguousarray(X.T)
            order = np.argsort(columns, axis=1, kind="stable")
            ranked = np.take_along_axis(columns, order, axis=1)
            self.grow = self.twin.grow
            self.table = (columns, order.astype(np.uint32), ranked)

    def classify(self, codes: np.ndarray, n_classes: int, weights: np.ndarray) -> FittedBase:
        """A tree whose leaves give the heaviest class; the second of two, the first of several."""
        sums = self.twin.make_class_sums(codes, weights, n_classes)
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


def bin_columns(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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
        self.estimator = estimator
        self.X = X
        self.random = random
        self.fit_params = fit_params or {}

    def classify(self, codes: np.ndarray, n_classes: int, weights: np.ndarray) -> FittedBase:
        """Fit a classifier."""
        return self._fit(codes, weights)

    def regress(self, targets: np.ndarray, weights: np.ndarray) -> FittedBase:
        """Fit a regressor."""
        return self._fit(targets, weights)

    def _fit(self, targets: np.ndarray, weights: np.ndarray) -> FittedBase:
        fitted = clone_with_seed(self.estimator, self.random)
        # Some learners mind the scale of weights: let them be one on average.
        weights = weights * (len(weights) / weights.sum())
        fitted.fit(self.X, targets, sample_weight=weights, **self.fit_params)
        return FittedBase(fitted, fitted.predict(self.X))


class CompiledTree(NamedTuple):
    """A small tree as arrays: where its inner nodes cut, and what its leaves predict."""

    features: np.ndarray
    thresholds: np.ndarray
    leaves: np.ndarray


class Term(NamedTuple):
    """What a base estimator adds to the decision, and in which round it came in.

    ``values`` (class, q) is looked up by the class that the estimator predicts; one that predicts
    numbers has one row, by which they are multiplied. ``reach`` is the most that the term can do
    for or against a class, as far as training rows tell.
    """

    estimator: Any
    values: np.ndarray
    round: int
    reach: float


def make_term(base: FittedBase, values: np.ndarray, round: int) -> Term:
    """A term of the decision."""
    spread = np.abs(values[:, 0]) if values.shape[1] == 1 else np.ptp(values, axis=1)
    largest = 1.0 if base.outputs.dtype.kind == "i" else np.abs(base.outputs).max()
    return Term(base.estimator, values, round, float(spread.max() * largest))


def pick_preferred(decision: np.ndarray, reach: float | np.ndarray) -> np.ndarray:
    """The code that a decision (n, q) is for: the second of two equals, the first of several.

    Equal up to rounding, which grows with what was added up (at most ``reach``) and not with what
    it comes to. Else the order of rows would decide ties, and after a round of boosting they are
    common.
    """
    rounding = ROUNDING * reach
    if decision.shape[1] == 1:
        # sign(0) = +1, as in Martinez and Gray.
        return (decision[:, 0] >= -rounding).astype(int)
    enough = decision.max(axis=1) - rounding
    return (decision >= enough[:, None]).argmax(axis=1)


def compute_advantage(decision: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """By how much a decision (n, q) prefers the given class to the best of the others."""
    if decision.shape[1] == 1:
        return np.where(codes == 1, decision[:, 0], -decision[:, 0])
    own = codes[:, None] == np.arange(decision.shape[1])
    others = np.where(own, -np.inf, decision).max(axis=1)
    return decision[own] - others


def compute_averaging_factors(terms: Sequence[Term]) -> np.ndarray:
    """Factors by which terms add up to the mean, over all rounds, of decision over reach.

    Early rounds have not yet memorised the wrong labels, which makes them better judges.
    """
    rounds = np.array([term.round for term in terms])
    reach = np.bincount(rounds, [term.reach for term in terms]).cumsum()
    fraction = np.divide(1.0, reach, out=np.zeros(len(reach)), where=reach > 0) / len(reach)
    later = fraction[::-1].cumsum()[::-1]  # a term is part of the decision from its round on
    return later[rounds]


def add_up(terms: Sequence[Term], X: np.ndarray, factors: np.ndarray | None = None) -> np.ndarray:
    """Sum of what the terms add for each row, times factors: the decision, an array (n, q)."""
    factors = np.ones(len(terms)) if factors is None else factors
    sizes = np.array([_count_inner_nodes(term) for term in terms])
    # A booster that gives up on a class has a constant stump among its terms, of whatever kind.
    parts = [
        _add_up_alike(
            [t for t in terms if _count_inner_nodes(t) == size], X, factors[sizes == size]
        )
        for size in set(sizes.tolist())
    ]
    return parts[0] if len(parts) == 1 else np.sum(parts, axis=0)


def iterate_sums(terms: Sequence[Term], X: np.ndarray) -> Iterator[np.ndarray]:
    """The decision after one round, after two, and so on."""
    terms = sorted(terms, key=lambda term: term.round)
    ends = np.bincount([term.round for term in terms]).cumsum()
    sizes = {_count_inner_nodes(term) for term in terms}
    if len(sizes) == 1 and 0 not in sizes:
        # Stacked and transposed once; ``add_up`` would do so again for every round.
        trees = _stack(terms)
        columns = np.ascontiguousarray(X.T)
        decide = kernels("trees").decide
        parts = (decide(columns, *(part[a:b] for part in trees)) for a, b in pairwise([0, *ends]))
    else:
        parts = (add_up(terms[a:b], X) for a, b in pairwise([0, *ends]))
    return accumulate(parts)


def predict_codes(estimator: Any, X: np.ndarray) -> np.ndarray:
    """The codes of classes that one base estimator predicts."""
    if not isinstance(estimator, CompiledTree):
        return estimator.predict(X)
    # A term whose value for each class is the code of the class adds up to the prediction.
    codes = np.arange(estimator.leaves.max() + 1.0)[:, None]
    return add_up([Term(estimator, codes, 0, 1.0)], X)[:, 0].astype(int)


def _count_inner_nodes(term: Term) -> int:
    """Number of inner nodes of a compiled tree, 0 for other estimators."""
    return len(term.estimator.features) if isinstance(term.estimator, CompiledTree) else 0


def _add_up_alike(terms: Sequence[Term], X: np.ndarray, factors: np.ndarray) -> np.ndarray:
    if not _count_inner_nodes(terms[0]):
        pairs = zip(terms, factors, strict=True)
        return np.sum([factor * _compute_contribution(term, X) for term, factor in pairs], axis=0)
    features, thresholds, values = _stack(terms)
    trees = features, thresholds, values * factors[:, None, None]
    decide = kernels("trees").decide
    return map_blocks(
        lambda rows: decide(np.ascontiguousarray(X[rows].T), *trees),
        blocks(len(X), BATCH, width=X.shape[1]),
    )


def _stack(terms: Sequence[Term]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features, thresholds and leaf values of all trees."""
    return (
        np.array([term.estimator.features for term in terms]),
        np.array([term.estimator.thresholds for term in terms]),
        np.array([_get_leaf_values(term) for term in terms]),
    )


def _get_leaf_values(term: Term) -> np.ndarray:
    leaves = term.estimator.leaves
    return term.values[leaves] if leaves.dtype.kind == "i" else leaves[:, None] * term.values


def _compute_contribution(term: Term, X: np.ndarray) -> np.ndarray:
    outputs = term.estimator.predict(X)
    return term.values[outputs] if outputs.dtype.kind == "i" else outputs[:, None] * term.values
