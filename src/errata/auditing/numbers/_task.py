"""What is given, and the task made of it: rows in order, targets on a scale, models."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ..._compat import take_rows
from .._copies import copies_note
from ._brought import NOTHING_BROUGHT, BroughtPredictions, target_models_of
from ._copied_rows import groups_with_copies
from ._target_scale import TargetScale, scale_of
from ._training import TargetData, TargetPredictor


@dataclass(frozen=True)
class GivenTargets:
    """All that :func:`find_wrong_targets` is given."""

    X: np.ndarray | None
    targets: np.ndarray
    table: Any = None
    groups: np.ndarray | None = None
    brought: BroughtPredictions = NOTHING_BROUGHT
    known: np.ndarray | None = None
    seed: int = 0
    n_jobs: int | None = None

    def for_rows(self, rows: np.ndarray) -> "GivenTargets":
        """The same for some of the rows."""
        return replace(
            self,
            X=None if self.X is None else self.X[rows],
            targets=self.targets[rows],
            table=None if self.table is None else take_rows(self.table, rows),
            groups=None if self.groups is None else self.groups[rows],
            brought=self.brought.for_rows(rows),
            known=None if self.known is None else self.known[rows],
        )


class TargetTask(NamedTuple):
    """Rows in the order in which they are worked on, models, and the scale of the targets."""

    order: np.ndarray  # rows with a target, then rows without
    data: TargetData
    models: list[TargetPredictor]
    known: np.ndarray  # of the rows with a target
    scale: TargetScale
    notes: list[str]

    def in_given_order(self, values: np.ndarray, otherwise: Any = 0.0) -> np.ndarray:
        """Values of all rows, or of those with a target, in the order in which rows were given."""
        spread = np.full(len(self.order), otherwise, dtype=values.dtype)
        spread[self.order[: len(values)]] = values
        return spread


def target_task(given: GivenTargets, *, logs: bool = False) -> TargetTask:
    """Rows with a target first, targets and predictions on one scale, and the models."""
    has_target = np.isfinite(given.targets)
    order = np.r_[np.flatnonzero(has_target), np.flatnonzero(~has_target)]
    n = int(has_target.sum())
    given = given.for_rows(order)
    targets, brought, groups = given.targets[:n], given.brought, given.groups
    scale = scale_of(targets, logs=logs)
    X = np.empty((len(order), 0)) if given.X is None else given.X
    groups = None if groups is None else np.unique(groups[:n], return_inverse=True)[1]
    groups, copies = groups_with_copies(X[:n], targets, groups)
    if brought.predictions is not None:
        brought = brought._replace(predictions=scale.apply(brought.predictions))
    return TargetTask(
        order,
        TargetData(X, scale.apply(targets), None, groups, given.seed, given.n_jobs),
        target_models_of(brought, given.table, n, features=given.X is not None),
        np.zeros(n, dtype=bool) if given.known is None else given.known[:n],
        scale,
        [] if copies is None else [copies_note(copies, "target")],
    )
