"""From the path of a search to the columns that are kept, and to ranks of all columns."""

from collections.abc import Mapping

import numpy as np


def best_size(scores: Mapping[int, float]) -> int:
    """The smallest size of the highest score.

    >>> best_size({1: 0.2, 2: 0.5, 3: 0.5})
    2
    """
    return max(scores, key=lambda size: (scores[size], -size))


def kept_columns(
    subsets: Mapping[int, np.ndarray], searched: np.ndarray, n_columns: int, size: int
) -> np.ndarray:
    """A mask of the columns that are kept: the subset of this size.

    Where more are wanted than were searched, constant columns join them, the first ones first.
    """
    constant = np.setdiff1d(np.arange(n_columns), searched)
    subset = subsets.get(size, np.concatenate([searched, constant])[:size])
    return np.isin(np.arange(n_columns), subset)


def ranks(
    subsets: Mapping[int, np.ndarray], searched: np.ndarray, kept: np.ndarray, *, nested: bool
) -> np.ndarray:
    """1 for columns that are kept, for others 1 plus the steps until they would enter.

    Columns that a search did not come to share a rank, as do all that are not kept where subsets
    are not ``nested``. Columns that were not searched come last.

    >>> path = {1: np.array([2]), 2: np.array([0, 2]), 3: np.array([0, 1, 2])}
    >>> ranks(path, np.arange(3), np.array([False, False, True, False]), nested=True)
    array([2, 3, 1, 4])
    """
    entry = np.full(len(kept), max(subsets) + 1)
    for size in sorted(subsets, reverse=True):
        entry[subsets[size]] = size
    steps = np.maximum(entry - kept.sum(), 1) if nested else np.ones_like(entry)
    found = np.where(kept, 1, 1 + steps)
    never = ~kept & ~np.isin(np.arange(len(kept)), searched)
    found[never] = 1 + found[~never].max()
    return found
