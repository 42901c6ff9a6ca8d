"""The rows to show an example beside: the nearest of another class, the nearest of its label."""

import numpy as np

from .._neighbors import nearest_in
from ._inputs import Inputs
from ._places import places_among


def nearest_of_each(
    inputs: Inputs, rows: np.ndarray, other: np.ndarray, *, n_jobs: int | None = None
) -> list[list[int]]:
    """For each of ``rows`` the nearest row labelled ``other``, then the nearest with its own label.

    Rows that were not audited have none, nor has anything without features.
    """
    if inputs.X is None:
        return [[] for _ in rows]
    codes = inputs.codes[inputs.audited]
    at, is_audited = places_among(inputs.audited, rows)
    at = at[is_audited]
    found = np.full((len(rows), 2), -1)
    for side, wanted in enumerate((other[is_audited], codes[at])):
        near = nearest_labelled(inputs.X, codes, at, wanted, n_jobs=n_jobs)
        found[is_audited, side] = np.where(near < 0, -1, inputs.audited[near])
    return [[near for near in pair if near >= 0] for pair in found.tolist()]


def nearest_labelled(
    X: np.ndarray,
    codes: np.ndarray,
    rows: np.ndarray,
    wanted: np.ndarray,
    *,
    n_jobs: int | None = None,
) -> np.ndarray:
    """The row nearest to each of ``rows`` among others labelled ``wanted``; -1 if there is none.

    Examples
    --------
    >>> X, codes = np.array([[0.0], [1.0], [2.0], [9.0]]), np.array([0, 1, 1, 0])
    >>> nearest_labelled(X, codes, np.array([0, 0, 2]), np.array([1, 0, 1]))
    array([1, 3, 1])
    """
    found = np.full(len(rows), -1)
    for label in np.unique(wanted):
        members, asking = np.flatnonzero(codes == label), np.flatnonzero(wanted == label)
        k = min(2, len(members))
        if not k:
            continue
        near = members[nearest_in(X[members], X[rows[asking]], k, n_jobs=n_jobs)[1]]
        is_other = near != rows[asking, None]
        first = near[np.arange(len(near)), is_other.argmax(axis=1)]
        found[asking] = np.where(is_other.any(axis=1), first, -1)
    return found
