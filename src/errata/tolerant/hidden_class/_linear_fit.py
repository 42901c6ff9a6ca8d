"""Linear scores of classes under a loss that depends on the label: value, slope, minimum.

One fit serves the likelihood of a noisy label and the unbiased loss. Both have the slope
``p - target`` in the scores, p being the probabilities of the classes: the target is what the label
says of the class. Two classes have one row of coefficients, the second's, as in
:mod:`errata.tolerant._softmax`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from ..._warn import warn_user
from .._softmax import class_log_proba, scores

# log P(class | x), (n, K) -> the loss of each row, (n,), and its target, (n, K)
Loss = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


class LinearTask(NamedTuple):
    """Rows, their weights, the penalty on the coefficients and whether there are intercepts."""

    X: Any
    weights: np.ndarray
    n_classes: int
    l2: float
    fit_intercept: bool

    def start(self) -> np.ndarray:
        """Coefficients of nought, the first column being intercepts."""
        return np.zeros((1 if self.n_classes == 2 else self.n_classes, self.X.shape[1] + 1))


def value_and_gradient(task: LinearTask, loss: Loss, beta: np.ndarray) -> tuple[float, np.ndarray]:
    """Weighted loss plus ``l2 / 2`` times the squared coefficients, and its gradient."""
    log_proba = class_log_proba(scores(task.X, beta))
    row_loss, target = loss(log_proba)
    value = task.weights @ row_loss + task.l2 / 2 * (beta[:, 1:] ** 2).sum()
    # Of two classes only the second has parameters.
    surprise = (task.weights[:, None] * (np.exp(log_proba) - target))[:, -len(beta) :]
    of_intercepts = surprise.sum(axis=0) if task.fit_intercept else np.zeros(len(beta))
    of_coefficients = (task.X.T @ surprise).T + task.l2 * beta[:, 1:]
    return float(value), np.column_stack([of_intercepts, of_coefficients])


def minimise(
    task: LinearTask, loss: Loss, beta: np.ndarray, *, gtol: float = 1e-6, max_iter: int = 5000
) -> tuple[np.ndarray, int]:
    """The coefficients of least loss that L-BFGS finds from ``beta``, and in how many steps."""

    def objective(theta: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = value_and_gradient(task, loss, theta.reshape(beta.shape))
        return value, gradient.ravel()

    options = {"maxiter": max_iter, "maxfun": 20_000, "maxcor": 20, "gtol": gtol, "ftol": 1e-15}
    found = minimize(objective, beta.ravel(), jac=True, method="L-BFGS-B", options=options)
    if found.nit >= max_iter:
        warn_user(
            f"the coefficients had not settled after {max_iter} steps; scale the features, or "
            "raise max_iter.",
            ConvergenceWarning,
        )
    return found.x.reshape(beta.shape), int(found.nit)
