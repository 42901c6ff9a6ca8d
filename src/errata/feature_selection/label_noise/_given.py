"""Memberships as they are used: probabilities, and no class without a density."""

from typing import Any

import numpy as np

from ..._format import plural
from ..._warn import warn_user
from ._weighted_neighbors import LEAST, ROUNDING

SUMS = 1e-6  # by how much the memberships of a row may miss 1, as printed or 32-bit ones do


def check_memberships(memberships: Any, n: int, n_classes: int | None = None) -> np.ndarray:
    """Return the probability of each class for each of ``n`` rows, or say what is wrong."""
    gamma = np.asarray(memberships, dtype=float)
    wide = gamma.ndim == 2 and gamma.shape[1] >= 2
    if not wide or len(gamma) != n or n_classes not in (None, gamma.shape[1]):
        columns = "two or more" if n_classes is None else n_classes
        raise ValueError(
            f"memberships must have a row for each of the {n} rows and a column for each class, "
            f"{columns}; the shape is {gamma.shape}."
        )
    # What is right, turned round: NaN is wrong by any comparison.
    wrong = ~((gamma >= 0).all(axis=1) & (np.abs(gamma.sum(axis=1) - 1) <= SUMS))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"memberships[{row}] = {gamma[row].tolist()} are not probabilities of the classes; "
            "none may be negative, and each row must sum to 1."
        )
    return gamma / gamma.sum(axis=1, keepdims=True)


def rows_with_density(memberships: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows that can be judged, and their memberships in classes that have a density.

    A class needs one member besides each of its rows. Rows of a smaller one are left out, as a row
    alone in its class is; what other rows have of it goes to their other classes.
    """
    gamma, rows = memberships, np.arange(len(memberships))
    while (thin := _thin(gamma)).any():
        lost = gamma[:, thin].sum(axis=1)
        gamma, rows = gamma[lost <= 0.5], rows[lost <= 0.5]
        gamma = np.where(thin, 0.0, gamma)
        gamma = gamma / gamma.sum(axis=1, keepdims=True)
    if np.count_nonzero(gamma.sum(axis=0) > LEAST) < 2:
        raise ValueError(
            "fewer than two classes have two rows or more, so that there is nothing to tell apart."
        )
    if len(rows) < len(memberships):
        warn_user(
            f"{plural(len(memberships) - len(rows), 'row')} alone in a class have no neighbour "
            "there and are left out of the estimate."
        )
    return rows, gamma


def _thin(memberships: np.ndarray) -> np.ndarray:
    """Classes whose heaviest row finds less than one other row there."""
    weights = np.where(memberships > LEAST, memberships, 0.0)
    total = weights.sum(axis=0)
    return (total > 0) & (total - weights.max(axis=0, initial=0.0) < 1 - ROUNDING)
