"""The scale of targets: models and noise see numbers around 0, most of them between -1 and 1."""

from typing import NamedTuple

import numpy as np

from ._settings import LEAST_SKEW, LOG_QUANTILE, MOSTLY_POSITIVE, SKEW_QUANTILES, START_CLIP


class TargetScale(NamedTuple):
    """(y - center) / spread, or the same of the logarithm of y."""

    center: float
    spread: float
    floor: float | None = None  # of logarithms: smaller targets count as this; None without logs

    @property
    def logs(self) -> bool:
        """Whether values are logarithms."""
        return self.floor is not None

    def apply(self, targets: np.ndarray) -> np.ndarray:
        """Targets on this scale."""
        values = targets if self.floor is None else np.log(np.maximum(targets, self.floor))
        return (values - self.center) / self.spread

    def log_slope(self, targets: np.ndarray) -> np.ndarray:
        """Log of the derivative, by which densities on this scale are those of the targets."""
        return -np.log(self.spread) - (np.log(np.maximum(targets, self.floor)) if self.floor else 0)

    def undo(self, values: np.ndarray) -> np.ndarray:
        """Values on this scale, in the units of the targets."""
        values = self.center + self.spread * values
        return np.exp(values) if self.logs else values


def scale_of(targets: np.ndarray, *, logs: bool = False) -> TargetScale:
    """By the median and the larger of two robust spreads; of many equal targets, the deviation."""
    floor = log_floor(targets) if logs else None
    values = targets if floor is None else np.log(np.maximum(targets, floor))
    low, center, high = np.quantile(values, [0.25, 0.5, 0.75])
    spread = max(1.4826 * np.median(np.abs(values - center)), (high - low) / 1.349)
    spread = spread if spread > 0 else values.std()
    if not spread > 0:
        raise ValueError(
            f"all targets are {targets[0]:g}, so that none can be wrong; pass a target that varies."
        )
    return TargetScale(float(center), float(spread), floor)


def log_floor(targets: np.ndarray) -> float:
    """A tenth of what nearly all positive targets exceed: what is below is as far out as that."""
    return float(np.quantile(targets[targets > 0], LOG_QUANTILE)) / 10


def may_be_logs(targets: np.ndarray) -> bool:
    """Whether logarithms are worth a try: targets are positive, but for few, and skewed."""
    if np.mean(targets > 0) < MOSTLY_POSITIVE:
        return False
    low, middle, high = np.quantile(targets, SKEW_QUANTILES)
    return bool(high - middle > LEAST_SKEW * (middle - low))


def start_clipped(values: np.ndarray) -> np.ndarray:
    """Values no further than ten spreads beyond the quartiles.

    A rare but legitimate regime far from the rest is not taken for errors before it was learnt.
    """
    low, high = np.quantile(values, [0.25, 0.75])
    return np.clip(values, low - START_CLIP, high + START_CLIP)
