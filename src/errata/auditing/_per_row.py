"""One value for each row: what a user passes beside a table must be as long as it is."""

from typing import Any

import numpy as np

from .._validation import as_column


def check_one_per_row(what: str, found: int, n: int) -> None:
    """Raise when there are more or fewer rows than labels."""
    if found != n:
        raise ValueError(f"{what} has {found} rows, but there are {n} labels; give one for each.")


def one_per_row(name: str, values: Any, n: int) -> np.ndarray:
    """One value per row, for ``groups`` and ``ids``."""
    values = as_column(values)
    if values.ndim != 1:
        raise ValueError(
            f"{name} must hold one value per row, but its shape is {values.shape}; pass a column "
            "and not its name."
        )
    check_one_per_row(name, len(values), n)
    return values
