"""Rounds on the scale that makes the targets likelier: their own, or that of their logarithms."""

from typing import NamedTuple

import numpy as np

from ..._progress import Progress
from ._rounds import TargetRound, first_round, next_round, start_from
from ._settings import LEAST_LOG_GAIN
from ._target_scale import may_be_logs
from ._task import GivenTargets, TargetTask, target_task


class JudgedTask(NamedTuple):
    """A task and its rounds."""

    task: TargetTask
    first: TargetRound
    last: TargetRound


def judge_targets(given: GivenTargets, progress: Progress | None) -> JudgedTask:
    """Judge targets as they are or, where these are likelier, by their logarithms.

    On the wrong scale the long side of skewed targets looks wrong. Both are judged to the end
    before they are compared: errors that are all on one side look like skew until they are known.
    """
    judged = _judged(target_task(given), progress)
    if not may_be_logs(given.targets[np.isfinite(given.targets)]):
        return judged
    by_logs = _judged(target_task(given, logs=True), progress)
    gain = log_evidence(by_logs, given.targets) - log_evidence(judged, given.targets)
    return by_logs if gain > LEAST_LOG_GAIN * len(judged.task.data) else judged


def _judged(task: TargetTask, progress: Progress | None) -> JudgedTask:
    first = first_round(task.models, task.data, task.known, progress=progress)
    start = start_from(first, len(task.data))
    last = next_round(task.models, task.data, task.known, start, progress=progress)
    return JudgedTask(task, first, last)


def log_evidence(judged: JudgedTask, targets: np.ndarray) -> float:
    """How likely positive targets are, right or wrong, in densities of their own units."""
    recorded = targets[judged.task.order[: len(judged.task.data)]]
    told = judged.last.posterior.rows.log_density + judged.task.scale.log_slope(recorded)
    return float(np.sum(told[recorded > 0]))
