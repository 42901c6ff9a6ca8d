"""Tables of numbers: transition matrices, class fractions, class weights, scores of methods."""

from typing import Any

import numpy as np


def check_transition(transition: Any) -> np.ndarray:
    """Return a (K, K) matrix of probabilities whose rows sum to one, or say what is wrong."""
    T = np.array(transition, dtype=float)  # a copy: whoever made it may change it later
    if T.ndim != 2 or T.shape[0] != T.shape[1] or len(T) < 2:
        raise ValueError(
            f"a transition matrix has one row and one column per class (two at least), "
            f"but this one has shape {T.shape}."
        )
    if not np.all(np.isfinite(T)) or T.min() < 0:
        row, column = np.argwhere(~(np.isfinite(T) & (T >= 0)))[0]
        raise ValueError(f"transition[{row}, {column}] = {T[row, column]} is not a probability.")
    # Rounding of sums is forgiven; digits that were cut off in print change the model.
    off = np.abs(T.sum(axis=1) - 1)
    if off.max() > 1e-8:
        row = int(off.argmax())
        raise ValueError(
            f"row {row} of the transition matrix sums to {T[row].sum():.6g}; "
            "each row holds the label probabilities of one class and must sum to 1."
        )
    return T


def check_prior(prior: Any, n_classes: int) -> np.ndarray:
    """Return fractions of the classes that sum to one, from fractions or counts."""
    fractions = np.asarray(prior, dtype=float)
    if fractions.shape != (n_classes,):
        raise ValueError(
            f"expected {n_classes} class fractions, but the shape is {fractions.shape}."
        )
    if not np.all(np.isfinite(fractions)) or fractions.min() < 0 or fractions.sum() == 0:
        raise ValueError("class fractions must be non-negative numbers, not all zero.")
    return fractions / fractions.sum()


def check_weight_matrix(name: str, value: Any, shape: tuple[int, int]) -> np.ndarray:
    """Return a copy of a matrix of this shape that holds finite weights of at least 0."""
    weights = np.array(value, dtype=float)
    if weights.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, not {weights.shape}.")
    if not np.all(np.isfinite(weights)) or weights.min() < 0:
        raise ValueError(f"{name} holds a weight that is negative or not finite.")
    return weights


def check_score_table(scores: Any, *, min_datasets: int = 1, min_methods: int = 2) -> np.ndarray:
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
    _check_complete(table, getattr(scores, "columns", None))
    return table


def _check_complete(table: np.ndarray, columns: Any) -> None:
    cells = np.argwhere(~np.isfinite(table))
    if len(cells):
        row, column = cells[0]
        method = "" if columns is None else f" ({columns[column]})"
        raise ValueError(
            f"scores has {len(cells)} missing or infinite cells, the first in row {row}, "
            f"column {column}{method}; every method needs a score on every data set: "
            "complete the cell, or drop the row."
        )
