"""Logistic regression of a hidden class."""

from functools import partial
from typing import Any

import numpy as np

from .._softmax import class_log_proba, scores
from ._base import NoiseLearningClassifier
from ._em import ClassFit, Labels, Round, expectation, objective_settled
from ._linear import LinearClassifier
from ._linear_fit import LinearTask, minimise


class RobustLogisticRegression(LinearClassifier, NoiseLearningClassifier):
    """TODO."""

    def __init__(
        self,
        C: float = 1.0,
        *,
        fit_intercept: bool = True,
        noise: str = "full",
        transition: Any = None,
        learn_transition: bool = True,
        init_error: float = 0.2,
        prior_strength: float = 2.0,
        max_iter: int = 200,
        tol: float = 1e-6,
        threshold: float | None = None,
        contamination: float | str | None = None,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.noise = noise
        self.transition = transition
        self.learn_transition = learn_transition
        self.init_error = init_error
        self.prior_strength = prior_strength
        self.max_iter = max_iter
        self.tol = tol
        self.threshold = threshold
        self.contamination = contamination

    def _fit_labels(self, X: Any, labels: Labels) -> None:
        settled = objective_settled if self.learn_transition else _at_once
        last = self._learn(LogisticStep(self._task(X, labels), labels.codes), labels, settled)
        self._keep(last.fit.params)


class LogisticStep:
    """The class step: coefficients that maximise the likelihood of the labels under T.

    Responsibilities are not held while the coefficients move: they follow them.
    """

    def __init__(self, task: LinearTask, codes: np.ndarray) -> None:
        self.task, self.codes = task, codes
        as_if_right = partial(label_loss, transition=np.eye(task.n_classes), codes=codes)
        self.beta, _ = minimise(task, as_if_right, task.start())

    def __call__(self, responsibilities: np.ndarray, transition: np.ndarray) -> ClassFit:
        """Coefficients for this T, from those of the round before."""
        loss = partial(label_loss, transition=transition, codes=self.codes)
        self.beta, _ = minimise(self.task, loss, self.beta)
        penalty = self.task.l2 / 2 * float((self.beta[:, 1:] ** 2).sum())
        return ClassFit(self.beta, class_log_proba(scores(self.task.X, self.beta)), penalty)


def label_loss(
    log_proba: np.ndarray, transition: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How unlikely each label is under T, and what it says of the class."""
    responsibilities, log_likelihood = expectation(log_proba, transition, codes)
    return -log_likelihood, responsibilities


def _at_once(tol: float, before: Round | None, now: Round) -> bool:
    """Nothing else moves where T is known."""
    return True
