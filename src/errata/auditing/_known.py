"""Rows whose label is certain, as the user names them: a mask, or a column of yes and no."""

from typing import Any

import numpy as np

from .._names import instead
from ..tables._columns import column_array, column_names, without_columns
from ._per_row import one_per_row
from ._settings import FEWEST_ROWS

YES_OR_NO = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}


def known_column(table: Any, known: Any) -> tuple[Any, Any]:
    """The table without the column that ``known`` names, if it is a name, and its cells."""
    if not isinstance(known, str):
        return table, known
    names = column_names(table)
    if known not in names:
        raise ValueError(
            f"there is no column {known!r} that says which labels are known; "
            f"{instead(known, names)}"
        )
    return without_columns(table, [known]), column_array(table, known)


def known_mask(known: Any, labelled: np.ndarray) -> np.ndarray | None:
    """Whether each label is certain; None where none is.

    Examples
    --------
    >>> known_mask(["yes", "no", "1", "False", "0", "0", "0", "0"], np.ones(8, dtype=bool))[:4]
    array([ True, False,  True, False])
    """
    if known is None:
        return None
    mask = yes_or_no(one_per_row("known", known, len(labelled)))
    blank = np.flatnonzero(mask & ~labelled)
    if len(blank):
        raise ValueError(
            f"row {blank[0]} has no label, but known says that it is certain; give the label, or "
            "do not call it known."
        )
    left = int(np.sum(labelled & ~mask))
    if left < FEWEST_ROWS:
        raise ValueError(
            f"all but {left} of the labels are known; {FEWEST_ROWS} that are not are the least to "
            "audit."
        )
    return mask if mask.any() else None


def yes_or_no(cells: np.ndarray, name: str = "known") -> np.ndarray:
    """A mask of cells that may be booleans, numbers or text."""
    if cells.dtype == bool:
        return cells
    given = cells.tolist()
    texts = [_as_word(cell) for cell in given]
    for row, word in enumerate(texts):
        if word not in YES_OR_NO:
            raise ValueError(
                f"{name} holds {given[row]!r} in row {row}; say 1 or 0, true or false, yes or no "
                "of every row."
            )
    return np.array([YES_OR_NO[word] for word in texts], dtype=bool)


def _as_word(cell: Any) -> str:
    whole = isinstance(cell, float) and cell.is_integer()
    return str(int(cell) if whole else cell).strip().lower()
