"""The local scale: how far right targets of a row like this spread around what is predicted."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.stats import cauchy, t

from ._models import TreesRegression
from ._settings import (
    CORE_TAIL,
    LARGEST_LOG_SCALE,
    LEAST_RESIDUAL,
    LEAST_TOLD_SKEW,
    MOST_RESIDUAL,
    POWERS,
    SCALE_LEAF,
    SCALE_TREES,
    SMALLEST_SCALE,
    WIDE_FRACTION,
    WIDE_SCALE,
)
from ._training import TargetData, robust_scale, weighted_quantile


class LocalScales(NamedTuple):
    """Two hypotheses of how noise varies between rows, each of shape (n + m,).

    All of what is predicted hides errors that cluster in a region; none of it calls legitimate
    noise errors.
    """

    whole: np.ndarray
    half: np.ndarray  # the geometric mean of that and its median
    power: float  # 0 where noise is even
    skew: float = 0.0  # above 0 where right targets spread further above what is predicted

    def skewed(self, residuals: np.ndarray) -> "LocalScales":
        """The same, wider on the side to which right targets are skewed, narrower on the other."""
        sides = np.ones(len(self.whole))
        sides[: len(residuals)] = np.exp(self.skew * np.sign(residuals))
        return self._replace(whole=sides * self.whole, half=sides * self.half)


def local_scales(
    data: TargetData,
    predictions: np.ndarray,
    pooled: np.ndarray,
    residuals: np.ndarray,
    weight: np.ndarray,
) -> LocalScales:
    """Learn the size of residuals from the features, and believe it as far as that is likely."""
    overall = max(robust_scale(residuals, weight), SMALLEST_SCALE)
    told = _predicted_size(data, predictions, pooled, residuals, overall)
    power, whole = _most_likely_power(told, residuals, weight, overall)
    half = np.sqrt(whole * np.median(whole[: len(data)]))
    skew = _skew(residuals / whole[: len(data)], weight)
    return LocalScales(whole, _rescaled(half, residuals, weight), power, skew)


def _predicted_size(
    data: TargetData,
    predictions: np.ndarray,
    pooled: np.ndarray,
    residuals: np.ndarray,
    overall: float,
) -> np.ndarray:
    """Logarithm of the size of residuals, out of bag, with mean 0.

    Sizes are clipped, so that errors do not make the scale by which they are judged.
    """
    spread = np.log(predictions.std(axis=0) + LEAST_RESIDUAL * overall)
    size = np.clip(np.abs(residuals), LEAST_RESIDUAL * overall, MOST_RESIDUAL * overall)
    leaf = int(np.clip(len(data) // 50, *SCALE_LEAF))
    X = np.column_stack([data.X, pooled, spread])
    trees = TreesRegression("local scale", True, SCALE_TREES, leaf)
    told = trees.predict_unseen(replace(data, X=X, targets=np.log(size), weight=None))
    return told - told[: len(data)].mean()


def _most_likely_power(
    told: np.ndarray, residuals: np.ndarray, weight: np.ndarray, overall: float
) -> tuple[float, np.ndarray]:
    """The power of the predicted size that makes residuals most likely, and the scale by it."""
    likelihoods, scales = [], []
    for power in POWERS:
        log_scale = np.clip(power * told, -LARGEST_LOG_SCALE, LARGEST_LOG_SCALE)
        scale = _rescaled(overall * np.exp(log_scale), residuals, weight)
        likelihoods.append(_log_likelihood(residuals, scale[: len(residuals)], overall))
        scales.append(scale)
    best = int(np.argmax(likelihoods))
    return float(POWERS[best]), scales[best]


def _log_likelihood(residuals: np.ndarray, scale: np.ndarray, overall: float) -> float:
    """Under a core by the scale of each row, and a few that are wide."""
    core = t.pdf(residuals / scale, CORE_TAIL) / scale
    wide = cauchy.pdf(residuals, scale=WIDE_SCALE * overall)
    return float(np.log((1 - WIDE_FRACTION) * core + WIDE_FRACTION * wide).sum())


def _rescaled(scale: np.ndarray, residuals: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The same up to a factor, so that residuals over it have a robust scale of one."""
    factor = robust_scale(residuals / scale[: len(residuals)], weight)
    return np.maximum(factor * scale, SMALLEST_SCALE)


def _skew(z: np.ndarray, weight: np.ndarray) -> float:
    """Half of the log ratio of what lies above the median to what lies below, between quartiles.

    Errors on one side lie beyond and hardly move it. What may be chance is none: in normal noise
    its standard error is 1.36 over the root of the number of rows.
    """
    low, median, high = (weighted_quantile(z, weight, level) for level in (0.25, 0.5, 0.75))
    skew = 0.5 * float(np.log((high - median) / (median - low))) if low < median < high else 0.0
    return skew if abs(skew) >= max(LEAST_TOLD_SKEW, 2 * 1.36 / np.sqrt(len(z))) else 0.0
