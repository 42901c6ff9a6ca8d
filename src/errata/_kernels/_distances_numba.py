"""Nearest rows by subsets of columns, and in columns and a target at once. Compiled.

Rows that are among the nearest for no candidate are found out together: a distance with a column
more is at least that of the subset, with one less at least that of the subset less its largest
term. Only what is left, mostly a few in a hundred rows, is looked at for each candidate.
"""

import numpy as np
from numba import njit

RUN = 32  # rows looked at together


@njit(cache=True, nogil=True)
def find_nearest_squares(
    columns, first, last, subset, candidates, sign, kinds, starts, stops, counts
):
    """As the plain twin, row after row."""
    n = columns.shape[1]
    found = np.empty((len(candidates), last - first, starts.shape[1]))
    base = np.empty(n)
    least = np.empty(n)
    near = np.empty(n + 1, np.int64)
    nearest = np.empty(counts.max())
    limits = np.empty(len(candidates))
    few = np.empty(n + 1)
    for i in range(first, last):
        compute_distances(columns, i, subset, sign, base, least)
        y = kinds[i]
        for g in range(starts.shape[1]):
            start = starts[y, g]
            stop = stops[y, g]
            k = counts[y, g]
            _find_nearest_of_base(base, start, stop, k, near, nearest)
            limit = _compute_limits(columns, i, candidates, sign, base, near, k, limits)
            m = find_survivors(least, start, stop, limit, near)
            for c in range(len(candidates)):
                found[c, i - first, g] = _find_kth(
                    columns[candidates[c]], i, sign, base, near, m, limits[c], few, nearest, k
                )
    return found


@njit(cache=True, nogil=True)
def compute_distances(columns, i, subset, sign, base, least):
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
    a = columns[four[0]]
    b = columns[four[1]]
    c = columns[four[2]]
    d = columns[four[3]]
    x_a = a[i]
    x_b = b[i]
    x_c = c[i]
    x_d = d[i]
    for row in range(len(base)):
        gap_a = a[row] - x_a
        gap_b = b[row] - x_b
        gap_c = c[row] - x_c
        gap_d = d[row] - x_d
        in_a = gap_a * gap_a
        in_b = gap_b * gap_b
        in_c = gap_c * gap_c
        in_d = gap_d * gap_d
        base[row] = base[row] + in_a + in_b + in_c + in_d
        left = in_a if in_a > in_b else in_b
        right = in_c if in_c > in_d else in_d
        most = left if left > right else right
        largest[row] = most if most > largest[row] else largest[row]


@njit(cache=True, nogil=True)
def _find_nearest_of_base(base, start, stop, k, near, nearest):
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
def _compute_limits(columns, i, candidates, sign, base, near, k, limits):
    """How far the k-th nearest can be at most for each candidate; return the farthest of all."""
    farthest = 0.0
    for c in range(len(candidates)):
        column = columns[candidates[c]]
        x = column[i]
        limit = 0.0
        for place in range(k):
            gap = column[near[place]] - x
            limit = max(limit, base[near[place]] + sign * (gap * gap))
        limits[c] = limit
        farthest = max(farthest, limit)
    return farthest


@njit(cache=True, nogil=True)
def find_survivors(least, start, stop, limit, near):
    """Fill in the rows that may be among the nearest for some candidate; return their number."""
    m = 0
    for row in range(start, stop):
        near[m] = row
        m += least[row] <= limit
    return m


@njit(cache=True, nogil=True)
def _find_kth(column, i, sign, base, near, m, limit, few, nearest, k):
    """The k-th least distance of the survivors, none of them beyond the limit."""
    x = column[i]
    n_few = 0
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


@njit(cache=True, nogil=True)
def count_neighbors_with(columns, target, subset, candidates, k, start, stop):
    """As the plain twin, row after row, in memory for one row."""
    n = columns.shape[1]
    radii, counts = _make_results(len(candidates), stop - start)
    in_target = np.empty(n)
    base = np.empty(n)
    distances = np.empty(n)
    nearest = np.empty(k)
    for i in range(start, stop):
        _fill_gaps(target, i, in_target)
        base[:] = 0.0
        for j in subset:
            _widen(base, columns[j], i, base)
        for c in range(len(candidates)):
            _widen(base, columns[candidates[c]], i, distances)
            _count_neighbors(distances, in_target, i, nearest, radii[c], counts[c], i - start)
    return radii, counts


@njit(cache=True, nogil=True)
def count_neighbors_without(columns, target, subset, k, start, stop):
    """As the plain twin, row after row, in memory for one row."""
    n = columns.shape[1]
    radii, counts = _make_results(len(subset), stop - start)
    in_target = np.empty(n)
    first = np.empty(n)
    second = np.empty(n)
    distances = np.empty(n)
    where = np.empty(n, dtype=np.int64)
    nearest = np.empty(k)
    for i in range(start, stop):
        _fill_gaps(target, i, in_target)
        _find_two_largest(columns, subset, i, first, second, where)
        for c in range(len(subset)):
            for j in range(n):
                distances[j] = second[j] if where[j] == c else first[j]
            _count_neighbors(distances, in_target, i, nearest, radii[c], counts[c], i - start)
    return radii, counts


@njit(cache=True, nogil=True)
def _make_results(n_sets, n):
    return np.empty((n_sets, n)), np.empty((n_sets, n), dtype=np.int64)


@njit(cache=True, nogil=True)
def _fill_gaps(values, i, out):
    for j in range(len(values)):
        out[j] = abs(values[j] - values[i])


@njit(cache=True, nogil=True)
def _widen(base, values, i, out):
    """The larger of ``base`` and the gaps in one more column."""
    for j in range(len(values)):
        gap = abs(values[j] - values[i])
        out[j] = gap if gap > base[j] else base[j]


@njit(cache=True, nogil=True)
def _find_two_largest(columns, subset, i, first, second, where):
    first[:] = 0.0
    second[:] = 0.0
    where[:] = -1
    for place in range(len(subset)):
        values = columns[subset[place]]
        for j in range(len(values)):
            gap = abs(values[j] - values[i])
            larger = gap > first[j]
            second[j] = first[j] if larger else (gap if gap > second[j] else second[j])
            where[j] = place if larger else where[j]
            first[j] = gap if larger else first[j]


@njit(cache=True, nogil=True)
def _count_neighbors(distances, in_target, i, nearest, radii, counts, row):
    """Fill in radius and count of row ``i``; ``nearest`` is room for k numbers."""
    distances[i] = np.inf  # no row is its own neighbour
    nearest[:] = np.inf
    k = len(nearest)
    for begin in range(0, len(distances), RUN):
        end = min(begin + RUN, len(distances))
        # Most runs have nothing to give, and that is seen many numbers at a time.
        if _count_nearer(distances[begin:end], in_target[begin:end], nearest[k - 1]):
            for j in range(begin, end):
                joint = max(distances[j], in_target[j])
                if joint < nearest[k - 1]:
                    _insert_below(nearest, joint)
    radius = nearest[k - 1]
    count = 0
    for j in range(len(distances)):
        count += distances[j] < radius
    radii[row] = radius
    counts[row] = count


@njit(cache=True, nogil=True)
def _count_nearer(distances, in_target, radius):
    count = 0
    for j in range(len(distances)):
        count += (distances[j] < radius) & (in_target[j] < radius)
    return count > 0


@njit(cache=True, nogil=True)
def _insert_below(nearest, value):
    """Put ``value`` in its place; the largest falls out."""
    place = len(nearest) - 1
    while place > 0 and nearest[place - 1] > value:
        nearest[place] = nearest[place - 1]
        place -= 1
    nearest[place] = value
