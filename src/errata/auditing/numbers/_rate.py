"""How many targets are wrong, and between which bounds."""

from collections.abc import Sequence

import numpy as np

from .._noise_rate import NoiseRate
from ._posterior import ScaleHypotheses
from ._settings import HIDDEN, MOST_TOLD, RATE_FACTOR, RATE_SLACK, TARGET_RATES


def rate_of_targets(hypotheses: Sequence[ScaleHypotheses], r2: float) -> NoiseRate:
    """The posterior mean, and an interval wider than the posterior's own.

    The tail of real residuals is no Student t, which the posterior does not know; and the less of
    the targets is explained (``r2``), the more errors may hide in what is not. A rate beyond a
    quarter may be none: so many targets that are far off may as well be right and spread unevenly.
    """
    of_rates = [found.weights.sum(axis=0) for found in hypotheses]
    estimate = float(np.mean([weights @ TARGET_RATES for weights in of_rates]))
    low = min(_quantile(weights, 0.05) for weights in of_rates)
    high = max(_quantile(weights, 0.95) for weights in of_rates)
    return NoiseRate(
        estimate,
        0.0 if estimate > MOST_TOLD else max(0.0, low / RATE_FACTOR - RATE_SLACK),
        min(1.0, high * RATE_FACTOR + RATE_SLACK + HIDDEN * float(np.clip(1 - r2, 0, 1))),
    )


def rate_notes(rate: NoiseRate) -> list[str]:
    """What must be said of a rate that the noise model can hardly tell."""
    if rate.estimate <= MOST_TOLD:
        return []
    return [
        f"{rate.estimate:.0%} of the targets look wrong. So many errors look like right targets "
        "that spread unevenly or have long tails: part or all of them may be right and unusual."
    ]


def _quantile(weights: np.ndarray, level: float) -> float:
    return float(TARGET_RATES[np.searchsorted(np.cumsum(weights), level * weights.sum())])
