"""Gaussian noise around a regression: the density of residuals, and the width of the noise."""

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import ndtri

from ..._warn import warn_user
from ._loop import Fit, Rule, reinforce

SCALE_UPDATES = ("paper", "joint")

_LOG_2_PI = np.log(2 * np.pi)


def gaussian_log_density(residuals: np.ndarray, scale: float) -> np.ndarray:
    """Log-density of each residual under N(0, scale²)."""
    return -_LOG_2_PI / 2 - np.log(scale) - (residuals / scale) ** 2 / 2


def weighted_scale(
    residuals: np.ndarray, weights: np.ndarray, *, floor: float, shrinkage: float = 0.0
) -> float:
    """Standard deviation of the noise (52), not below ``floor``.

    ``shrinkage`` is the penalty on the model, in the unit of a squared error, when the noise and
    the prior of the model share one width and the maximum is over both.
    """
    return max(floor, float(np.sqrt((weights @ residuals**2 + shrinkage) / weights.sum())))


def scale_floor(y: np.ndarray, weights: np.ndarray) -> float:
    """The narrowest noise to believe in: a fit closer than this has collapsed on a few rows."""
    mean = float(np.average(y, weights=weights))
    spread = float(np.sqrt(np.average((y - mean) ** 2, weights=weights)))
    return 1e-8 * (spread or abs(mean) or 1.0)  # a constant y has a size still, unless it is 0


@lru_cache(maxsize=64)
def clean_scale(mean_weight: float, penalty: str, n_points: int = 20_001) -> float:
    """How much narrower than the truth the noise looks on clean Gaussian data.

    Taking weight off the tails of a Gaussian narrows it even when no row is wrong. The factor is
    found by reinforcing a Gaussian on the quantiles of a standard normal sample.
    """
    x = ndtri((np.arange(n_points) + 0.5) / n_points)

    def maximise(weights: np.ndarray, _: float | None) -> Fit:
        scale = weighted_scale(x, weights, floor=1e-8)
        return Fit(scale, gaussian_log_density(x, scale))

    rule = Rule(penalty, log_alpha=None, mean_weight=mean_weight, max_iter=1000, tol=1e-7)
    ones = np.ones(n_points)
    return reinforce(maximise, rule, sample_weight=ones, w_init=ones).fit.params


def report_scale(estimator: Any, scale: float, *, floor: float) -> None:
    """Set ``scale_`` and ``collapsed_`` of a fitted regression, and say so if it collapsed."""
    factor = 1.0
    if estimator.consistent_scale and estimator.mean_weight_ < 1:
        # Rounded for the cache: the loop reaches the mean weight asked for to rounding error only.
        factor = clean_scale(round(estimator.mean_weight_, 6), estimator.reinforcement_penalty)
    estimator.scale_ = scale / factor
    # Judged before the correction: it is the fit that meets the floor.
    estimator.collapsed_ = bool(scale <= floor)
    if estimator.collapsed_:
        warn_user(
            "the noise has shrunk to nothing: the rows that kept a weight are fitted exactly, and "
            "their weights say little. Raise reinforcement or the penalty on the model, or check "
            "that y is not constant.",
        )
