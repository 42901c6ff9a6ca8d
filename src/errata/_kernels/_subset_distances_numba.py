"""Distances to the k-th nearest row, by subsets that differ in one column. The compiled twin.

Rows that are among the nearest for no candidate are found out together: a distance with a column
more is at least that of the subset, with one less at least that of the subset less its largest
term. Only what is left, mostly a few in a hundred rows, is looked at for each candidate.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def nearest_squares(columns, first, last, subset, candidates, sign, kinds, starts, stops, counts):
    """As the plain twin, row after row."""
    n = columns.shape[1]
    found = np.empty((len(candidates), last - first, starts.shape[1]))
    base, least = np.empty(n), np.empty(n)
    near, nearest = np.empty(n, np.int64), np.empty(counts.max())
    limits = np.empty(len(candidates))
    for i in range(first, last):
        _distances(columns, i, subset, sign, base, least)
        y = kinds[i]
        for g in range(starts.shape[1]):
            start, stop, k = starts[y, g], stops[y, g], counts[y, g]
            _nearest_of_base(base, start, stop, k, near, nearest)
            limit = _limits(columns, i, candidates, sign, base, near, k, limits)
            m = _survivors(least, start, stop, limit, near)
            for c in range(len(candidates)):
                found[c, i - first, g] = _kth(
                    columns[candidates[c]], i, sign, base, near, m, limits[c], nearest[:k]
                )
    return found


@njit(cache=True, nogil=True)
def _distances(columns, i, subset, sign, base, least):
    """Distances of row i in the subset, and the least they can be for any candidate."""
    base[:] = 0
    least[:] = 0
    for j in subset:
        column, x = columns[j], columns[j, i]
        for row in range(len(base)):
            square = (column[row] - x) ** 2
            base[row] += square
            least[row] = max(least[row], square)
    base[i] = np.inf
    for row in range(len(base)):
        least[row] = base[row] - least[row] if sign < 0 else base[row]


@njit(cache=True, nogil=True)
def _nearest_of_base(base, start, stop, k, near, nearest):
    """Fill in the k nearest rows of a segment by the subset itself."""
    nearest[:k] = np.inf
    for row in range(start, stop):
        if base[row] < nearest[k - 1]:
            place = _insert(nearest[:k], base[row])
            for later in range(k - 1, place, -1):
                near[later] = near[later - 1]
            near[place] = row


@njit(cache=True, nogil=True)
def _limits(columns, i, candidates, sign, base, near, k, limits):
    """How far the k-th nearest can be at most for each candidate; return the farthest of all."""
    farthest = 0.0
    for c in range(len(candidates)):
        column = columns[candidates[c]]
        limits[c] = 0.0
        for place in range(k):
            limits[c] = max(limits[c], _square(column, i, near[place], sign, base))
        farthest = max(farthest, limits[c])
    return farthest


@njit(cache=True, nogil=True)
def _survivors(least, start, stop, limit, near):
    """Fill in the rows that may be among the nearest for some candidate; return their number."""
    m = 0
    for row in range(start, stop):
        near[m] = row
        m += least[row] <= limit
    return m


@njit(cache=True, nogil=True)
def _kth(column, i, sign, base, near, m, limit, nearest):
    """The k-th least distance of the survivors, none of them beyond the limit."""
    nearest[:] = limit
    for place in range(m):
        square = _square(column, i, near[place], sign, base)
        if square < nearest[-1]:
            _insert(nearest, square)
    return nearest[-1]


@njit(cache=True, nogil=True)
def _square(column, i, row, sign, base):
    return max(base[row] + sign * (column[row] - column[i]) ** 2, 0.0)


@njit(cache=True, nogil=True)
def _insert(ascending, value):
    """Put a value in its place, the last falling off; return the place."""
    place = len(ascending) - 1
    while place > 0 and ascending[place - 1] > value:
        ascending[place] = ascending[place - 1]
        place -= 1
    ascending[place] = value
    return place
