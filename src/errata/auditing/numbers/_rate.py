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
    estimate = float(np.mean([found.mean_rate for found in hypotheses]))
    low = min(_quantile(found, 0.05) for found in hypotheses)
    high = max(_quantile(found, 0.95) for found in hypotheses)
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


def _quantile(found: ScaleHypotheses, level: float) -> float:
    """Of the posterior, which may hold that nothing is wrong."""
    weights = np.r_[1 - found.p_errors, found.p_errors * found.weights.sum(axis=0)]
    return float(np.r_[0.0, TARGET_RATES][np.searchsorted(np.cumsum(weights), level)])
