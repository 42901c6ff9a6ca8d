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
    near, nearest = np.empty(n + 1, np.int64), np.empty(counts.max())
    limits, few = np.empty(len(candidates)), np.empty(n + 1)
    for i in range(first, last):
        distances(columns, i, subset, sign, base, least)
        y = kinds[i]
        for g in range(starts.shape[1]):
            start, stop, k = starts[y, g], stops[y, g], counts[y, g]
            _nearest_of_base(base, start, stop, k, near, nearest)
            limit = _limits(columns, i, candidates, sign, base, near, k, limits)
            m = survivors(least, start, stop, limit, near)
            for c in range(len(candidates)):
                found[c, i - first, g] = _kth(
                    columns[candidates[c]], i, sign, base, near, m, limits[c], few, nearest, k
                )
    return found


@njit(cache=True, nogil=True)
def distances(columns, i, subset, sign, base, least):
    """Distances of row i in the subset, and the least they can be for any candidate."""
    base[:] = 0
    least[:] = 0
    fours = len(subset) // 4 * 4
    for s in range(0, fours, 4):
        _add_four(columns, subset[s : s + 4], i, base, least)
    for j in subset[fours:]:
        _add(columns[j], columns[j, i], base, least)
    base[i] = np.inf
    for row in range(len(base)):
        least[row] = base[row] - least[row] if sign < 0 else base[row]


@njit(cache=True, nogil=True)
def _add(column, x, base, largest):
    """Add the terms of a column, and keep the largest so far."""
    for row in range(len(base)):
        gap = column[row] - x
        square = gap * gap
        base[row] += square
        largest[row] = square if square > largest[row] else largest[row]


@njit(cache=True, nogil=True)
def _add_four(columns, four, i, base, largest):
    """The same for four columns at once: half of the time goes into fetching sums."""
    a, b, c, d = columns[four[0]], columns[four[1]], columns[four[2]], columns[four[3]]
    x_a, x_b, x_c, x_d = a[i], b[i], c[i], d[i]
    for row in range(len(base)):
        gap_a, gap_b, gap_c, gap_d = a[row] - x_a, b[row] - x_b, c[row] - x_c, d[row] - x_d
        in_a, in_b, in_c, in_d = gap_a * gap_a, gap_b * gap_b, gap_c * gap_c, gap_d * gap_d
        base[row] = base[row] + in_a + in_b + in_c + in_d
        left = in_a if in_a > in_b else in_b
        right = in_c if in_c > in_d else in_d
        most = left if left > right else right
        largest[row] = most if most > largest[row] else largest[row]


@njit(cache=True, nogil=True)
def _nearest_of_base(base, start, stop, k, near, nearest):
    """Fill in the k nearest rows of a segment by the subset itself."""
    for place in range(k):
        nearest[place] = np.inf
    for row in range(start, stop):
        if base[row] < nearest[k - 1]:
            place = k - 1
            while place > 0 and nearest[place - 1] > base[row]:
                nearest[place] = nearest[place - 1]
                near[place] = near[place - 1]
                place -= 1
            nearest[place] = base[row]
            near[place] = row


@njit(cache=True, nogil=True)
def _limits(columns, i, candidates, sign, base, near, k, limits):
    """How far the k-th nearest can be at most for each candidate; return the farthest of all."""
    farthest = 0.0
    for c in range(len(candidates)):
        column = columns[candidates[c]]
        x, limit = column[i], 0.0
        for place in range(k):
            gap = column[near[place]] - x
            limit = max(limit, base[near[place]] + sign * (gap * gap))
        limits[c] = limit
        farthest = max(farthest, limit)
    return farthest


@njit(cache=True, nogil=True)
def survivors(least, start, stop, limit, near):
    """Fill in the rows that may be among the nearest for some candidate; return their number."""
    m = 0
    for row in range(start, stop):
        near[m] = row
        m += least[row] <= limit
    return m


@njit(cache=True, nogil=True)
def _kth(column, i, sign, base, near, m, limit, few, nearest, k):
    """The k-th least distance of the survivors, none of them beyond the limit."""
    x, n_few = column[i], 0
    for survivor in range(m):
        gap = column[near[survivor]] - x
        square = base[near[survivor]] + sign * (gap * gap)
        few[n_few] = square  # kept if the next one does not overwrite it: no branch to guess
        n_few += square < limit
    for place in range(k):
        nearest[place] = limit
    for place in range(n_few):
        _insert(few[place], nearest, k)
    return max(nearest[k - 1], 0.0)


@njit(cache=True, nogil=True)
def _insert(square, nearest, k):
    """Put a value in its place among the k least, if it is one."""
    if square < nearest[k - 1]:
        place = k - 1
        while place > 0 and nearest[place - 1] > square:
            nearest[place] = nearest[place - 1]
            place -= 1
        nearest[place] = square
