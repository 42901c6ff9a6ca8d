"""A hidden class whose scores are linear in the features."""

from typing import Any

import numpy as np

from ..._validation import check_positive
from .._softmax import class_log_proba, scores
from ._base import HiddenClassClassifier
from ._em import Labels
from ._linear_fit import LinearTask


class LinearClassifier(HiddenClassClassifier):
    """Coefficients, and what they say of rows."""

    _sparse = True
    C: float
    fit_intercept: bool

    def _task(self, X: Any, labels: Labels) -> LinearTask:
        l2 = 1 / check_positive("C", self.C)
        return LinearTask(X, labels.weights, len(self.classes_), l2, bool(self.fit_intercept))

    def _keep(self, beta: np.ndarray) -> None:
        self.intercept_, self.coef_ = beta[:, 0], beta[:, 1:]

    def decision_function(self, X: Any) -> np.ndarray:
        """Score of the second of two classes, shape (n,), or of each of more, shape (n, K)."""
        eta = self._scores(X)
        return eta[:, 0] if eta.shape[1] == 1 else eta

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n, K)."""
        return np.exp(class_log_proba(self._scores(X)))

    def _scores(self, X: Any) -> np.ndarray:
        X = self._checked(X)
        return scores(X, np.column_stack([self.intercept_, self.coef_]))
