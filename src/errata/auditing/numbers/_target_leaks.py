"""Columns that look made from the target: they would hide every error."""

from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import spearmanr

from ..._format import listed
from ...tables._cells import quick_numbers
from ...tables._columns import Column, columns_of
from .._settings import GIVES_TARGET, LEAK_ROWS, NAMED_COLUMNS
from ._target_column import TargetColumn


def notes_on_leaks(table: Any, given: TargetColumn) -> list[str]:
    """A note on columns that put the rows in nearly the same order as the target does."""
    if sparse.issparse(table):  # its columns are words or pixels, and there are too many to try
        return []
    rows = np.flatnonzero(given.has_target)[:LEAK_ROWS]
    names = [c.name for c in columns_of(table) if _gives(c, given.targets[rows], rows)]
    if not names:
        return []
    called = listed([repr(name) for name in names], most=NAMED_COLUMNS)
    return [
        f"By {called} the rows are in nearly the same order as by the target. What was made from "
        "the target repeats its errors and hides them: leave it out with drop, or --drop."
    ]


def _gives(column: Column, targets: np.ndarray, rows: np.ndarray) -> bool:
    values = quick_numbers(column.values)
    if values is None:
        return False
    values = values[rows]
    there = np.isfinite(values)
    if there.mean() < 0.5 or len(np.unique(values[there])) < 3:
        return False
    return bool(abs(spearmanr(values[there], targets[there]).statistic) >= GIVES_TARGET)
