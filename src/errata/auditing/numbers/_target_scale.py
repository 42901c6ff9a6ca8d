"""The scale of targets: models and noise see numbers around 0, most of them between -1 and 1."""

from typing import NamedTuple

import numpy as np

from ._settings import START_CLIP


class TargetScale(NamedTuple):
    """(y - center) / spread, or the same of the logarithm of y."""

    center: float
    spread: float
    logs: bool = False

    def apply(self, targets: np.ndarray) -> np.ndarray:
        """Targets on this scale."""
        return ((np.log(targets) if self.logs else targets) - self.center) / self.spread

    def undo(self, values: np.ndarray) -> np.ndarray:
        """Values on this scale, in the units of the targets."""
        values = self.center + self.spread * values
        return np.exp(values) if self.logs else values


def scale_of(targets: np.ndarray, *, logs: bool = False) -> TargetScale:
    """By the median and the larger of two robust spreads; of many equal targets, the deviation."""
    values = np.log(targets) if logs else targets
    low, center, high = np.quantile(values, [0.25, 0.5, 0.75])
    spread = max(1.4826 * np.median(np.abs(values - center)), (high - low) / 1.349)
    spread = spread if spread > 0 else values.std()
    if not spread > 0:
        raise ValueError(
            f"all targets are {targets[0]:g}, so that none can be wrong; pass a target that varies."
        )
    return TargetScale(float(center), float(spread), logs)


def start_clipped(values: np.ndarray) -> np.ndarray:
    """Values no further than ten spreads beyond the quartiles.

    A rare but legitimate regime far from the rest is not taken for errors before it was learnt.
    """
    low, high = np.quantile(values, [0.25, 0.75])
    return np.clip(values, low - START_CLIP, high + START_CLIP)
