"""What the reinforced estimators have in common: the parameters of the loop and what it leaves."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..._detector import DetectorMixin
from ..._validation import (
    check_choice,
    check_count,
    check_fraction,
    check_log_reinforcement,
    check_mean_weight,
    check_row_weights,
)
from ._loop import Degenerate, Maximise, Rule, reinforce
from ._weights import PENALTIES, abnormality, added_probabilities


class ReinforcedEstimator(DetectorMixin, BaseEstimator):
    """Runs the loop with a model plugged in, and keeps what it says about the rows."""

    reinforcement: float | str
    reinforcement_penalty: str
    mean_weight: float
    max_iter: int
    tol: float

    def _rule(self) -> Rule:
        return Rule(
            penalty=check_choice("reinforcement_penalty", self.reinforcement_penalty, PENALTIES),
            log_alpha=check_log_reinforcement(self.reinforcement),
            mean_weight=check_mean_weight(self.mean_weight),
            max_iter=check_count("max_iter", self.max_iter),
            tol=check_fraction("tol", self.tol),
        )

    def _reinforce(
        self, maximise: Maximise, *, sample_weight: np.ndarray, w_init: Any = None
    ) -> Any:
        """Run the loop, set the fitted attributes common to all, return the model's parameters."""
        rule = self._rule()
        w_init = check_row_weights("w_init", w_init, len(sample_weight), high=1)
        found = reinforce(maximise, rule, sample_weight=sample_weight, w_init=w_init)
        self.weights_ = found.weights
        self.log_likelihood_ = found.fit.log_p
        self.added_probabilities_ = added_probabilities(
            found.fit.log_p, found.log_alpha, rule.penalty
        )
        self.log_reinforcement_ = found.log_alpha
        with np.errstate(over="ignore"):  # inf, where alpha exceeds the largest float
            self.reinforcement_ = float(np.exp(found.log_alpha))
        self.mean_weight_ = float(np.average(found.weights, weights=sample_weight))
        self.objective_ = found.objective
        self.n_iter_ = found.n_iter
        self.converged_ = found.converged
        # Classifiers call it once more, with the predicted classes, for suggested_.
        self._conclude(abnormality(found.fit.log_p, found.log_alpha, rule.penalty))
        return found.fit.params


def require_every_class(row_weights: np.ndarray, codes: np.ndarray, classes: np.ndarray) -> None:
    """Raise when the rows of a class have lost their weight, so that a fit would forget it."""
    heaviest = np.zeros(len(classes))
    np.maximum.at(heaviest, codes, row_weights)
    gone = heaviest <= 1e-12 * row_weights.max()  # relative: sample weights have any unit
    if gone.any():
        raise Degenerate(
            f"no row of the class {classes[gone][0]} keeps any weight, and a fit would forget it"
        )
