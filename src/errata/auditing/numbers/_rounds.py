"""Rounds: models are fitted to all rows, then once more without those that are probably wrong.

A third round brings nothing and overestimates the rate.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..._progress import Progress
from ._local_scale import LocalScales, local_scales
from ._pooling import PooledTargets, pool_predictions
from ._posterior import TargetPosterior, target_posterior
from ._settings import LATER_CLIP, LEAST_ROW_WEIGHT
from ._target_scale import start_clipped
from ._training import TargetData, TargetPredictor, row_weights


class TargetRound(NamedTuple):
    """What one round found, on the scale of the targets."""

    predictions: np.ndarray  # (models, n + m)
    pooled: PooledTargets
    scales: LocalScales
    residuals: np.ndarray
    posterior: TargetPosterior
    told: TargetPosterior  # the same, if right residuals are as skewed as most of them are
    weight: np.ndarray  # of the rows it learnt from


class Start(NamedTuple):
    """What a round knows of an earlier one."""

    p_wrong: np.ndarray
    predicted: np.ndarray
    spread: np.ndarray


def first_round(
    models: Sequence[TargetPredictor],
    data: TargetData,
    known: np.ndarray,
    *,
    progress: Progress | None = None,
) -> TargetRound:
    """Learn from all targets alike, and judge them, both as clipped at the start."""
    clipped = start_clipped(data.targets)
    trusted = np.ones(len(data), dtype=bool)
    return _round(models, replace(data, targets=clipped), clipped, trusted, known, progress)


def next_round(
    models: Sequence[TargetPredictor],
    data: TargetData,
    known: np.ndarray,
    start: Start,
    *,
    progress: Progress | None = None,
) -> TargetRound:
    """Learn less from targets that are probably wrong, and judge them as they are."""
    p_wrong = np.where(known, 0.0, start.p_wrong)
    weight, reach = np.maximum(1 - p_wrong, LEAST_ROW_WEIGHT), LATER_CLIP * start.spread
    clipped = np.clip(data.targets, start.predicted - reach, start.predicted + reach)
    as_they_are = (p_wrong < 0.5) & _predicted_far(data.targets, start.predicted)
    learnt = replace(data, targets=np.where(as_they_are, data.targets, clipped), weight=weight)
    return _round(models, learnt, data.targets, p_wrong < 0.5, known, progress)


def _predicted_far(targets: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Whether a row that was clipped at the start was predicted to be out there.

    That is how a rare regime, however far, shows after a round of clipped targets.
    """
    clipped = start_clipped(targets)
    return (clipped != targets) & (predicted * np.sign(clipped) > np.abs(clipped) / 2)


def start_from(found: TargetRound, n: int) -> Start:
    """What the next round knows of this one."""
    rows = found.posterior.rows
    return Start(rows.p_wrong, found.pooled.predicted[:n], rows.spread[:n])


def _round(
    models: Sequence[TargetPredictor],
    data: TargetData,
    judged: np.ndarray,
    trusted: np.ndarray,
    known: np.ndarray,
    progress: Progress | None,
) -> TargetRound:
    """``judged`` are the targets that residuals are taken of, ``data`` has those to learn from."""
    told = []
    for model in models:
        if progress is not None:
            progress(f"fitting {model.name}")
        told.append(model.predict_unseen(data))
    predictions, weight = np.stack(told), row_weights(data)
    random = np.random.default_rng(data.random_state)
    pooled = pool_predictions(predictions, data.targets, weight, random)
    residuals = judged - pooled.predicted[: len(data)]
    if progress is not None:
        progress("computing the posterior")
    scales = local_scales(data, predictions, pooled.predicted, residuals, weight)
    posterior = skewed = target_posterior(residuals, judged, scales, trusted, ~known, random)
    if scales.skew:
        sided = scales.skewed(residuals)
        skewed = target_posterior(residuals, judged, sided, trusted, ~known, random)
    return TargetRound(predictions, pooled, scales, residuals, posterior, skewed, weight)
