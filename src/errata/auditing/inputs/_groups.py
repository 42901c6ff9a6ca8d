"""Rows that must be left out together."""

from hashlib import blake2b

import numpy as np
from scipy.sparse import block_array, coo_array
from scipy.sparse.csgraph import connected_components

from ..._validation import is_missing
from .._settings import GROUP_FOLDS


def join_groups(groups: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Groups of rows that share a group in either, directly or through other rows."""
    sides = coo_array((np.ones(len(groups)), (groups, others)))
    graph = block_array([[None, sides], [sides.T, None]])
    return connected_components(graph, directed=False)[1][groups]


def renumber_groups(groups: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    """Groups of some of the rows, counted anew from 0; None where a single one is left."""
    if groups is None:
        return None
    numbers = np.unique(groups[rows], return_inverse=True)[1]
    return numbers if numbers.max() > 0 else None


def group_numbers(groups: np.ndarray, audited: np.ndarray) -> np.ndarray:
    """For each audited row the number of its group."""
    missing = np.flatnonzero([is_missing(group, text=True) for group in groups])
    if len(missing):
        raise ValueError(
            f"groups is missing in {len(missing)} of the rows (the first is row {missing[0]}); a "
            "row without a group needs one of its own."
        )
    names, numbers = _number_groups(groups[audited])
    if len(names) < 2:
        raise ValueError(
            "groups holds one group only; a row is predicted from rows of other groups."
        )
    return numbers


def group_folds(groups: np.ndarray, seed: int) -> np.ndarray:
    """A fold for each row, by the name of its group: the same in any part of a table.

    Examples
    --------
    >>> folds = group_folds(np.array(["ann", "ben", "ann"]), seed=0)
    >>> bool(folds[0] == folds[2])
    True
    """
    names, numbers = _number_groups(groups)
    key = seed.to_bytes(8, "little")
    digests = [blake2b(name.encode(), digest_size=8, key=key).digest() for name in names]
    folds = np.array([int.from_bytes(digest, "little") % GROUP_FOLDS for digest in digests])
    return folds[numbers]


def _number_groups(groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The names of the groups in order, and which of them each row has."""
    # Objects, as an array of strings would be as wide as the longest of them in every row.
    texts = np.array([str(group) for group in groups.tolist()], dtype=object)
    return np.unique(texts, return_inverse=True)


def places_among(ordered: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of each row among those in order, and whether it is there at all.

    The place of a row that is not there means nothing, but is that of some row.

    Examples
    --------
    >>> places_among(np.array([2, 5, 9]), np.array([9, 3, 2, 11]))
    (array([2, 1, 0, 2]), array([ True, False,  True, False]))
    """
    at = np.searchsorted(ordered, rows).clip(max=len(ordered) - 1)
    return at, ordered[at] == rows
