"""Skill: whether the models predict targets better than their mean does."""

import numpy as np

from ._findings import TargetModel
from ._rounds import TargetRound
from ._settings import CENTER_STEPS
from ._training import TargetPredictor


def skill_of_targets(first: TargetRound, units: np.ndarray | None = None) -> float:
    """Mean gain in Huber's loss over the best constant, in standard errors.

    It is that of the first round: the second has left out what was predicted badly, and whatever
    is left looks predictable. Rows of one of the ``units`` share their fate: the standard error
    counts units, not rows.
    """
    targets = first.residuals + first.pooled.predicted[: len(first.residuals)]
    gain = _huber(targets - _best_constant(targets)) - _huber(first.residuals)
    units = np.arange(len(gain)) if units is None else units
    sums = np.bincount(units, weights=gain - gain.mean())
    error = float(np.sqrt(np.sum(sums**2)) / len(gain))
    return float(gain.mean() / error) if error > 1e-12 else 0.0


def _best_constant(targets: np.ndarray) -> float:
    """That with the smallest loss; a mean would lose against medians without any skill."""
    center = float(np.median(targets))
    for _ in range(CENTER_STEPS):
        center += float(np.clip(targets - center, -1, 1).mean())
    return center


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
