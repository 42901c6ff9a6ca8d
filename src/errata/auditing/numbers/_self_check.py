"""The self-check: plant swaps in a copy of the targets, audit that copy, and look for them.

Nothing is left out of the count, and nothing is corrected by it: planted errors are not the errors
that people make.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

from ..._progress import Progress
from .._self_check import Run, estimated_average_precision
from .._settings import (
    CHECK_SAMPLE,
    CHECKED_ROWS,
    CHECKED_TWICE,
    CLEAN_THRESHOLD,
    FEWEST_INJECTED,
    INJECTED,
    LEAST_LIFT,
    LIST_LENGTH,
)
from ._finding import Start, TargetFindings, TargetSelfCheck, next_round, wrong_among
from ._models import NOTHING_BROUGHT, BroughtPredictions
from ._settings import MOVED, PLANTING_TRIES
from ._task import GivenTargets, TargetTask, arranged, atoms_of, target_task


class Planted(NamedTuple):
    """One copy of the targets: which were changed, and what the audit made of it."""

    planted: np.ndarray
    targets: np.ndarray
    suspicion: np.ndarray
    predicted: np.ndarray


def check_targets(
    X: np.ndarray | None,
    targets: np.ndarray,
    found: TargetFindings,
    *,
    table: Any = None,
    groups: np.ndarray | None = None,
    brought: BroughtPredictions = NOTHING_BROUGHT,
    known: np.ndarray | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> TargetSelfCheck | None:
    """Plant errors in a copy of the targets and look for them; None where rows are too few.

    Parameters are those of :func:`find_wrong_targets`, and what it found. Of a large table some
    rows are drawn.
    """
    random = np.random.default_rng(seed + 1)
    given = GivenTargets(X, targets, table, groups, brought, known, seed, n_jobs)
    given, order = arranged(given)
    rows = np.flatnonzero(np.isfinite(given.targets))
    if len(rows) > CHECKED_ROWS:
        rows = np.sort(random.choice(rows, CHECK_SAMPLE, replace=False))
    given = given.for_rows(rows)
    found = found.for_rows(order[rows])
    by_atoms = len(atoms_of(given.targets)) > 0
    task = target_task(given, logs=found.on_log_scale and not by_atoms)
    start = _start(task, found)
    look = partial(_look_anew, given, task) if by_atoms else partial(_look_once, task, start)
    n = int(np.sum(~task.known))
    count = min(max(FEWEST_INJECTED, round(INJECTED * n)), n // 2)
    runs = [
        plant_and_look(task, start.p_wrong, count, random, partial(look, progress))
        for _ in range(2 if len(rows) < CHECKED_TWICE else 1)
    ]
    if min(run.planted.sum() for run in runs) < 2:
        return None
    return _summed_up(runs, task, start.p_wrong)


def _start(task: TargetTask, found: TargetFindings) -> Start:
    """What the audit found of the rows, on the scale of the task."""
    low = task.scale.apply(found.low)
    high = task.scale.apply(found.high)
    return Start(found.p_wrong, task.scale.apply(found.predicted), (high - low) / 4)


def plant_and_look(
    task: TargetTask,
    p_wrong: np.ndarray,
    count: int,
    random: np.random.Generator,
    look: Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray]],
) -> Planted:
    """Give some rows the targets of others that are probably right, and judge all rows."""
    targets, planted = planted_swaps(task.data.targets, p_wrong, task.known, count, random)
    suspicion, predicted = look(targets, int(random.integers(2**31 - 1)))
    return Planted(planted, targets, suspicion, predicted)


def _look_once(
    task: TargetTask, start: Start, progress: Progress | None, targets: np.ndarray, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Suspicion and prediction of each row after one more round."""
    data = replace(task.data, targets=targets, random_state=seed)
    again = next_round(task.models, data, task.known, start, progress=progress)
    return again.posterior.rows.suspicion, again.pooled.predicted


def _look_anew(
    given: GivenTargets,
    task: TargetTask,
    progress: Progress | None,
    targets: np.ndarray,
    seed: int,
) -> tuple[np.ndarray, np.ndarray]:
    """The same by a whole audit, as rows hold an atom now that held none, and the reverse."""
    values, places = np.unique(task.data.targets, return_index=True)
    recorded = given.targets[places[np.searchsorted(values, targets)]]  # exactly: atoms are equal
    found = wrong_among(replace(given, targets=recorded, seed=seed), progress)
    return found.suspicion, task.scale.apply(found.predicted)


def planted_swaps(
    targets: np.ndarray,
    p_wrong: np.ndarray,
    known: np.ndarray,
    count: int,
    random: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Targets, ``count`` of them another row's, and which; a change too small is no error."""
    rows = random.choice(np.flatnonzero(~known), count, replace=False)
    donors = targets[p_wrong < CLEAN_THRESHOLD]
    changed = targets.copy()
    for _ in range(PLANTING_TRIES):
        near = rows[np.abs(changed[rows] - targets[rows]) <= MOVED]
        changed[near] = random.choice(donors, len(near))
    planted = np.abs(changed - targets) > MOVED
    return np.where(planted, changed, targets), planted


def _summed_up(runs: list[Planted], task: TargetTask, before: np.ndarray) -> TargetSelfCheck:
    n = len(before)
    planted = round(float(np.mean([run.planted.sum() for run in runs])))
    top = min(n, int(np.ceil(LIST_LENGTH * (planted + before.sum()))))
    lift = _lift(runs) >= LEAST_LIFT
    precision = np.mean([_average_precision(run, before) for run in runs])
    undo = task.scale.undo
    truth = task.data.targets

    def median_distance(pick: Callable[[Planted], np.ndarray]) -> float:
        told = [np.abs(undo(pick(run)) - undo(truth))[run.planted] for run in runs]
        return float(np.median(np.concatenate(told)))

    return TargetSelfCheck(
        injected=planted,
        top=top,
        found=_mean_hits([run.planted[_first(run.suspicion, top)] for run in runs]),
        by_value=_mean_hits([run.planted[_first(np.abs(run.targets), top)] for run in runs]),
        lift=bool(lift),
        average_precision=float(precision) if lift else None,
        median_error=median_distance(lambda run: run.predicted),
        planted_error=median_distance(lambda run: run.targets),
        repeats=len(runs),
    )


def _first(values: np.ndarray, top: int) -> np.ndarray:
    return np.argsort(-values, kind="stable")[:top]


def _mean_hits(hits: list[np.ndarray]) -> int:
    return round(float(np.mean([hit.sum() for hit in hits])))


def _average_precision(run: Planted, before: np.ndarray) -> float:
    return estimated_average_precision(Run(run.planted, run.targets, run.suspicion, 0.0), before)


def _lift(runs: list[Planted]) -> float:
    """Are planted errors more suspicious than other rows? The rank-sum test, in standard errors."""
    above = variance = 0.0
    for run in runs:
        n = len(run.planted)
        changed = int(run.planted.sum())
        pairs = changed * (n - changed)
        ranks = rankdata(run.suspicion)[run.planted].sum()
        above += ranks - changed * (changed + 1) / 2 - pairs / 2
        variance += pairs * (n + 1) / 12
    return above / np.sqrt(variance) if variance > 0 else 0.0
