"""Neighbourhoods that hold a given weight of each class. The compiled twin.

Rows that end no neighbourhood, whatever the column of ``extra``, are found out together. By
distances over ``base`` alone, sorted into bins with their weights summed, some rows hold enough of
every class. With a column more or less these still do, so that no neighbourhood is larger than the
farthest of them; and no row comes nearer than its distance less its largest term. Only what is
left, mostly a tenth of the rows, is put in order for each column.
"""

import numpy as np
from numba import njit

from ._binned_rows_numba import copy_into_bins, find_ends, settle, sort_bin
from ._subset_distances_numba import distances, survivors

# The bits of a positive float, read as an integer, are nearly its logarithm: without the last 47
# of them, there are 32 bins for each doubling, from the distance of the k-th neighbour on.
SHIFT, BINS = 47, 24 * 32
WIDTH = 4  # classes that are summed at once
FEW_BINS = 64


@njit(cache=True, nogil=True)
def weighted_neighbors(base, extra, sign, rows, n_neighbors, weights, targets, wanted, self_count):
    """As the plain twin, row by row: no more than a few numbers for each row are held."""
    c, (n, k) = len(extra), weights.shape
    nearest = np.empty((c, len(rows)))
    reached, mass = np.full((c, len(rows), k), np.inf), np.zeros((c, len(rows), k))
    padded, every_column = _padded(weights), np.arange(len(base))
    total, least, limits, heap = np.empty(n), np.empty(n), np.empty(c), np.empty(n_neighbors)
    near, bins, sums = (
        np.empty(n + 1, np.int64),
        np.empty(n, np.int64),
        np.empty((BINS, padded.shape[1])),
    )
    few, few_rows = np.empty(n + 1), np.empty(n + 1, np.int64)
    binned, stops = (np.empty(n), np.empty(n, np.int64)), np.empty(FEW_BINS, np.int64)
    ends, held, running = np.empty(k, np.int64), np.empty(k), np.empty(k)
    doublings = 2 if len(base) > 6 else 1 if len(base) > 3 else 0
    for r in range(len(rows)):
        i = rows[r]
        distances(base, i, every_column, sign, total, least)
        _sum_by_bin(total, _kth(total, n_neighbors, heap), padded, i, bins, sums)
        m = _rows_up_to(bins, _last_bin(sums, targets[i], wanted[i]), i, near)
        m = survivors(least, 0, n, _limits(extra, i, sign, total, near, m, limits), near)
        for q in range(c):
            size = _within(extra[q], i, sign, total, near, m, limits[q], few, few_rows)
            _places(few, size, limits[q], doublings, bins)
            copy_into_bins(few, few_rows, bins, size, *binned, stops)
            nearest[q, r] = _kth_in_bins(*binned, stops, n_neighbors)
            for s in range(k):
                mass[q, r, s] = weights[i, s] * self_count if wanted[i, s] else 0.0
            find_ends(
                binned[1], stops, weights, targets[i], wanted[i], held, running, ends, mass[q, r]
            )
            _settle_all(binned, stops, ends, weights, targets[i], reached[q, r], mass[q, r])
    return nearest, reached, mass


