"""Pooling: the predictions of all models become one, by weights that wrong targets hardly move."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from ._settings import FITTED_ROWS, HUBER, HUBER_RIDGE, SMALLEST_SCALE
from ._training import robust_scale


class PooledTargets(NamedTuple):
    """One prediction a row: center + sum of weights times (predictions - center)."""

    predicted: np.ndarray
    weights: np.ndarray
    center: float


def pool_predictions(
    predictions: np.ndarray,
    targets: np.ndarray,
    weight: np.ndarray,
    random: np.random.Generator,
) -> PooledTargets:
    """Pool predictions of shape (models, n + m); the first n rows have targets and weights."""
    center = float(np.average(targets, weights=weight))
    n = len(targets)
    rows = np.arange(n) if n <= FITTED_ROWS else random.choice(n, FITTED_ROWS, replace=False)
    scales = [robust_scale(told[rows] - targets[rows], weight[rows]) for told in predictions]
    delta = max(HUBER * min(scales), SMALLEST_SCALE)
    weights = huber_weights(
        predictions[:, rows].T - center, targets[rows] - center, weight[rows], delta
    )
    return PooledTargets(center + weights @ (predictions - center), weights, center)


def huber_weights(
    F: np.ndarray, t: np.ndarray, w: np.ndarray, delta: float, ridge: float = HUBER_RIDGE
) -> np.ndarray:
    """Weights ``a >= 0`` with the smallest sum of w huber(t - F a), beside a small ridge."""
    k, ridge = F.shape[1], ridge * delta**2 * w.sum()

    def loss(a: np.ndarray) -> tuple[float, np.ndarray]:
        r = t - F @ a
        inside = np.clip(r, -delta, delta)
        value = w @ (inside * (r - inside / 2)) + ridge * a @ a
        return value / unit, (2 * ridge * a - (w * inside) @ F) / unit

    unit, start = 1.0, np.full(k, 1 / k)
    unit = max(loss(start)[0], np.finfo(float).tiny)  # the search stops at changes of 1e-12 of it
    options = {"maxiter": 500, "ftol": 1e-12, "gtol": 1e-8}
    bounds = [(0, None)] * k
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
