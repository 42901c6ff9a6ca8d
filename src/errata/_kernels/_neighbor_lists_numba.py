"""Nearest rows, put in order once, and neighbourhoods along them as weights change. Compiled.

A list is in order by bins, as fine as neighbourhoods mostly need; the rows of the bin in which one
ends are sorted when they are asked for.
"""

import numpy as np
from numba import njit

from ._binned_rows_numba import copy_into_bins, find_ends, settle
from ._subset_distances_numba import distances

BINS = 512
SAMPLE = 64  # rows whose median distance sets the width of the bins


@njit(cache=True, nogil=True)
def neighbor_lists(points, start, stop, size):
    """Rows by bins, (rows, size), and where bins end, (rows, BINS), within the list."""
    columns, every_column = points.T.copy(), np.arange(points.shape[1])
    n, b = len(points) - 1, stop - start
    lists, stops = np.empty((b, size), np.int32), np.empty((b, BINS), np.int32)
    squares, spare = np.empty(n + 1), np.empty(n + 1)
    others, rows = np.empty(n), np.empty(n, np.int32)
    binned, binned_rows, places = np.empty(n), np.empty(n, np.int32), np.empty(n, np.int64)
    for i in range(start, stop):
        distances(columns, i, every_column, 1, squares, spare)
        for t in range(n):
            rows[t] = t if t < i else t + 1
            others[t] = squares[rows[t]]
        _places(others, places)
        copy_into_bins(others, rows, places, n, binned, binned_rows, stops[i - start])
        for t in range(size):
            lists[i - start, t] = binned_rows[t]
        _cut(stops[i - start], size)
    return lists, stops


@njit(cache=True, nogil=True)
def _places(squares, places):
    """Bins of equal width up to twice the median; what is beyond is in the last one."""
    typical = np.median(squares[:: -(-len(squares) // SAMPLE)])
    scale = (BINS - 1) / (2 * typical) if typical > 0 else 0.0
    for j in range(len(squares)):
        places[j] = np.int64(min(squares[j] * scale, BINS - 1.0))


@njit(cache=True, nogil=True)
def _cut(stops, size):
    """Forget the bins that end beyond the list."""
    last = 0
    for b in range(len(stops)):
        if stops[b] <= size:
            last = stops[b]
        stops[b] = last


@njit(cache=True, nogil=True)
def reach_along(lists, points, start, weights, targets, wanted, self_count):
    """As the plain twin, row by row."""
    rows, stops = lists
    n, k = len(rows), weights.shape[1]
    reached, mass = np.full((n, k), np.inf), np.zeros((n, k))
    held, total, ends = np.empty(k), np.empty(k), np.empty(k, np.int64)
    squares, some = np.empty(rows.shape[1]), np.empty(rows.shape[1], np.int32)
    for r in range(n):
        i = start + r
        if self_count:
            for s in range(k):
                mass[r, s] = weights[i, s] if wanted[i, s] else 0.0
        find_ends(rows[r], stops[r], weights, targets[i], wanted[i], held, total, ends, mass[r])
        for s in range(k):
            if ends[s] >= 0:
                m = _rows_of(points, i, rows[r], stops[r], ends[s], squares, some)
                reached[r, s], mass[r, s] = settle(
                    squares, some, 0, m, weights[:, s], targets[i, s], mass[r, s]
                )
            elif mass[r, s] > 0:
                reached[r, s] = 0.0
    return reached, mass


@njit(cache=True, nogil=True)
def _rows_of(points, i, rows, stops, b, squares, some):
    """Fill in the rows of a bin, and how far they are; return their number."""
    start = stops[b - 1] if b else 0
    for t in range(start, stops[b]):
        square = 0.0
        for f in range(points.shape[1]):
            gap = points[rows[t], f] - points[i, f]
            square += gap * gap
        squares[t - start], some[t - start] = square, rows[t]
    return stops[b] - start
