"""The stages of an audit of numeric targets, on one page."""

from dataclasses import replace
from typing import Any

import numpy as np

from ..._progress import Progress
from .._noise_rate import NoiseRate
from .._settings import LEAST_SKILL, MOST_WITHOUT_SKILL
from ._atom_findings import beside_atoms
from ._atoms import atoms_of, membership_of
from ._brought import NOTHING_BROUGHT, BroughtPredictions
from ._findings import TargetFindings
from ._likelier_scale import judge_targets
from ._rate import rate_notes, rate_of_targets
from ._rounds import TargetRound
from ._settings import CLEAR_KIND
from ._target_scale import TargetScale
from ._target_skill import skill_of_targets, target_models_told
from ._task import GivenTargets, TargetTask


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
    given = GivenTargets(X, targets, table, groups, brought, known, seed, n_jobs)
    return wrong_among(given, progress)


def wrong_among(given: GivenTargets, progress: Progress | None = None) -> TargetFindings:
    """Judge targets; where many rows share a value, that value on its own."""
    atoms = atoms_of(given.targets)
    if not len(atoms):
        return findings_of(*judge_targets(given, progress))
    held = np.isin(given.targets, atoms)
    others = replace(given, targets=np.where(held, np.nan, given.targets))
    found = findings_of(*judge_targets(others, progress))
    return beside_atoms(found, given.targets, given.known, membership_of(given, atoms))


def findings_of(task: TargetTask, first: TargetRound, last: TargetRound) -> TargetFindings:
    """What the last round found, in the units of the targets and the order of the rows.

    Errors on one side look like skew. They are ranked as if there were none, so that they come
    first, and how probable they are is told as if skew were right.
    """
    n, rows, f = len(task.data), last.posterior.rows, last.pooled.predicted
    skill = skill_of_targets(first, task.data.groups) >= LEAST_SKILL
    models = target_models_told(last, task.data.targets, task.models)
    rate = rate_of_targets(last.told.hypotheses, max(model.r2 for model in models))
    p_wrong = np.where(task.known, 0.0, last.told.p_wrong)
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
        models=models,
        tail=_tail(last),
        scale=last.scales.power,
        on_log_scale=task.scale.logs,
        notes=[*task.notes, *rate_notes(rate)],
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
