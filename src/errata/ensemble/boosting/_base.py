"""The base of boosters: rounds are added up to a decision, its margin judges the labels.

A base learner holds the training rows and is fitted again and again, each time to other weights:
``classify`` fits a classifier, ``regress`` a regressor. Either way it gives the fitted base
estimator with its predictions for the training rows; for others, terms are added up.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.metadata_routing import MetadataRouter

from ..._blocks import blocks, map_blocks
from ..._detector import DetectorMixin
from ..._kernels import kernels
from ..._random import clone_with_seed
from ..._routing import make_router, route_fit, take_params_of_rows
from ..._validation import (
    check_choice,
    check_count,
    check_known_labels,
    check_labelled,
    check_row_weights,
    check_rows,
)
from .._bagging import measure_hardness, selection_probabilities, takes_missing

BINNED_FROM = 100_000  # rows; with more, bins lose little and are several times faster
N_BINS = 255  # so that the number of a bin takes one byte

ROUNDING = 1e-12  # decisions this small, as a fraction of what they could be, are none
BATCH = 2**22  # numbers held at once when deciding on rows


class FittedBase(NamedTuple):
    """A fitted base estimator and its predictions for the training rows: codes or numbers."""

    estimator: Any
    outputs: np.ndarray

    def as_term(self, values: np.ndarray, round: int) -> "Term":
        """A term of the decision."""
        spread = np.abs(values[:, 0]) if values.shape[1] == 1 else np.ptp(values, axis=1)
        largest = 1.0 if self.outputs.dtype.kind == "i" else np.abs(self.outputs).max()
        return Term(self.estimator, values, round, float(spread.max() * largest))


# Base estimators, each with the value of every class it predicts, or the factor on its number.
Steps = list[tuple[FittedBase, np.ndarray]]


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
    """A base estimator's term of the decision, and the round in which it came in.

    ``values`` (class, q) is looked up by the class that the estimator predicts; one that predicts
    numbers has one row, by which they are multiplied. ``reach`` is the most that the term can do
    for or against a class, as far as training rows tell.
    """

    estimator: Any
    values: np.ndarray
    round: int
    reach: float

    @property
    def n_inner_nodes(self) -> int:
        """Of a compiled tree; 0 for other estimators."""
        return len(self.estimator.features) if isinstance(self.estimator, CompiledTree) else 0

    @property
    def leaf_values(self) -> np.ndarray:
        """The addition of each leaf of a compiled tree."""
        return self._look_up(self.estimator.leaves)

    def contribute(self, X: np.ndarray) -> np.ndarray:
        """The addition to the decision on each row, by an estimator that is no compiled tree."""
        return self._look_up(self.estimator.predict(X))

    def _look_up(self, outputs: np.ndarray) -> np.ndarray:
        is_code = outputs.dtype.kind == "i"
        return self.values[outputs] if is_code else outputs[:, None] * self.values


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
    sizes = np.array([term.n_inner_nodes for term in terms])
    # A booster that gives up on a class has a constant stump among its terms, of whatever kind.
    parts = [
        _add_up_alike([t for t in terms if t.n_inner_nodes == size], X, factors[sizes == size])
        for size in set(sizes.tolist())
    ]
    return parts[0] if len(parts) == 1 else np.sum(parts, axis=0)


def iterate_sums(terms: Sequence[Term], X: np.ndarray) -> Iterator[np.ndarray]:
    """The decision after one round, after two, and so on."""
    terms = sorted(terms, key=lambda term: term.round)
    ends = np.bincount([term.round for term in terms]).cumsum()
    sizes = {term.n_inner_nodes for term in terms}
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


def _add_up_alike(terms: Sequence[Term], X: np.ndarray, factors: np.ndarray) -> np.ndarray:
    if not terms[0].n_inner_nodes:
        pairs = zip(terms, factors, strict=True)
        return np.sum([factor * term.contribute(X) for term, factor in pairs], axis=0)
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
        np.array([term.leaf_values for term in terms]),
    )


class BoostedClassifier(ClassifierMixin, DetectorMixin, BaseEstimator):
    """A classifier that adds up base estimators, each fitted to what the others get wrong.

    A booster says in ``_boost`` which terms it adds up, and in ``_weigh`` how much each row counts
    in the round after a decision.
    """

    estimator: Any
    n_estimators: int
    max_depth: Any
    hardness: Any
    random_state: Any
    criterion = "gini"

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Boost on the labels ``y``, and judge each of them by its margin.

        Rows of no weight take no part in boosting, and are judged all the same. ``fit_params`` is
        metadata for ``estimator``, if metadata routing is enabled.
        """
        X, codes = check_labelled(self, X, y, min_classes=2, dtype=float, ensure_min_samples=2)
        weights = check_row_weights("sample_weight", sample_weight, len(codes))
        return self._fit_codes(X, codes, weights, route_fit(self, fit_params))

    def _fit_codes(
        self,
        X: np.ndarray,
        codes: np.ndarray,
        sample_weight: np.ndarray | None = None,
        fit_params: dict[str, Any] | None = None,
    ) -> Self:
        """Boost on rows and labels that have passed the checks; ``classes_`` is set."""
        weights = np.ones(len(codes)) if sample_weight is None else sample_weight
        self._check_parameters()
        random = check_random_state(self.random_state)
        weights = weights * self._hardness_factors(X, codes, random)
        self.start_weights_ = weights / weights.sum()
        used = np.flatnonzero(weights)  # a weight of 0 has no logarithm
        learner = make_base_learner(
            self.estimator,
            X[used],
            max_depth=self._tree_depth(),
            by_error=self.criterion == "error",
            random=random,
            fit_params=take_params_of_rows(fit_params or {}, len(X), used),
        )
        self._terms = self._boost(learner, codes[used], self.start_weights_[used])
        self.n_estimators_ = self._terms[-1].round + 1
        # Not the final decision, which has memorised wrong labels. Its reach is 1 after averaging.
        average = add_up(self._terms, X, compute_averaging_factors(self._terms))
        suspicion = (1 - compute_advantage(average, codes)) / 2
        self._conclude(
            suspicion.clip(0, 1), codes, pick_preferred(average, 1.0)
        )  # but for rounding
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The sum over the rounds: (n,) for two classes, positive for the second, else (n, K)."""
        decision = self._decide(X)
        return decision[:, 0] if decision.shape[1] == 1 else decision

    def predict(self, X: Any) -> np.ndarray:
        """The class that the rounds decide on."""
        decision = self._decide(X)
        return self.classes_[pick_preferred(decision, self._reach())]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class by the decision; good for ranking, too sure of itself."""
        return self._probabilities(self._decide(X))

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """The decision after one round, after two, and so on."""
        for decision in iterate_sums(self._terms, self._check_rows(X)):
            yield decision[:, 0] if decision.shape[1] == 1 else decision

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """The predicted classes after one round, after two, and so on."""
        for decision in iterate_sums(self._terms, self._check_rows(X)):
            yield self.classes_[pick_preferred(decision, self._reach())]

    def margins(self, X: Any, y: Any) -> np.ndarray:
        """How far the decision is in favour of the labels ``y``, from -1 to 1."""
        X = self._check_rows(X)
        codes = check_known_labels(y, self.classes_)
        check_consistent_length(X, codes)
        return self._margins(X, codes)

    def staged_data_weights(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Iterator[np.ndarray]:
        """The distribution over training rows that each round was fitted to, from these rows.

        ``sample_weight`` is what boosting started from; after a fit with ``hardness``, pass
        ``start_weights_``. Where each class has base estimators of its own (more than two classes,
        AdaBoost aside): the mean over the classes that took part in the round.
        """
        X = self._check_rows(X)
        codes = check_known_labels(y, self.classes_)
        check_consistent_length(X, codes)
        start = check_row_weights("sample_weight", sample_weight, len(codes))
        return self._iterate_weights(X, codes, start)

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata ``fit`` takes, and which it hands to ``estimator``."""
        # Compiled trees take no metadata, so that there is no part to route to.
        return make_router(self, estimator=self.estimator)

    def __sklearn_tags__(self) -> Any:
        """Declare that missing values are accepted where the base estimator accepts them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = (
            self.estimator is not None
            and takes_missing(self.estimator)
            and (self.hardness is None or takes_missing(self.hardness))
        )
        return tags

    def _check_parameters(self) -> None:
        check_count("n_estimators", self.n_estimators)
        self._tree_depth()
        check_choice("criterion", self.criterion, ("gini", "error"))

    def _tree_depth(self) -> int:
        # Trees are complete, in arrays of 2**max_depth leaves, whatever the rows need.
        return check_count("max_depth", self.max_depth, high=12)

    def _hardness_factors(
        self, X: np.ndarray, codes: np.ndarray, random: np.random.RandomState
    ) -> Any:
        """By how much each row's start weight is multiplied."""
        if self.hardness is None:
            return 1.0
        hardness, _ = measure_hardness(self.hardness, X, codes, self.classes_, random=random)
        return selection_probabilities(hardness)

    def _boost(self, learner: BaseLearner, codes: np.ndarray, weights: np.ndarray) -> list[Term]:
        """The terms to add up, at least one."""
        raise NotImplementedError

    def _weigh(self, decision: np.ndarray, codes: np.ndarray, stage: int) -> np.ndarray:
        """Weight of each row once ``stage`` rounds have led to this decision.

        Up to a factor, in a column for each base estimator of the round; zero where there is none.
        """
        raise NotImplementedError

    def _iterate_weights(
        self, X: np.ndarray, codes: np.ndarray, start: np.ndarray
    ) -> Iterator[np.ndarray]:
        decision = np.zeros((len(X), self._terms[0].values.shape[1]))
        for stage, after in enumerate(iterate_sums(self._terms, X)):
            weights = start[:, None] * self._weigh(decision, codes, stage)
            weights = weights[:, weights.any(axis=0)]  # the classes that still boost in this round
            yield (weights / weights.sum(axis=0)).mean(axis=1)
            decision = after

    def _staged_codes(self, X: np.ndarray) -> np.ndarray:
        """The code of the class that each base estimator predicts for each row, (n, T)."""
        return np.column_stack([predict_codes(term.estimator, X) for term in self._terms])

    def _probabilities(self, decision: np.ndarray) -> np.ndarray:
        # What minimises the exponential loss is half the log-odds (Friedman et al. 2000).
        p = expit(2 * decision)
        if decision.shape[1] == 1:
            return np.column_stack([1 - p[:, 0], p[:, 0]])
        # One against the rest, all classes may be so improbable that they vanish.
        total = p.sum(axis=1, keepdims=True)
        return np.where(total > 0, p / np.where(total > 0, total, 1), 1 / p.shape[1])

    def _margins(self, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
        return compute_advantage(add_up(self._terms, X), codes) / (self._reach() or 1.0)

    def _reach(self) -> float:
        return sum(term.reach for term in self._terms)

    def _decide(self, X: Any) -> np.ndarray:
        X = self._check_rows(X)
        return add_up(self._terms, X)

    def _check_rows(self, X: Any) -> np.ndarray:
        return check_rows(self, X, dtype=float)


def boost_one_vs_rest(
    boost: Callable[[np.ndarray], Steps], codes: np.ndarray, n_classes: int
) -> list[Term]:
    """The terms of ``boost(y)``, y being 1 and -1; for several classes, one boost for each."""
    if n_classes == 2:
        steps = boost(np.where(codes == 1, 1.0, -1.0))
        return [base.as_term(values[:, None], t) for t, (base, values) in enumerate(steps)]
    terms = []
    for k in range(n_classes):
        column = np.zeros(n_classes)
        column[k] = 1.0
        for t, (base, values) in enumerate(boost(np.where(codes == k, 1.0, -1.0))):
            terms.append(base.as_term(values[:, None] * column, t))
    return terms


def measure_agreement(decision: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """How far each column of a decision (n, q) is on the side of the row's class."""
    columns = np.arange(decision.shape[1]) if decision.shape[1] > 1 else np.ones(1)
    return decision * np.where(codes[:, None] == columns, 1, -1)
