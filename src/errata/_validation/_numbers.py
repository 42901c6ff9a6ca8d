"""Numbers and words: what the parameters of functions and estimators may be."""

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_array

RIDGE_RULES = ("press", "gcv", "kfold")


def check_count(name: str, value: Any, *, low: int = 1, high: int | None = None) -> int:
    """Return ``value`` as an int when it is a whole number in [low, high]."""
    # True is an Integral to Python, and a slip to us.
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        allowed = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name}={value!r} must be a whole number {allowed}.")
    return int(value)


def check_fraction(name: str, value: Any, *, low: float = 0.0, high: float = 1.0) -> float:
    """Return ``value`` as a float when it is a number in [low, high]."""
    # "not low <= x" and not "x < low": NaN, for which both are false, is refused.
    if not _is_number(value) or not low <= float(value) <= high:
        raise ValueError(f"{name}={value!r} must be a number between {low:g} and {high:g}.")
    return float(value)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return ``value`` when it is one of ``choices``."""
    if value not in choices:
        raise ValueError(f"{name}={value!r} is not known; choose from {', '.join(choices)}.")
    return value


def check_positive(name: str, value: Any, *, otherwise: str = "") -> float:
    """Return ``value`` as a float when it is finite and above 0; ``otherwise`` it may be more."""
    if not _is_number(value) or not 0 < float(value) < np.inf:
        raise ValueError(f"{name}={value!r} must be a finite number above 0{otherwise}.")
    return float(value)


def check_significance(name: str, value: Any) -> float:
    """Return a significance level when it lies strictly between 0 and 1."""
    level = check_fraction(name, value)
    if level in (0.0, 1.0):
        raise ValueError(f"{name}={value!r} decides everything beforehand; 0.05 is customary.")
    return level


def check_alpha(alpha: Any, *, otherwise: str = "") -> float:
    """Return the strength of an L2 penalty; ``otherwise`` tells what else would have done."""
    if not _is_number(alpha) or not 0 <= float(alpha) < np.inf:
        raise ValueError(
            f"alpha={alpha!r} must be a number of at least 0 (0 for plain least squares)"
            f"{otherwise}."
        )
    return float(alpha)


def check_alpha_or_rule(alpha: Any) -> float | str:
    """Return the strength of an L2 penalty, or the name of the rule that is to choose it."""
    if isinstance(alpha, str):
        return check_choice("alpha", alpha, RIDGE_RULES)
    return check_alpha(alpha, otherwise=f" or one of {', '.join(RIDGE_RULES)}")


def check_alphas(alphas: Any) -> np.ndarray | None:
    """Return the strengths to choose from in ascending order, or None."""
    if alphas is None:
        return None
    alphas = np.ravel(alphas)
    grid = np.unique(check_array(alphas, ensure_2d=False, dtype=float, input_name="alphas"))
    if grid[0] <= 0:
        raise ValueError(f"alphas must be positive, but {grid[0]:g} is among them.")
    return grid


def check_mean_weight(mean_weight: Any) -> float:
    """Return ``mean_weight`` when it is a fraction strictly between 0 and 1."""
    fraction = check_fraction("mean_weight", mean_weight)
    if not 0 < fraction < 1:
        raise ValueError(
            f"mean_weight={mean_weight!r} must be above 0 and below 1: it is the fraction of the "
            "rows that should support the model, 0.95 for instance."
        )
    return fraction


def check_log_reinforcement(reinforcement: Any) -> float | None:
    """Return the logarithm of ``reinforcement``; None for "auto"."""
    if isinstance(reinforcement, str) and reinforcement == "auto":
        return None
    if not (_is_number(reinforcement) and reinforcement > 0):
        raise ValueError(
            f"reinforcement={reinforcement!r} must be a number above 0, or "
            '"auto" to reach a mean weight of mean_weight.'
        )
    return math.log(reinforcement)  # next to log-likelihoods, reinforcements themselves underflow


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
