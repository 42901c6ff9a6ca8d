"""Logistic regression with a loss that wrong labels leave unbiased."""

from functools import partial
from typing import Any

import numpy as np

from ..._validation import check_count, check_fraction
from .._softmax import class_log_proba, scores
from ._em import Labels, expectation
from ._linear import LinearClassifier
from ._linear_fit import minimise
from ._noise import known_transition


class UnbiasedLogisticRegression(LinearClassifier):
    """TODO."""

    def __init__(
        self,
        transition: Any,
        C: float = 1.0,
        *,
        fit_intercept: bool = True,
        max_iter: int = 200,
        tol: float = 1e-6,
        threshold: float | None = None,
        contamination: float | str | None = None,
    ) -> None:
        self.transition = transition
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def _fit_labels(self, X: Any, labels: Labels) -> None:
        T = known_transition(self.transition, self.classes_)
        task = self._task(X, labels)
        loss = partial(unbiased_loss, targets=np.linalg.inv(T)[labels.codes])
        beta, self.n_iter_ = minimise(
            task,
            loss,
            task.start(),
            gtol=check_fraction("tol", self.tol, high=np.inf),
            max_iter=check_count("max_iter", self.max_iter),
        )
        self._keep(beta)
        responsibilities, log_likelihood = expectation(
            class_log_proba(scores(X, beta)), T, labels.codes
        )
        self.log_likelihood_ = np.array([labels.weights @ log_likelihood])
        self._report_noise(T, responsibilities, labels.codes)


def unbiased_loss(log_proba: np.ndarray, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Log loss whose expectation over the labels of a class is the log loss of the class."""
    return -np.einsum("nc,nc->n", targets, log_proba), targets
