"""Numeric targets and their table, as the user passes them: read, checked, made into features."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...tables import Features, features_of
from ...tables._columns import column_names, count_rows, without_columns
from .._group_names import group_numbers
from .._per_row import check_one_per_row, missing_column, one_per_row
from .._scaling import fit_scale
from ._decided_targets import lay_over_targets
from ._target_column import TargetColumn, read_targets
from ._target_leaks import notes_on_leaks


class TargetInputs(NamedTuple):
    """A table ready for the audit of its targets."""

    given: TargetColumn
    features: Features | None
    X: np.ndarray | None  # features on one scale
    groups: np.ndarray | None  # rows that are left out together
    notes: list[str]
    known: np.ndarray | None = None  # targets that people gave

    @property
    def doubtful(self) -> np.ndarray:
        """Whether a row has a target that may be wrong."""
        there = self.given.has_target
        return there if self.known is None else there & ~self.known


def read_target_inputs(
    table: Any,
    y: Any,
    *,
    embeddings: Any,
    groups: Any,
    drop: Sequence[Any],
    seed: int,
    n_jobs: int | None,
    decisions: Any = None,
    keys: Any = None,
) -> TargetInputs:
    """Read and check targets, features and groups."""
    given, known = read_targets(table, y), None
    if decisions is not None:
        given, known = lay_over_targets(given, decisions, keys)
    if len(drop):
        given = given._replace(table=_without(given.table, drop))
    n = len(given.targets)
    if given.table is not None:
        check_one_per_row("the table", count_rows(given.table), n, what="targets")
    source = given.table if embeddings is None else embeddings
    notes, features, X = [*given.notes], None, None
    if source is not None:
        features = features_of(source, random_state=seed, n_jobs=n_jobs)
        check_one_per_row("the table", features.X.shape[0], n, what="targets")
        X, _ = fit_scale(features.X, seed)
        notes += [*features.notes, *notes_on_leaks(source, given)]
    if groups is not None:
        groups = group_numbers(one_per_row("groups", groups, n), np.arange(n))
    return TargetInputs(given, features, X, groups, notes, known)


def _without(table: Any, drop: Sequence[Any]) -> Any:
    names = column_names(table)
    for key in drop:
        if names and key not in names:
            raise ValueError(missing_column(key, "to drop", names))
    return without_columns(table, drop)


def checked_predictions(predictions: Any, n: int) -> np.ndarray | None:
    if predictions is None:
        return None
    told = np.asarray(predictions, dtype=float)
    if told.ndim not in (1, 2) or len(told) != n:
        raise ValueError(
            f"predictions must have the shape ({n},) or ({n}, m), a number of each model for each "
            f"row, but their shape is {told.shape}."
        )
    if not np.isfinite(told).all():
        raise ValueError("predictions hold numbers that are missing or infinite; predict all rows.")
    return told
