"""Rows that everything is learnt from, drawn by their places: the same however a table is cut."""

import numpy as np

from ._settings import LEARN_ROWS


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
