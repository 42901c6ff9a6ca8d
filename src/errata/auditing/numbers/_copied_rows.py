"""Copies of rows: left out together, so that they cannot confirm each other's target."""

import numpy as np

from .._copies import copy_groups
from .._groups import joined


def copies_of(X: np.ndarray, targets: np.ndarray) -> np.ndarray | None:
    """The number of each row's group of equal rows, if these are copies; None if there are none.

    Rows with equal features may also be different rows that coarse columns cannot tell apart, and
    then each tells about the others. Copies have equal targets, too: half of such rows at least,
    and twice as many as any two rows have by chance.
    """
    groups = copy_groups(X)
    if groups.max() + 1 == len(groups):
        return None
    together = np.bincount(groups)[groups] > 1
    both = np.unique(np.column_stack([groups, _codes(targets)]), axis=0, return_inverse=True)[1]
    same = np.bincount(both.ravel())[both.ravel()] > 1
    by_chance = float(np.sum((np.bincount(_codes(targets)) / len(targets)) ** 2))
    return groups if same[together].mean() >= max(0.5, 2 * by_chance) else None


def _codes(targets: np.ndarray) -> np.ndarray:
    return np.unique(targets, return_inverse=True)[1]


def groups_with_copies(
    X: np.ndarray, targets: np.ndarray, groups: np.ndarray | None
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Groups that keep copies together, and the copies; unless they link all groups to one."""
    copies = copies_of(X, targets) if X.shape[1] else None
    if copies is None or groups is None:
        return (groups if copies is None else copies), copies
    both = joined(copies, groups)
    return (both, copies) if both.max() > 0 else (groups, None)
