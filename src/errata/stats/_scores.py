"""The front door of the room: a table of scores, the names of its methods, a significance level."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._validation import check_fraction


def check_scores(scores: Any, *, min_datasets: int = 1, min_methods: int = 2) -> np.ndarray:
    """Return ``scores`` as floats: one row per data set, one column per method, nothing missing."""
    try:
        table = np.asarray(scores, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "scores must hold numbers only; if a column names the data sets, "
            "drop it or make it the index."
        ) from error
    if table.ndim != 2:
        raise ValueError(
            f"scores must be a table with one row per data set and one column per method, "
            f"but its shape is {table.shape}."
        )
    n, k = table.shape
    if n < min_datasets:
        raise ValueError(f"scores has {n} data sets (rows); at least {min_datasets} are needed.")
    if k < min_methods:
        raise ValueError(f"scores has {k} methods (columns); at least {min_methods} are needed.")
    _check_finite(table, getattr(scores, "columns", None))
    return table


def without_rounding_error(values: np.ndarray, scale: Any) -> np.ndarray:
    """Values as shares of the scores' size, to twelve decimals: what is beyond is not data.

    To a reader 0.1 + 0.2 equals 0.3, and 0.90 - 0.85 equals 0.75 - 0.70; in floating point they
    differ, and which comes out larger is chance.
    """
    return np.round(values / np.where(scale > 0, scale, 1.0), 12)


def _check_finite(table: np.ndarray, columns: Any) -> None:
    cells = np.argwhere(~np.isfinite(table))
    if len(cells):
        row, column = cells[0]
        method = "" if columns is None else f" ({columns[column]})"
        raise ValueError(
            f"scores has {len(cells)} missing or infinite cells, the first in row {row}, "
            f"column {column}{method}; every method needs a score on every data set: "
            "complete the cell, or drop the row."
        )


def method_names(scores: Any, names: Sequence[str] | None, n_methods: int) -> list[str]:
    """Return ``names``, else the columns of a dataframe, else "method 0", "method 1", ..."""
    if names is None:
        names = getattr(scores, "columns", None)
    if names is None:
        return [f"method {j}" for j in range(n_methods)]
    names = [str(name) for name in names]
    if len(names) != n_methods or len(set(names)) != n_methods:
        raise ValueError(
            f"names must hold {n_methods} different names, one per method, but it is {names}."
        )
    return names


def check_alpha(alpha: Any) -> float:
    """Return the significance level ``alpha`` when it lies strictly between 0 and 1."""
    level = check_fraction("alpha", alpha)
    if level in (0.0, 1.0):
        raise ValueError(f"alpha={alpha!r} decides everything beforehand; 0.05 is customary.")
    return level
