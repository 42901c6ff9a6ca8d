"""What the boosters share: rounds are added up to a decision, its margin judges the labels."""

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.metadata_routing import MetadataRouter

from ..._detector import DetectorMixin
from ..._routing import make_router, route_fit, take_params_of_rows
from ..._validation import (
    check_choice,
    check_count,
    check_known_labels,
    check_labelled,
    check_row_weights,
    check_rows,
)
from .._bags import measure_hardness, selection_probabilities, takes_missing
from ._base_learners import (
    BaseLearner,
    FittedBase,
    Term,
    add_up,
    compute_advantage,
    compute_averaging_factors,
    iterate_sums,
    make_base_learner,
    make_term,
    pick_preferred,
    predict_codes,
)

# Base estimators, each with the value of every class it predicts, or the factor on its number.
Steps = list[tuple[FittedBase, np.ndarray]]


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
        """What the rounds add up to: (n,) for two classes, positive for the second, else (n, K)."""
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
        return [make_term(base, values[:, None], t) for t, (base, values) in enumerate(steps)]
    terms = []
    for k in range(n_classes):
        column = np.zeros(n_classes)
        column[k] = 1.0
        for t, (base, values) in enumerate(boost(np.where(codes == k, 1.0, -1.0))):
            terms.append(make_term(base, values[:, None] * column, t))
    return terms


def measure_agreement(decision: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """How far each column of a decision (n, q) is on the side of the row's class."""
    columns = np.arange(decision.shape[1]) if decision.shape[1] > 1 else np.ones(1)
    return decision * np.where(codes[:, None] == columns, 1, -1)
