"""Neighbours in a set of columns and a target at once, by the maximum norm. Compiled."""

import numpy as np
from numba import njit

RUN = 32  # rows looked at together


@njit(cache=True, nogil=True)
def neighbors_with(columns, target, subset, candidates, k, start, stop):
    """As the plain twin, row after row, in memory for one row."""
    n = columns.shape[1]
    radii, counts = _results(len(candidates), stop - start)
    in_target, base, distances = np.empty(n), np.empty(n), np.empty(n)
    nearest = np.empty(k)
    for i in range(start, stop):
        _gaps(target, i, in_target)
        base[:] = 0.0
        for j in subset:
            _widen(base, columns[j], i, base)
        for c in range(len(candidates)):
            _widen(base, columns[candidates[c]], i, distances)
            _neighbors(distances, in_target, i, nearest, radii[c], counts[c], i - start)
    return radii, counts


@njit(cache=True, nogil=True)
def neighbors_without(columns, target, subset, k, start, stop):
    """As the plain twin, row after row, in memory for one row."""
    n = columns.shape[1]
    radii, counts = _results(len(subset), stop - start)
    in_target, first, second, distances = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    where, nearest = np.empty(n, dtype=np.int64), np.empty(k)
    for i in range(start, stop):
        _gaps(target, i, in_target)
        _two_largest(columns, subset, i, first, second, where)
        for c in range(len(subset)):
            for j in range(n):
                distances[j] = second[j] if where[j] == c else first[j]
            _neighbors(distances, in_target, i, nearest, radii[c], counts[c], i - start)
    return radii, counts


@njit(cache=True, nogil=True)
def _results(n_sets, n):
    return np.empty((n_sets, n)), np.empty((n_sets, n), dtype=np.int64)


@njit(cache=True, nogil=True)
def _gaps(values, i, out):
    for j in range(len(values)):
        out[j] = abs(values[j] - values[i])


@njit(cache=True, nogil=True)
def _widen(base, values, i, out):
    """The larger of ``base`` and the gaps in one more column."""
    for j in range(len(values)):
        gap = abs(values[j] - values[i])
        out[j] = gap if gap > base[j] else base[j]


@njit(cache=True, nogil=True)
def _two_largest(columns, subset, i, first, second, where):
    first[:], second[:], where[:] = 0.0, 0.0, -1
    for place in range(len(subset)):
        values = columns[subset[place]]
        for j in range(len(values)):
            gap = abs(values[j] - values[i])
            larger = gap > first[j]
            second[j] = first[j] if larger else (gap if gap > second[j] else second[j])
            where[j] = place if larger else where[j]
            first[j] = gap if larger else first[j]


@njit(cache=True, nogil=True)
def _neighbors(distances, in_target, i, nearest, radii, counts, row):
    """Fill in radius and count of row ``i``; ``nearest`` is room for k numbers."""
    distances[i] = np.inf  # no row is its own neighbour
    nearest[:] = np.inf
    k = len(nearest)
    for begin in range(0, len(distances), RUN):
        end = min(begin + RUN, len(distances))
        # Most runs have nothing to give, and that is seen many numbers at a time.
        if _nearer(distances[begin:end], in_target[begin:end], nearest[k - 1]):
            for j in range(begin, end):
                joint = max(distances[j], in_target[j])
                if joint < nearest[k - 1]:
                    _insert(nearest, joint)
    radius, count = nearest[k - 1], 0
    for j in range(len(distances)):
        count += distances[j] < radius
    radii[row], counts[row] = radius, count


@njit(cache=True, nogil=True)
def _nearer(distances, in_target, radius):
    count = 0
    for j in range(len(distances)):
        count += (distances[j] < radius) & (in_target[j] < radius)
    return count > 0


@njit(cache=True, nogil=True)
def _insert(nearest, value):
    """Put ``value`` in its place; the largest falls out."""
    place = len(nearest) - 1
    while place > 0 and nearest[place - 1] > value:
        nearest[place] = nearest[place - 1]
        place -= 1
    nearest[place] = value
