"""Checks shared by the metrics: what was said about each row, and what was true of it."""

from typing import Any

import numpy as np


def check_mask(name: str, mask: Any, n: int | None = None) -> np.ndarray:
    """Return a mask of one yes or no per row; 0 and 1 are welcome."""
    values = np.asarray(mask)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"{name} must hold one yes or no per row; its shape is {values.shape}.")
    if n is not None and len(values) != n:
        raise ValueError(f"{name} has {len(values)} rows, the other argument {n}; they must agree.")
    if not np.all(np.isin(values, (0, 1))):
        raise ValueError(f"{name} must hold True and False (or 1 and 0) only.")
    return values.astype(bool)


def check_scores(name: str, scores: Any, *, probability: bool = False) -> np.ndarray:
    """Return one finite number per row, in [0, 1] where it is a probability."""
    values = np.asarray(scores, dtype=float)
    if values.ndim != 1 or len(values) == 0:
        raise ValueError(f"{name} must hold one number per row; its shape is {values.shape}.")
    if not np.all(np.isfinite(values)):
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ValueError(f"{name}[{row}] = {values[row]} is not finite.")
    if probability and (values.min() < 0 or values.max() > 1):
        raise ValueError(
            f"{name} goes from {values.min():.3g} to {values.max():.3g}; "
            "probabilities lie between 0 and 1."
        )
    return values


def ratio(part: float, whole: float) -> float:
    """``part / whole``, and nan (never zero) where there is nothing to divide."""
    return float(part / whole) if whole else float("nan")
