"""Checks of what only this room asks for: ridges and weights."""

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import check_array

from .._validation import check_choice, check_row_weights

RULES = ("press", "gcv", "kfold")


def check_alpha(alpha: Any) -> float | str:
    """Return a ridge, or the name of the rule that is to choose it."""
    if isinstance(alpha, str):
        return check_choice("alpha", alpha, RULES)
    number = isinstance(alpha, Real) and not isinstance(alpha, bool)
    if not number or not 0 <= float(alpha) < np.inf:
        raise ValueError(
            f"alpha={alpha!r} must be a number of at least 0 (0 for plain least squares) "
            f"or one of {', '.join(RULES)}."
        )
    return float(alpha)


def check_alphas(alphas: Any) -> np.ndarray | None:
    """Return the ridges to choose from in ascending order, or None."""
    if alphas is None:
        return None
    grid = np.unique(check_array(alphas, ensure_2d=False, dtype=float, input_name="alphas"))
    if grid[0] <= 0:
        raise ValueError(f"alphas must be positive, but {grid[0]:g} is among them.")
    return grid


def check_weights(sample_weight: Any, n: int) -> np.ndarray | None:
    """Return one weight per row, or None."""
    if sample_weight is None:
        return None
    return check_row_weights("sample_weight", sample_weight, n)
