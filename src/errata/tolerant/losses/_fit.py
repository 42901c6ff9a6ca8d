"""Fitting scores, linear in features, to a loss that may not be convex.

The convex relative of the loss is fitted first, as wherever the descent ends depends on where it
starts; from there on the objective never rises.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from .._softmax import scores


class WeightedRows(NamedTuple):
    """Features and label codes, weight of each row (and score), and of each squared coefficient."""

    Z: np.ndarray
    codes: np.ndarray
    weights: np.ndarray
    penalty: np.ndarray


class Descent(NamedTuple):
    """Coefficients (q, 1 + d), intercepts first; the objective at each step; whether it settled."""

    beta: np.ndarray
    objective: list[float]
    converged: bool


def fit_scores(
    loss: Any, rows: WeightedRows, n_scores: int, *, max_iter: int, tol: float
) -> Descent:
    """Descend on the sum of weighted losses and half the penalty, from the fit of its relative."""
    zeros = np.zeros((n_scores, rows.Z.shape[1] + 1))
    start = descend(loss.convex, rows, zeros, max_iter=max_iter, tol=tol).beta
    step = _descend_in_turns if hasattr(loss, "counts") else descend
    return step(loss, rows, start, max_iter=max_iter, tol=tol)


def objective(loss: Any, rows: WeightedRows, beta: np.ndarray) -> float:
    """The sum of weighted losses and half the weighted squared coefficients."""
    losses = rows.weights * loss.value(scores(rows.Z, beta), rows.codes)
    return float(losses.sum() + (rows.penalty * beta[:, 1:] ** 2).sum() / 2)


def gradient(loss: Any, rows: WeightedRows, beta: np.ndarray) -> np.ndarray:
    """Its derivative by the coefficients."""
    slope = rows.weights * loss.slope(scores(rows.Z, beta), rows.codes)
    return np.column_stack([slope.sum(axis=0), slope.T @ rows.Z + rows.penalty * beta[:, 1:]])


def descend(
    loss: Any, rows: WeightedRows, beta: np.ndarray, *, max_iter: int, tol: float
) -> Descent:
    """L-BFGS, with the objective at each of its steps."""
    total = rows.weights.sum()  # so that tol means the same for any number of rows

    def both(theta: np.ndarray) -> tuple[float, np.ndarray]:
        current = theta.reshape(beta.shape)
        slope = gradient(loss, rows, current)
        return objective(loss, rows, current) / total, slope.ravel() / total

    values = [objective(loss, rows, beta)]
    options = {"maxiter": max_iter, "maxfun": 5 * max_iter, "maxcor": 30, "gtol": tol, "ftol": 0}
    found = minimize(
        both,
        beta.ravel(),
        jac=True,
        method="L-BFGS-B",
        options=options,
        callback=lambda intermediate_result: values.append(total * intermediate_result.fun),
    )
    # A line search that fails is at the precision of the objective: as low as it gets.
    return Descent(found.x.reshape(beta.shape), values, found.status != 1)


def _descend_in_turns(
    loss: Any, rows: WeightedRows, beta: np.ndarray, *, max_iter: int, tol: float
) -> Descent:
    """Fit the convex loss to the rows below the cap, until these are the same as before.

    The concave-convex procedure: with the capped rows at their cap, the convex loss of the others
    is above the objective, and touches it where the last fit ended.
    """
    values, before = [objective(loss, rows, beta)], None
    for _ in range(max_iter):
        counted = loss.counts(scores(rows.Z, beta), rows.codes)
        if before is not None and np.array_equal(counted, before):
            return Descent(beta, values, True)
        below = rows._replace(weights=rows.weights * counted)
        beta = descend(loss.convex, below, beta, max_iter=max_iter, tol=tol).beta
        values.append(objective(loss, rows, beta))
        before = counted
    return Descent(beta, values, False)
