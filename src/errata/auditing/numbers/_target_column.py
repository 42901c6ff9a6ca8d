"""The column of targets, as a user passes it: read as numbers, checked, and what to know of it."""

from typing import Any, NamedTuple

import numpy as np

from ..._format import count, listed, percent, plural
from ..._validation import as_column
from ...tables._cells import numbers, spread, words_of
from ...tables._columns import column_array, column_names, without_columns
from .._labels import labels_or_none
from .._per_row import missing_column
from .._settings import CAPPED, FEW_TARGETS, FEWEST_CAPPED, FEWEST_TARGETS, MAYBE_CLASSES
from ._atoms import atoms_of
from ._target_cells import read_numeric_cells


class TargetColumn(NamedTuple):
    """Targets as numbers, NaN where a row has none, and the table without them."""

    table: Any
    targets: np.ndarray
    name: str | None  # of the column, where it has one
    notes: list[str]

    @property
    def has_target(self) -> np.ndarray:
        """Whether each row has one."""
        return ~np.isnan(self.targets)


def read_targets(table: Any, y: Any) -> TargetColumn:
    """Take the targets out of the table; raise for what cannot be audited, with what to do."""
    name = y if isinstance(y, str) else None
    told = "y" if name is None else f"column {name!r}"
    if name is not None:
        if name not in column_names(table):
            raise ValueError(missing_column(name, "to take targets from", column_names(table)))
        table, y = without_columns(table, [name]), column_array(table, name)
    cells = as_column(y)
    if cells.ndim != 1:
        raise ValueError(
            f"y must hold one target per row, but its shape is {cells.shape}; audit one column "
            "of targets after the other."
        )
    targets, notes = _as_numbers(cells, told)
    _check_targets(targets, told)
    return TargetColumn(table, targets, name, [*notes, *_remarks(targets, told)])


def _as_numbers(cells: np.ndarray, told: str) -> tuple[np.ndarray, list[str]]:
    """Cells as floats, and how text was read."""
    if cells.dtype.kind in "bmM":
        what = "true or false" if cells.dtype.kind == "b" else "dates or durations"
        raise ValueError(f"{told} holds {what}, not numbers; name a column of numbers.")
    found = numbers(labels_or_none(cells))
    if found is not None:
        return found.astype(float), []
    codes, words = words_of(cells)
    read = read_numeric_cells(told, words)
    if read.values is None:
        raise ValueError(
            f"{told} holds values that are not numbers ({listed(read.odd, most=3)}); name a column "
            "of numbers, or audit classes with errata.audit."
        )
    return spread(read.values, codes), [read.remark] if read.remark else []


def _check_targets(targets: np.ndarray, told: str) -> None:
    infinite = np.flatnonzero(np.isinf(targets))
    if len(infinite):
        raise ValueError(
            f"{told} holds {plural(len(infinite), 'infinite number')} (the first is in row "
            f"{infinite[0]}, counted from 0); correct such rows, or leave their targets empty."
        )
    present = targets[~np.isnan(targets)]
    if len(present) < FEWEST_TARGETS:
        raise ValueError(
            f"{told} holds {plural(len(present), 'target')}, and fewer than {FEWEST_TARGETS} tell "
            "too little; audit a larger table."
        )
    if present.min() == present.max():
        raise ValueError(
            f"{told} holds the number {present[0]:g} only: nothing can be learnt about it; name "
            "another column."
        )


def _remarks(targets: np.ndarray, told: str) -> list[str]:
    """What a reader should know of the targets."""
    present = targets[~np.isnan(targets)]
    return [
        *_on_missing(len(targets) - len(present)),
        *_on_few(len(present)),
        *_on_classes(present, told),
        *_on_ends(present),
    ]


def _on_missing(missing: int) -> list[str]:
    if not missing:
        return []
    have = "row has" if missing == 1 else "rows have"
    return [f"{count(missing)} {have} no target: nothing is learnt from there, and each gets one."]


def _on_few(rows: int) -> list[str]:
    if rows >= FEW_TARGETS:
        return []
    return [f"There are {rows} rows only, so the answer is rough."]


def _on_classes(present: np.ndarray, told: str) -> list[str]:
    values = np.unique(present)
    if len(values) > MAYBE_CLASSES or np.any(values % 1):
        return []
    return [
        f"{told[0].upper()}{told[1:]} holds {len(values)} different whole numbers. If they are "
        "names of classes, audit them with errata.audit, or --label on the command line."
    ]


def _on_ends(present: np.ndarray) -> list[str]:
    """Values that rows share at an end of the range: a limit of what was recorded.

    What very many rows share is an atom, judged and told of on its own.
    """
    if len(np.unique(present)) <= MAYBE_CLASSES:
        return []
    ends, atoms = {"smallest": present.min(), "largest": present.max()}, atoms_of(present)
    shares = {end: float(np.mean(present == value)) for end, value in ends.items()}
    return [
        f"{percent(share)} of the targets are exactly {ends[end]:g}, the {end}: they may be cut "
        "off there, and rows whose true value lies beyond look wrong."
        for end, share in shares.items()
        if share > max(CAPPED, (FEWEST_CAPPED - 1) / len(present)) and ends[end] not in atoms
    ]
