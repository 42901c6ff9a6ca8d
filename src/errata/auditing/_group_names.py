"""Groups of rows as the user names them: their numbers, and folds that they fall into."""

from hashlib import blake2b

import numpy as np

from .._validation import is_missing
from ._settings import GROUP_FOLDS


def group_numbers(groups: np.ndarray, audited: np.ndarray) -> np.ndarray:
    """For each audited row the number of its group."""
    missing = np.flatnonzero([is_missing(group, text=True) for group in groups])
    if len(missing):
        raise ValueError(
            f"groups is missing in {len(missing)} of the rows (the first is row {missing[0]}); a "
            "row without a group needs one of its own."
        )
    names, numbers = _numbered(groups[audited])
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
    names, numbers = _numbered(groups)
    key = seed.to_bytes(8, "little")
    digests = [blake2b(name.encode(), digest_size=8, key=key).digest() for name in names]
    folds = np.array([int.from_bytes(digest, "little") % GROUP_FOLDS for digest in digests])
    return folds[numbers]


def _numbered(groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The names of the groups in order, and which of them each row has."""
    # Objects, as an array of strings would be as wide as the longest of them in every row.
    texts = np.array([str(group) for group in groups.tolist()], dtype=object)
    return np.unique(texts, return_inverse=True)
