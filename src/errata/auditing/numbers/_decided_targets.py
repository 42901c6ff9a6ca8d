"""What people decided about targets, laid over them before they are audited again."""

import os
from typing import Any

import numpy as np

from ..._format import plural
from ...review.decisions import Decisions, resolve
from .._decided_labels import notes_on_decisions, row_names
from .._settings import FEWEST_TARGETS
from ._target_cleaning import decided_targets
from ._target_column import TargetColumn


def lay_over_targets(
    given: TargetColumn, decisions: Decisions | str | os.PathLike, keys: Any
) -> tuple[TargetColumn, np.ndarray]:
    """Targets with the numbers that people gave, and which these are; rows are found by their keys.

    Unusable rows have no target then; ambiguous, disputed and skipped ones are audited like any
    others.
    """
    if not isinstance(decisions, Decisions):
        with Decisions(decisions, read_only=True) as opened:
            return lay_over_targets(given, opened, keys)
    names = row_names(keys, len(given.targets))
    people = decided_targets(decisions, names, given.targets, drop_ambiguous=False)
    targets = np.where(people.gone, np.nan, people.labels)
    _check_left(targets, people.decided)
    notes = notes_on_decisions(resolve(decisions, names), decisions, what="target")
    return given._replace(targets=targets, notes=[*given.notes, *notes]), people.decided


def _check_left(targets: np.ndarray, known: np.ndarray) -> None:
    left = int(np.sum(~np.isnan(targets) & ~known))
    if left < FEWEST_TARGETS:
        raise ValueError(
            f"people have decided all but {plural(left, 'target')}; {FEWEST_TARGETS} that nobody "
            "has decided are the least to audit."
        )
