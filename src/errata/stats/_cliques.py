"""Cliques: the largest groups of methods that cannot be told apart."""

from collections.abc import Iterator
from typing import Any

import numpy as np


def cliques(indistinguishable: Any) -> list[tuple[int, ...]]:
    """List the largest groups of methods in which no two differ significantly.

    These are the bars of a critical-difference diagram. A group is listed when no further method
    can join it, so none lies inside another; a method that differs from all others is in none.

    Parameters
    ----------
    indistinguishable : array-like of bool of shape (n_methods, n_methods)
        Symmetric; True where two methods do not differ significantly.

    Returns
    -------
    list of tuple of int
        Each group as increasing method numbers; the groups in increasing order too.

    Notes
    -----
    When methods are told apart by the distance of their average ranks (Nemenyi), each group is
    a run of neighbours in the order of ranks. With a test on pairs it need not be: the first
    and third may be alike while the second, in between, differs from the first. The search is
    that of Bron and Kerbosch with a pivot [1]_.

    References
    ----------
    .. [1] Bron and Kerbosch. Algorithm 457: finding all cliques of an undirected graph.
       Communications of the ACM 16, 1973.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.stats._cliques import cliques
    >>> ranks = np.array([1.0, 1.5, 2.2, 4.0])
    >>> cliques(np.abs(ranks[:, None] - ranks) < 1)
    [(0, 1), (1, 2)]
    """
    alike = np.asarray(indistinguishable, dtype=bool)
    if alike.ndim != 2 or alike.shape[0] != alike.shape[1]:
        raise ValueError(
            "indistinguishable must have one row and one column per method, "
            f"but its shape is {alike.shape}."
        )
    if (alike != alike.T).any():
        raise ValueError("indistinguishable must be symmetric: if a is like b, then b is like a.")
    friends = [set(np.flatnonzero(row).tolist()) - {i} for i, row in enumerate(alike)]
    groups = _grow(set(), set(range(len(alike))), set(), friends)
    return sorted(tuple(sorted(group)) for group in groups if len(group) > 1)


def _grow(
    group: set[int], candidates: set[int], done: set[int], friends: list[set[int]]
) -> Iterator[set[int]]:
    """Yield each maximal group that holds ``group`` and some candidates but none already done."""
    if not candidates and not done:
        yield group
        return
    # A maximal group holds the pivot or someone the pivot does not know: only those need a branch.
    pivot = max(candidates | done, key=lambda i: len(friends[i] & candidates))
    for i in sorted(candidates - friends[pivot]):
        yield from _grow(group | {i}, candidates & friends[i], done & friends[i], friends)
        candidates, done = candidates - {i}, done | {i}
