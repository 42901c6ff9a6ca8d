"""Rows by their distance: roughly at once, exactly where a neighbourhood ends. For compiled twins.

Rows are put into bins, which is quick. Weights summed bin by bin tell in which bin a neighbourhood
ends, and only its rows are sorted.
"""

import numpy as np
from numba import njit

FEW = 24  # rows of a bin; beyond these, moving them one place at a time is no longer quickest


@njit(cache=True, nogil=True)
def copy_into_bins(squares, rows, places, size, binned, binned_rows, stops):
    """Copy rows bin by bin, each to the bin of its place; bin b ends before ``stops[b]``.

    Within a bin they keep their order.
    """
    stops[:] = 0
    for t in range(size):
        stops[np.uint64(places[t])] += 1
    before = 0
    for b in range(len(stops)):
        stops[b], before = before, before + stops[b]
    for t in range(size):
        into = np.uint64(places[t])
        place = np.uint64(stops[into])
        binned[place], binned_rows[place] = squares[t], rows[t]
        stops[into] += 1


@njit(cache=True, nogil=True)
def find_ends(rows, stops, weights, targets, wanted, held, total, ends, before):
    """The bin in which each class reaches its target, or its last one; what comes before it.

    -1 where a class needs no more than is ``before`` any row, or where nobody else is.
    """
    missing, start = 0, 0
    for s in range(len(wanted)):
        total[s], ends[s] = before[s], -1
        missing += wanted[s] and not 0 < before[s] >= targets[s]
    for b in range(len(stops)):
        if missing == 0:
            return
        if stops[b] == start:
            continue
        for s in range(len(wanted)):
            held[s] = total[s]
        for t in range(start, stops[b]):
            row = np.uint64(rows[t])
            for s in range(len(wanted)):
                total[s] += weights[row, s]
        start = stops[b]
        for s in range(len(wanted)):
            if wanted[s] and total[s] > held[s] and not 0 < held[s] >= targets[s]:
                ends[s], before[s] = b, held[s]
                missing -= total[s] >= targets[s]


@njit(cache=True, nogil=True)
def settle(squares, rows, start, stop, weights, target, before):
    """Go along the rows of a bin until there is enough, or as far as anybody weighs."""
    sort_bin(squares, rows, start, stop)
    reached, mass = np.inf, before
    for t in range(start, stop):
        weight = weights[rows[t]]
        if weight > 0:
            reached, mass = squares[t], mass + weight
            if mass >= target:
                break
    return reached, mass


@njit(cache=True, nogil=True)
def sort_bin(squares, rows, start, stop):
    """Sort the rows of a bin; equals keep their order."""
    if stop - start > FEW:
        order = start + np.argsort(squares[start:stop], kind="mergesort")
        sorted_rows, sorted_squares = rows[order], squares[order]
        for t in range(len(order)):
            rows[start + t], squares[start + t] = sorted_rows[t], sorted_squares[t]
        return
    for t in range(start + 1, stop):
        square, row, place = squares[t], rows[t], t
        while place > start and squares[place - 1] > square:
            squares[place], rows[place] = squares[place - 1], rows[place - 1]
            place -= 1
        squares[place], rows[place] = square, row
