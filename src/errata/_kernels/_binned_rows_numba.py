"""Rows by their distance, roughly at once and exactly where it matters. Compiled searches share it.

Rows are put into bins of equal width; only bins in which something is decided are then sorted.
"""

import numpy as np
from numba import njit

FEW = 24  # rows of a bin; beyond these, moving them one place at a time is no longer quickest


@njit(cache=True, nogil=True)
def into_bins(squares, rows, size, farthest, doublings, binned, binned_rows, stops, places):
    """Copy the first ``size`` rows bin by bin; bin b ends at ``stops[b]``, where the next begins.

    Within a bin they keep their order; none is beyond ``farthest``. Bins are of equal width in the
    squares, squared again ``doublings`` times: in many dimensions most rows are far away.
    """
    scale = 1 / farthest if farthest > 0 else 0.0
    last = len(stops) - 1
    for t in range(size):
        part = squares[t] * scale
        for _ in range(doublings):
            part *= part
        places[t] = np.int64(part * last)
    stops[:] = 0
    for t in range(size):
        stops[np.uint64(places[t])] += 1
    before = 0
    for b in range(len(stops)):
        stops[b], before = before, before + stops[b]
    for t in range(size):
        b = np.uint64(places[t])
        place = np.uint64(stops[b])
        binned[place], binned_rows[place] = squares[t], rows[t]
        stops[b] += 1


@njit(cache=True, nogil=True)
def sort_bin(squares, rows, start, stop):
    """Sort the rows of a bin; equals keep their order."""
    if stop - start > FEW:
        order = start + np.argsort(squares[start:stop], kind="mergesort")
        rows[start:stop], squares[start:stop] = rows[order], squares[order]
        return
    for t in range(start + 1, stop):
        square, row, place = squares[t], rows[t], t
        while place > start and squares[place - 1] > square:
            squares[place], rows[place] = squares[place - 1], rows[place - 1]
            place -= 1
        squares[place], rows[place] = square, row
