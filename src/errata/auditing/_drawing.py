"""Rows that everything is learnt from, drawn by their places: the same however a table is cut."""

from hashlib import blake2b

import numpy as np

from ._settings import GROUP_FOLDS, LEARN_ROWS


def rows_to_learn_from(n: int, seed: int) -> np.ndarray:
    """The places of the rows to learn from, in order; all of them where they are few.

    Examples
    --------
    >>> len(rows_to_learn_from(1_000_000, seed=0)), len(rows_to_learn_from(10, seed=0))
    (200000, 10)
    """
    if n <= LEARN_ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, LEARN_ROWS, replace=False))


def group_folds(groups: np.ndarray, seed: int) -> np.ndarray:
    """A fold for each row, by the name of its group: the same in any part of a table.

    Examples
    --------
    >>> folds = group_folds(np.array(["ann", "ben", "ann"]), seed=0)
    >>> bool(folds[0] == folds[2])
    True
    """
    names, numbers = np.unique(
        np.array([str(group) for group in groups.tolist()], dtype=object), return_inverse=True
    )
    key = seed.to_bytes(8, "little")
    digests = [blake2b(name.encode(), digest_size=8, key=key).digest() for name in names]
    folds = np.array([int.from_bytes(digest, "little") % GROUP_FOLDS for digest in digests])
    return folds[numbers]