@njit(cache=True, nogil=True)
def _padded(table):
    """With columns of zeros up to a multiple of the width."""
    padded = np.zeros((table.shape[0], -(-table.shape[1] // WIDTH) * WIDTH))
    for i in range(table.shape[0]):
        for s in range(table.shape[1]):
            padded[i, s] = table[i, s]
    return padded


@njit(cache=True, nogil=True)
def _kth(squares, k, heap):
    """The k-th smallest: the top of a heap of the k smallest so far."""
    heap[:k] = np.inf
    for square in squares:
        if square < heap[0]:
            place = 0
            while 2 * place + 1 < k:
                child = 2 * place + 1
                if child + 1 < k and heap[child + 1] > heap[child]:
                    child += 1
                if heap[child] <= square:
                    break
                heap[place] = heap[child]
                place = child
            heap[place] = square
    return heap[0]


@njit(cache=True, nogil=True)
def _sum_by_bin(squares, lowest, weights, i, bins, sums):
    """Sort all rows into bins and sum their weights; row i has none."""
    bits = squares.view(np.int64)
    least = np.full(1, lowest).view(np.int64)[0] >> SHIFT
    for j in range(len(squares)):
        bins[j] = min(max((bits[j] >> SHIFT) - least, 0), BINS - 1)
    sums[:] = 0
    _add_weights(weights, bins, 0, i, sums)
    _add_weights(weights, bins, i + 1, len(squares), sums)


@njit(cache=True, nogil=True)
def _add_weights(weights, bins, start, stop, sums):
    # Unsigned, indices are not looked at for counting from the end; written out, and read before
    # anything is stored, four weights take as long as one.
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    for s in range(np.uint64(0), np.uint64(weights.shape[1]), np.uint64(WIDTH)):
        for j in range(np.uint64(start), np.uint64(stop)):
            place = np.uint64(bins[j])
            a, b = weights[j, s], weights[j, s + one]
            c, d = weights[j, s + two], weights[j, s + three]
            sums[place, s] += a
            sums[place, s + one] += b
            sums[place, s + two] += c
            sums[place, s + three] += d


@njit(cache=True, nogil=True)
def _last_bin(sums, targets, wanted):
    """The first bin up to which every class that is wanted reaches its target, or its end."""
    last = 0
    for s in range(len(wanted)):
        if wanted[s]:
            total = 0.0
            for place in range(BINS):
                if total >= targets[s]:
                    break
                if sums[place, s] > 0:
                    total += sums[place, s]
                    last = max(last, place)
    return last


@njit(cache=True, nogil=True)
def _rows_up_to(bins, last, i, near):
    """Fill in the rows other than i in these bins; return their number."""
    m = 0
    for j in range(len(bins)):
        near[m] = j  # kept if the next one does not overwrite it: cheaper than a branch
        m += (bins[j] <= last) & (j != i)
    return m


@njit(cache=True, nogil=True)
def _limits(extra, i, sign, total, near, m, limits):
    """How far the rows that hold enough are with each column; return the farthest of all."""
    farthest = 0.0
    for q in range(len(extra)):
        column, limit = extra[q], 0.0
        x = column[i]
        for place in range(m):
            gap = column[near[place]] - x
            square = total[near[place]] + sign * (gap * gap)
            limit = square if square > limit else limit
        limits[q] = limit
        farthest = max(farthest, limit)
    return farthest


@njit(cache=True, nogil=True)
def _within(column, i, sign, total, near, m, limit, few, few_rows):
    """Fill in squares and indices of the survivors within the limit; return their number."""
    x, size = column[i], 0
    for survivor in range(m):
        row = near[survivor]
        gap = column[row] - x
        square = max(total[row] + sign * (gap * gap), 0.0)
        few[size], few_rows[size] = square, row
        size += square <= limit
    return size


@njit(cache=True, nogil=True)
def _places(squares, size, farthest, doublings, places):
    """Bins of equal width up to the farthest, in squares that are squared again a few times.

    In many dimensions most rows are far away, and these bins hold about as many each.
    """
    scale = 1 / farthest if farthest > 0 else 0.0
    for t in range(size):
        part = squares[t] * scale
        for _ in range(doublings):
            part *= part
        places[t] = np.int64(part * (FEW_BINS - 1))


@njit(cache=True, nogil=True)
def _settle_all(binned, stops, ends, weights, targets, reached, mass):
    """Where each class has enough; a row that needs no other one is at -1."""
    for s in range(len(ends)):
        end = ends[s]
        if end >= 0:
            start = stops[end - 1] if end else 0
            reached[s], mass[s] = settle(
                binned[0], binned[1], start, stops[end], weights[:, s], targets[s], mass[s]
            )
        elif mass[s] > 0:
            reached[s] = -1.0


@njit(cache=True, nogil=True)
def _kth_in_bins(squares, rows, stops, k):
    """The k-th smallest."""
    b = 0
    while stops[b] < k:
        b += 1
    sort_bin(squares, rows, stops[b - 1] if b else 0, stops[b])
    return squares[k - 1]
