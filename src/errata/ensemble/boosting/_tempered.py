"""What MadaBoost, AveBoost2 and ORBoost share: AdaBoost's votes, on weights that are held back."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ._decision import FittedBase
from ._reweighting import ReweightingBooster, Round, samme_weight

NO_ERROR = 1e-10  # the error that a base estimator without any counts with


class TemperedBooster(ReweightingBooster):
    """AdaBoost whose weights cannot grow for ever on rows that stay wrong."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        max_depth: int | None = None,
        hardness: Any = None,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.hardness = hardness
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def _tree_depth(self) -> int:
        if self.max_depth is None:  # a stump names two classes at most
            return 1 if len(self.classes_) == 2 else 2
        return super()._tree_depth()

    def _perfect(self, base: FittedBase, error: float, t: int) -> Iterator[Round]:
        yield Round(base, samme_weight(NO_ERROR, len(self.classes_)), error)

    def _staged_weights(
        self, X: np.ndarray, codes: np.ndarray, start: np.ndarray
    ) -> Iterator[np.ndarray]:
        distribution = self._distribution(start / start.sum(), codes)
        weights: np.ndarray | None = distribution.start
        for outputs, alpha in zip(self._staged_codes(X).T, self.estimator_weights_, strict=True):
            if weights is None:  # other rows than in fit: a class of theirs would be lost
                return
            yield weights
            weights = distribution.after(outputs, self._step(alpha))

    def _probabilities(self, decision: np.ndarray) -> np.ndarray:
        if decision.shape[1] > 1:
            return decision / self._reach()
        second = (1 + decision[:, 0] / self._reach()) / 2
        return np.column_stack([1 - second, second])
