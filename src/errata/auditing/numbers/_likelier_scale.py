"""The first round, on the scale that makes the targets likelier: their own, or its logarithm."""

from typing import NamedTuple

import numpy as np

from ._local_scale import log_likelihoods
from ._rounds import Progress, TargetRound, first_round
from ._settings import LEAST_LOG_GAIN
from ._target_scale import may_be_logs
from ._task import GivenTargets, TargetTask, target_task


class Begun(NamedTuple):
    """A task and its first round."""

    task: TargetTask
    first: TargetRound


def begin(given: GivenTargets, progress: Progress | None) -> Begun:
    """Begin on the scale of the targets, or on that of their logarithms.

    On the wrong scale the long side of skewed targets looks wrong.
    """
    begun = _begun(target_task(given), progress)
    if not may_be_logs(given.targets[np.isfinite(given.targets)]):
        return begun
    of_logs = _begun(target_task(given, logs=True), progress)
    gain = log_evidence(of_logs, given.targets) - log_evidence(begun, given.targets)
    return of_logs if gain > LEAST_LOG_GAIN * len(begun.task.data) else begun


def _begun(task: TargetTask, progress: Progress | None) -> Begun:
    return Begun(task, first_round(task.models, task.data, task.known, progress=progress))


def log_evidence(begun: Begun, targets: np.ndarray) -> float:
    """How likely positive targets are, as they are and not clipped, in their own units."""
    (order, data, *_), scale = begun.task, begun.task.scale
    n, scales = len(data), begun.first.scales
    residuals = data.targets - begun.first.pooled.predicted[:n]
    told = log_likelihoods(residuals, scales.whole[:n], scales.overall)
    recorded = targets[order[:n]]
    return float(np.sum((told + scale.log_slope(recorded))[recorded > 0]))
