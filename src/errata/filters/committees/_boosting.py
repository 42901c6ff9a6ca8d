"""Few rounds of AdaBoost: what they say against each label, in sums over the rounds."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._detector import flag
from ..._margins import favourite_other
from ..._validation import check_count, check_labelled
from ...ensemble import DiscreteAdaBoostClassifier
from ...ensemble.boosting._base_learners import make_base_learner
from ...ensemble.boosting._reweighting import PERFECT
from .._base import Verdict
from ._base import CommitteeFilter, Question

NATIVE_FRACTION = 0.05  # of the rows are flagged at most when no rule is given
MAX_DEPTH = 2  # of the compiled trees


class RoundSums(NamedTuple):
    """Sums of the weights a of rounds: of all, of those wrong about a row, of those for a class."""

    total: float
    wrong: np.ndarray  # (n,)
    towards: np.ndarray  # (n, K)


class BoostFilter(CommitteeFilter):
    """AdaBoost is the committee; a subclass says in ``_suspect`` what its rounds give away."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 15,
        threshold: float | None = None,
        contamination: float | None = None,
        min_per_class: int = 2,
        max_fraction: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.threshold = threshold
        self.contamination = contamination
        self.min_per_class = min_per_class
        self.max_fraction = max_fraction
        self.random_state = random_state

    def _suspect(self, sums: RoundSums) -> np.ndarray:
        raise NotImplementedError

    def _members(self, sparse: bool = False) -> Sequence[Any]:
        return [self._booster()]

    def _labelled(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        return check_labelled(self, X, y, min_classes=2, dtype=float, ensure_min_samples=2)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("n_estimators", self.n_estimators)

    def _judge(self, question: Question) -> Verdict:
        sums = self._add_up(question)
        # Where no round tells rows apart, as on data without errors, none is suspicious.
        suspicion = self._suspect(sums) if sums.total else np.zeros(len(question.codes))
        native = flag(suspicion, contamination=NATIVE_FRACTION) & (sums.wrong > 0)
        return Verdict(suspicion, favourite_other(sums.towards, question.codes), native)

    def _add_up(self, question: Question) -> RoundSums:
        X, codes, random, fit_params, _ = question
        n = len(codes)
        learner = make_base_learner(
            self.estimator,
            X,
            max_depth=MAX_DEPTH,
            by_error=False,
            random=random,
            fit_params=fit_params[0] if fit_params else {},
        )
        booster = self._booster()
        booster.classes_ = self.classes_  # the loop needs to know how many there are
        rounds = booster._rounds(learner, booster._distribution(np.full(n, 1 / n), codes))
        # The step is by how much the logarithms of weights grow: SAMME's a, also for two classes.
        steps = [(r.base.outputs, booster._step(r.alpha)) for r in rounds if r.error > PERFECT]
        return add_rounds(steps, codes, len(self.classes_))

    def _booster(self) -> DiscreteAdaBoostClassifier:
        return DiscreteAdaBoostClassifier(
            self.estimator, n_estimators=self.n_estimators, max_depth=MAX_DEPTH
        )


def add_rounds(
    rounds: Sequence[tuple[np.ndarray, float]], codes: np.ndarray, n_classes: int
) -> RoundSums:
    """Add up the weights of rounds, given what each predicts for the rows."""
    rows, total = np.arange(len(codes)), 0.0
    wrong, towards = np.zeros(len(codes)), np.zeros((len(codes), n_classes))
    for predicted, a in rounds:
        total += a
        # Not total minus towards[codes], which rounding would leave a little above 0.
        wrong += np.where(predicted != codes, a, 0.0)
        towards[rows, predicted] += a
    return RoundSums(total, wrong, towards)
