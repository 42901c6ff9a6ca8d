"""Skill: whether the models predict targets better than their mean does."""

import numpy as np

from .._settings import LEAST_SKILL
from ._findings import TargetModel
from ._rounds import TargetRound
from ._training import TargetPredictor


def targets_have_skill(
    found: TargetRound, targets: np.ndarray, units: np.ndarray | None = None
) -> bool:
    """Test the gain in Huber's loss over the center of the pool against zero.

    Rows of one of the ``units`` share their fate: the standard error counts units, not rows.
    """
    away = targets - found.pooled.center
    gain = found.weight * (_huber(away) - _huber(targets - found.pooled.predicted[: len(targets)]))
    units = np.arange(len(gain)) if units is None else units
    sums = np.bincount(units, weights=gain - gain.mean())
    error = float(np.sqrt(np.sum(sums**2)) / len(gain))
    return bool(gain.mean() > LEAST_SKILL * error and gain.mean() > 1e-12)


def _huber(residuals: np.ndarray) -> np.ndarray:
    inside = np.clip(residuals, -1, 1)
    return inside * (residuals - inside / 2)


def target_models_told(
    found: TargetRound, targets: np.ndarray, models: list[TargetPredictor]
) -> list[TargetModel]:
    """Name, weight and R² of each model, on rows in so far as they are right."""
    weight = 1 - found.posterior.rows.p_wrong
    mean = np.average(targets, weights=weight)
    total = weight @ (targets - mean) ** 2
    return [
        TargetModel(
            model.name, float(a), float(1 - weight @ (targets - f[: len(targets)]) ** 2 / total)
        )
        for model, a, f in zip(models, found.pooled.weights, found.predictions, strict=True)
    ]
