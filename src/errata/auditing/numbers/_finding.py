"""The stages of an audit of numeric targets, on one page."""

from typing import Any, NamedTuple

import numpy as np

from ..._compat import take_rows
from .._noise_rate import NoiseRate
from .._settings import MOST_WITHOUT_SKILL
from ._brought import NOTHING_BROUGHT, BroughtPredictions, target_models_of
from ._findings import TargetFindings
from ._rate import rate_of_targets
from ._rounds import Progress, TargetRound, first_round, next_round, start_from
from ._settings import CLEAR_KIND
from ._target_scale import TargetScale, scale_of
from ._target_skill import target_models_told, targets_have_skill
from ._training import TargetData, TargetPredictor


class TargetTask(NamedTuple):
    """Rows in the order in which they are worked on, models, and the scale of the targets."""

    order: np.ndarray  # rows with a target, then rows without
    data: TargetData
    models: list[TargetPredictor]
    known: np.ndarray  # of the rows with a target
    scale: TargetScale

    def in_given_order(self, values: np.ndarray, otherwise: Any = 0.0) -> np.ndarray:
        """Values of all rows, or of those with a target, in the order in which rows were given."""
        spread = np.full(len(self.order), otherwise, dtype=values.dtype)
        spread[self.order[: len(values)]] = values
        return spread


def find_wrong_targets(
    X: np.ndarray | None,
    targets: np.ndarray,
    *,
    table: Any = None,
    groups: np.ndarray | None = None,
    brought: BroughtPredictions = NOTHING_BROUGHT,
    known: np.ndarray | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> TargetFindings:
    """Find wrong targets.

    Parameters
    ----------
    X : array of float of shape (n, d) or None
        Numeric features, each with mean 0 and standard deviation 1; None with predictions alone.
    targets : array of float of shape (n,)
        The targets; NaN where a row has none.
    table : table, optional
        What an ``estimator`` of the user learns from; ``X`` when not given.
    groups : array of int of shape (n,), optional
        The number of each row's group where rows must be left out together.
    brought : BroughtPredictions
        The models that the user brings.
    known : array of bool of shape (n,), optional
        Targets that are certain.
    seed : int, default=0
    n_jobs : int, optional
    progress : callable, optional
        It is told each stage in a few words.
    """
    task = target_task(
        X,
        targets,
        table=table,
        groups=groups,
        brought=brought,
        known=known,
        seed=seed,
        n_jobs=n_jobs,
    )
    first = first_round(task.models, task.data, task.known, progress=progress)
    start = start_from(first, len(task.data))
    last = next_round(task.models, task.data, task.known, start, progress=progress)
    return findings_of(task, last)


def target_task(
    X: np.ndarray | None,
    targets: np.ndarray,
    *,
    table: Any,
    groups: np.ndarray | None,
    brought: BroughtPredictions,
    known: np.ndarray | None,
    seed: int,
    n_jobs: int | None,
    logs: bool = False,
) -> TargetTask:
    """Rows with a target first, targets and predictions on one scale, and the models."""
    has_target = np.isfinite(targets)
    order = np.r_[np.flatnonzero(has_target), np.flatnonzero(~has_target)]
    n = int(has_target.sum())
    scale = scale_of(targets[order[:n]], logs=logs)
    features = np.empty((len(targets), 0)) if X is None else X[order]
    data = TargetData(
        features,
        scale.apply(targets[order[:n]]),
        groups=None if groups is None else np.unique(groups[order[:n]], return_inverse=True)[1],
        random_state=seed,
        n_jobs=n_jobs,
    )
    if brought.predictions is not None:
        told = scale.apply(np.asarray(brought.predictions, dtype=float)[order])
        brought = brought._replace(predictions=told)
    table = None if table is None else take_rows(table, order)
    models = target_models_of(brought, table, n, features=X is not None)
    certain = np.zeros(n, dtype=bool) if known is None else known[order[:n]]
    return TargetTask(order, data, models, certain, scale)


def findings_of(task: TargetTask, last: TargetRound) -> TargetFindings:
    """What the last round found, in the units of the targets and the order of the rows."""
    n, rows, f = len(task.data), last.posterior.rows, last.pooled.predicted
    skill = targets_have_skill(last, task.data.targets, task.data.groups)
    rate = rate_of_targets(last.posterior.hypotheses)
    p_wrong = np.where(task.known, 0.0, rows.p_wrong)
    if not skill:
        p_wrong = np.minimum(p_wrong, MOST_WITHOUT_SKILL)
        rate = NoiseRate(min(rate.estimate, MOST_WITHOUT_SKILL), 0.0, 1.0)
    undo, ordered = task.scale.undo, task.in_given_order
    return TargetFindings(
        p_wrong=ordered(p_wrong),
        suspicion=ordered(np.where(task.known, rows.suspicion.min(), rows.suspicion)),
        predicted=ordered(undo(f)),
        low=ordered(undo(f - rows.reach)),
        high=ordered(undo(f + rows.reach)),
        score=ordered(last.residuals / rows.spread[:n]),
        error_kind=ordered(error_kinds(rows.swap_share), "unclear"),
        local_scale=ordered(_in_units(rows.spread, f, task.scale)),
        noise_rate=rate,
        has_skill=skill,
        models=target_models_told(last, task.data.targets, task.models),
        tail=_tail(last),
        scale=last.scales.power,
        on_log_scale=task.scale.logs,
        notes=[],
    )


def error_kinds(swap_share: np.ndarray) -> np.ndarray:
    """Another row's value, a gross error, or unclear which of the two."""
    clear = [swap_share >= CLEAR_KIND, swap_share <= 1 - CLEAR_KIND]
    return np.select(clear, ["swap", "gross"], "unclear")


def _in_units(spread: np.ndarray, predicted: np.ndarray, scale: TargetScale) -> np.ndarray:
    """Half of what lies one spread to either side of the prediction."""
    return (scale.undo(predicted + spread) - scale.undo(predicted - spread)) / 2


def _tail(last: TargetRound) -> float:
    """The tail that weighs most."""
    weights = np.sum([found.of_tails for found in last.posterior.hypotheses], axis=0)
    return last.posterior.hypotheses[0].noises[int(weights.argmax())].tail
