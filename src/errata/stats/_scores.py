"""Tables of scores: the names of the methods, and which differences are more than rounding."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def without_rounding_error(values: np.ndarray, scale: Any) -> np.ndarray:
    """Values relative to the scores' size, to twelve decimals: what is beyond is not data.

    To a reader 0.1 + 0.2 equals 0.3, and 0.90 - 0.85 equals 0.75 - 0.70; in floating point they
    differ, and which comes out larger is chance.
    """
    return np.round(values / np.where(scale > 0, scale, 1.0), 12)


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
