"""What the parameters of a reinforced model must be."""

import math
from numbers import Real
from typing import Any

from .._validation import check_fraction


def check_target(target: Any) -> float:
    """Return ``target`` when it is a share strictly between 0 and 1."""
    share = check_fraction("target", target)
    if not 0 < share < 1:
        raise ValueError(
            f"target={target!r} must be above 0 and below 1: it is the share of the rows that "
            "should support the model, 0.95 for instance."
        )
    return share


def check_log_alpha(alpha: Any) -> float | None:
    """Return the logarithm of ``alpha``; None for "auto"."""
    if isinstance(alpha, str) and alpha == "auto":
        return None
    number = isinstance(alpha, Real) and not isinstance(alpha, bool)
    if not number or not alpha > 0:
        raise ValueError(
            f'alpha={alpha!r} must be a number above 0, or "auto" to reach the target mean weight.'
        )
    return math.log(alpha)
