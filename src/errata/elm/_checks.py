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
    return check_ridge(alpha, otherwise=f" or one of {', '.join(RULES)}")


def check_ridge(alpha: Any, *, otherwise: str = "") -> float:
    """Return a ridge; ``otherwise`` tells what else would have done."""
    number = isinstance(alpha, Real) and not isinstance(alpha, bool)
    if not number or not 0 <= float(alpha) < np.inf:
        raise ValueError(
            f"alpha={alpha!r} must be a number of at least 0 (0 for plain least squares)"
            f"{otherwise}."
        )
    return float(alpha)


def check_alphas(alphas: Any) -> np.ndarray | None:
    """Return the ridges to choose from in ascending order, or None."""
    if alphas is None:
        return None
    alphas = np.ravel(alphas)
    grid = np.unique(check_array(alphas, ensure_2d=False, dtype=float, input_name="alphas"))
    if grid[0] <= 0:
        raise ValueError(f"alphas must be positive, but {grid[0]:g} is among them.")
    return grid


def check_weights(sample_weight: Any, n: int) -> np.ndarray | None:
    """Return one weight per row, or None."""
    if sample_weight is None:
        return None
    return check_row_weights("sample_weight", sample_weight, n)


def check_class_weights(codes: np.ndarray, classes: np.ndarray, weight: np.ndarray) -> None:
    """Raise when all rows of a class have weight zero, so that it would be forgotten."""
    empty = classes[np.bincount(codes, weights=weight, minlength=len(classes)) == 0]
    if len(empty):
        raise ValueError(
            f"every row of the class {empty.tolist()[0]!r} has a sample_weight of zero, so that it "
            "cannot be learnt; drop these rows or give them a weight."
        )
