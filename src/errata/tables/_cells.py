"""Cells: which of them are missing, which of them are numbers."""

from typing import Any

import numpy as np

_MISSING = ("", "nan", "na", "n/a", "null")  # "none" may well be a class


def is_missing(cell: Any) -> bool:
    """Whether a cell stands for no value: empty, blank, NaN, NA, N/A or null in any case.

    Examples
    --------
    >>> [is_missing(cell) for cell in ("", " ", "NaN", None, float("nan"), "none", 0)]
    [True, True, True, True, True, False, False]
    """
    if isinstance(cell, str):
        return cell.strip().lower() in _MISSING
    if cell is None:
        return True
    if isinstance(cell, list | tuple | dict | set | np.ndarray):
        return False
    same = cell == cell  # NaN and NaT differ from themselves; pandas' NA will not say
    return not (isinstance(same, bool | np.bool_) and bool(same))


def missing_cells(column: np.ndarray) -> np.ndarray:
    """Where a column has no value, as :func:`is_missing` says it cell by cell."""
    if column.dtype.kind in "biu":
        return np.zeros(len(column), dtype=bool)
    if column.dtype.kind in "fcmM":
        return column != column
    if column.dtype.kind == "U":
        return np.isin(np.char.lower(np.char.strip(column)), _MISSING)
    return np.fromiter(map(is_missing, column), dtype=bool, count=len(column))


def numbers(column: np.ndarray) -> np.ndarray | None:
    """The column as floats, missing cells as NaN; None when it holds anything but numbers.

    Examples
    --------
    >>> numbers(np.array(["1.5", "", "NA", "2"]))
    array([1.5, nan, nan, 2. ])
    >>> numbers(np.array(["1.5", "red"])) is None
    True
    """
    if column.dtype.kind in "cmM":
        return None
    if column.dtype.kind == "U":
        column = np.where(missing_cells(column), "nan", column)
    elif column.dtype.kind == "O":
        column = np.where(missing_cells(column), np.nan, column)
    try:
        return column.astype(float)
    except (TypeError, ValueError, OverflowError):
        return None
