"""How many targets are wrong, and between which bounds."""

from collections.abc import Sequence

import numpy as np

from .._noise_rate import NoiseRate
from ._posterior import ScaleHypotheses
from ._settings import HIDDEN, RATE_FACTOR, RATE_SLACK, TARGET_RATES


def rate_of_targets(hypotheses: Sequence[ScaleHypotheses], r2: float) -> NoiseRate:
    """The posterior mean, and an interval wider than the posterior's own.

    The tail of real residuals is no Student t, which the posterior does not know; and the less of
    the targets is explained (``r2``), the more errors may hide in what is not.
    """
    of_rates = [found.weights.sum(axis=0) for found in hypotheses]
    estimate = float(np.mean([weights @ TARGET_RATES for weights in of_rates]))
    low = min(_quantile(weights, 0.05) for weights in of_rates)
    high = max(_quantile(weights, 0.95) for weights in of_rates)
    return NoiseRate(
        estimate,
        max(0.0, low / RATE_FACTOR - RATE_SLACK),
        min(1.0, high * RATE_FACTOR + RATE_SLACK + HIDDEN * float(np.clip(1 - r2, 0, 1))),
    )


def _quantile(weights: np.ndarray, level: float) -> float:
    return float(TARGET_RATES[np.searchsorted(np.cumsum(weights), level * weights.sum())])
