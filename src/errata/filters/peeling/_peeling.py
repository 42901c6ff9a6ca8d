"""The loop of noise peeling: boost, judge the rows by what boosting made of them, leave some out.

Martinez and Gray (2015) describe five ways of judging; each is a class with a file of its own.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter

from ..._detector import DetectorMixin, check_one_rule, flag
from ..._routing import params_of_rows, route_fit, router_of
from ..._validation import check_count, check_labelled, check_row_weights
from ...ensemble import DiscreteAdaBoostClassifier
from ...ensemble.boosting._decision import add_up
from .._base import Filter


class Rows(NamedTuple):
    """The rows that take part in a round, and their margins in the ensemble of that round."""

    X: np.ndarray
    codes: np.ndarray
    weights: np.ndarray
    margins: np.ndarray


class Peeler(DetectorMixin, Filter):
    """AdaBoost is the detector; a subclass says in ``_judge`` what gives a row away."""

    booster_: DiscreteAdaBoostClassifier

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 30,
        max_depth: int = 1,
        criterion: str = "gini",
        threshold: float | None = None,
        contamination: float | None = None,
        n_rounds: int = 1,
        max_fraction: float | None = 0.5,
        min_per_class: int = 2,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.criterion = criterion
        self.threshold = threshold
        self.contamination = contamination
        self.n_rounds = n_rounds
        self.max_fraction = max_fraction
        self.min_per_class = min_per_class
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Judge each label of ``y`` by AdaBoost, which starts from ``sample_weight``.

        ``fit_params`` is metadata for ``estimator``, if metadata routing is enabled.
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
        """Peel rows and labels that have passed the checks; ``classes_`` is set."""
        weights = np.ones(len(codes)) if sample_weight is None else sample_weight
        self._check_parameters()
        self._prepare(X, codes)
        self._peel(X, codes, weights, fit_params or {})
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata ``fit`` takes, and which it hands to ``estimator``."""
        return router_of(self, estimator=self.estimator)

    def __sklearn_tags__(self) -> Any:
        """Declare that missing values are accepted where AdaBoost accepts them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = get_tags(self._unfitted_booster()).input_tags.allow_nan
        return tags

    def _check_parameters(self) -> None:
        self._check_guards()
        check_count("n_rounds", self.n_rounds)
        check_one_rule(self.threshold, self.contamination)

    def _prepare(self, X: np.ndarray, codes: np.ndarray) -> None:
        """Find out what is needed before the first round; nothing, as a rule."""

    def _judge(self, rows: Rows) -> tuple[np.ndarray, float]:
        """Suspicion of each row, and the threshold that applies unless the user sets one."""
        raise NotImplementedError

    def _peel(
        self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray, fit_params: dict[str, Any]
    ) -> None:
        n = len(codes)
        suspicion, flagged, suggested = np.zeros(n), np.zeros(n, dtype=bool), codes.copy()
        went = np.full(n, -1)  # the round in which a row was left out
        for round_ in range(self.n_rounds):
            left = np.flatnonzero(went < 0)
            rows = self._boost(X, codes, weights, left, fit_params)
            if round_ == 0:
                self.margins_ = rows.margins
            suspicion[left], native = self._judge(rows)
            flagged[left] = self._flag(suspicion[left], native)
            # For all rows left: one that was flagged and spared before may be cleared now.
            suggested[left] = self._suggest(rows, flagged[left])
            budget = self._budget(n) - (n - len(left))
            gone = left[self._removable(flagged[left], suspicion[left], rows.codes, budget)]
            if len(gone) == 0:
                break
            went[gone] = round_
        # Margins, votes and rates lie in an interval of length 2: earlier rounds come out on top.
        suspicion[went >= 0] += 2.0 * (round_ - went[went >= 0])
        self.suspicion_, self.flagged_ = suspicion, flagged
        self.suggested_ = self.classes_[suggested]
        self.sample_indices_ = np.flatnonzero(went < 0)

    def _boost(
        self,
        X: np.ndarray,
        codes: np.ndarray,
        weights: np.ndarray,
        left: np.ndarray,
        fit_params: dict[str, Any],
    ) -> Rows:
        booster = self._unfitted_booster()
        some = X[left], codes[left], weights[left]
        routed = params_of_rows(fit_params, len(codes), left)
        # Labels were checked at the front door; the booster takes codes, and answers in labels.
        booster.classes_, booster.n_features_in_ = self.classes_, X.shape[1]
        if hasattr(self, "feature_names_in_"):
            booster.feature_names_in_ = self.feature_names_in_
        self.booster_ = booster._fit_codes(*some, routed)
        return Rows(*some, self.booster_._margins(some[0], some[1]))

    def _unfitted_booster(self) -> DiscreteAdaBoostClassifier:
        return DiscreteAdaBoostClassifier(
            self.estimator,
            n_estimators=self.n_estimators,
            max_depth=self.max_depth,
            criterion=self.criterion,
            random_state=self.random_state,
        )

    def _flag(self, suspicion: np.ndarray, native: float) -> np.ndarray:
        return flag(
            suspicion, threshold=self.threshold, contamination=self.contamination, native=native
        )

    def _agreement(self, rows: Rows) -> np.ndarray:
        """1 where a round gave a row its label and -1 where it did not, (n, T)."""
        right = self.booster_._staged_codes(rows.X) == rows.codes[:, None]
        return np.where(right, 1, -1).astype(np.int8)

    def _suggest(self, rows: Rows, flagged: np.ndarray) -> np.ndarray:
        """For flagged rows the class, other than the label, that the ensemble likes best."""
        suggested = rows.codes.copy()
        if len(self.classes_) == 2:
            suggested[flagged] = 1 - suggested[flagged]
        elif flagged.any():
            decision = add_up(self.booster_._terms, rows.X[flagged])
            decision[np.arange(len(decision)), suggested[flagged]] = -np.inf
            suggested[flagged] = decision.argmax(axis=1)
        return suggested
