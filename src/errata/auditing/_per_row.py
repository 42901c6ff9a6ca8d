"""One value for each row: what a user passes beside a table must be as long as it is."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._names import instead
from .._validation import as_column


def check_one_per_row(name: str, found: int, n: int, *, what: str = "labels") -> None:
    """Raise when there are more or fewer rows than labels, or whatever is audited."""
    if found != n:
        raise ValueError(f"{name} has {found} rows, but there are {n} {what}; give one for each.")


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


def missing_column(name: Any, purpose: str, names: Sequence[Any]) -> str:
    """What to say when a column that was named is not there."""
    return f"there is no column {name!r} {purpose}; {instead(name, names)}"
