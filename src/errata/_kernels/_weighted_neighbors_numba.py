"""Neighbourhoods that hold a given weight of each class. The compiled twin.

Rows are sorted into bins by their distance, and weights summed by bin for all classes at once. The
sums say in which bin a neighbourhood ends; only the few rows of that bin are put in order.
"""

import numpy as np
from numba import njit

# Sums may be reordered, which lets the compiler use wide registers; infinity keeps its meaning.
FASTMATH = {"reassoc", "contract", "nsz"}
# The bits of a positive float, read as an integer, are nearly its logarithm: without the last 47
# of them, there are 32 bins for each doubling, from the distance of the k-th neighbour on.
SHIFT, BINS = 47, 24 * 32
WIDTH = 4  # columns, or classes, that are summed at once


@njit(cache=True, nogil=True)
def weighted_neighbors(
    base, extra, sign, start, stop, n_neighbors, weights, targets, wanted, self_count
):
    """As the plain twin, row by row: no more than a few numbers for each row are held."""
    c, (n, k) = len(extra), weights.shape
    nearest = np.empty((c, stop - start))
    reached, mass = np.full((c, stop - start, k), np.inf), np.zeros((c, stop - start, k))
    padded, columns = _padded(weights), _padded(base.T).T.copy()
    total, squares = np.empty(n), np.empty(n)
    some = np.empty(n), np.empty(n), np.empty(n, np.int64)  # squares, weights, indices of rows
    bins, sums = np.empty(n, np.int64), np.empty((BINS, padded.shape[1]))
    ends, before = np.empty(k, np.int64), np.empty(k)
    for i in range(start, stop):
        _distances(columns, i, total)
        for q in range(c):
            _with_column(total, extra[q], sign, i, squares)
            squares[i] = np.inf
            nearest[q, i - start] = _kth(squares, n_neighbors, some[0])
            if self_count:
                squares[i] = -1.0
            _sum_by_bin(squares, nearest[q, i - start], padded, i, self_count, bins, sums)
            _find_ends(sums, targets[i], wanted[i], ends, before)
            _settle(
                squares, bins, weights, targets[i], ends, before, some,
                reached[q, i - start], mass[q, i - start],
            )  # fmt: skip
    return nearest, reached, mass


@njit(cache=True, nogil=True)
def _padded(table):
    """With columns of zeros up to a multiple of the width."""
    padded = np.zeros((table.shape[0], -(-table.shape[1] // WIDTH) * WIDTH))
    padded[:, : table.shape[1]] = table
    return padded


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def _distances(columns, i, total):
    total[:] = 0
    for f in range(0, len(columns), WIDTH):  # four at a time, so that sums are stored less often
        w, x, y, z = columns[f], columns[f + 1], columns[f + 2], columns[f + 3]
        a, b, c, d = w[i], x[i], y[i], z[i]
        for j in range(len(total)):
            total[j] += (w[j] - a) ** 2 + (x[j] - b) ** 2 + (y[j] - c) ** 2 + (z[j] - d) ** 2


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def _with_column(total, x, sign, i, squares):
    for j in range(len(x)):
        squares[j] = max(total[j] + sign * (x[j] - x[i]) ** 2, 0.0)


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
def _sum_by_bin(squares, lowest, weights, i, self_count, bins, sums):
    """Sort all rows into bins and sum their weights; row i has none unless it counts."""
    bits = squares.view(np.int64)
    least = np.full(1, lowest).view(np.int64)[0] >> SHIFT
    for j in range(len(squares)):
        bins[j] = min(max((bits[j] >> SHIFT) - least, 0), BINS - 1)
    sums[:] = 0
    _add_weights(weights, bins, 0, i + self_count, sums)
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
def _find_ends(sums, targets, wanted, ends, before):
    """The bin in which each class reaches its target, or its last one; what comes before it."""
    for s in range(len(ends)):
        ends[s], before[s], total = -1, 0.0, 0.0
        if not wanted[s]:
            continue
        for place in range(len(sums)):
            if sums[place, s] > 0:
                ends[s], before[s] = place, total
                total += sums[place, s]
                if total >= targets[s]:
                    break


@njit(cache=True, nogil=True)
def _settle(squares, bins, weights, targets, ends, before, some, reached, mass):
    """Put the rows of the last bin of each class in order, as far as needed."""
    last = _rows_of(ends, bins)
    for s in range(len(ends)):
        size = 0
        for j in last:
            if bins[j] == ends[s] and weights[j, s] > 0 and squares[j] < np.inf:
                some[0][size], some[1][size], some[2][size] = squares[j], weights[j, s], j
                size += 1
        if size:
            reached[s], inside = _select(some, size, targets[s] - before[s])
            mass[s] = before[s] + inside


@njit(cache=True, nogil=True)
def _rows_of(ends, bins):
    """The rows in any of these bins."""
    marked = np.zeros(BINS, np.uint8)
    for end in ends:
        if end >= 0:
            marked[end] = 1
    found, size = np.empty(len(bins), np.int64), 0
    for j in range(len(bins)):
        found[size] = j  # kept if the next one does not overwrite it: cheaper than a branch
        size += marked[np.uint64(bins[j])]
    return found[:size]


@njit(cache=True, nogil=True)
def _select(some, size, target):
    """Squared distance and weight of the first rows that weigh enough, or of all, in O(size).

    Quickselect by weight: what is nearer than a pivot either weighs enough, or is counted.
    """
    squares, weights, rows = some
    low, high, counted = 0, size - 1, 0.0
    while low < high:
        pivot = _partition(squares, rows, weights, low, high)
        nearer = weights[low:pivot].sum()
        if pivot > low and counted + nearer >= target:
            high = pivot - 1
        elif counted + nearer + weights[pivot] >= target or pivot == high:
            return squares[pivot], counted + nearer + weights[pivot]
        else:
            counted += nearer + weights[pivot]
            low = pivot + 1
    return squares[low], counted + weights[low]


@njit(cache=True, nogil=True)
def _partition(squares, rows, weights, low, high):
    """Put what is nearer than the middle row before it, the others behind; its new place."""
    _swap(squares, rows, weights, (low + high) // 2, high)
    place = low
    for t in range(low, high):
        nearer = squares[t] < squares[high]
        if nearer or (squares[t] == squares[high] and rows[t] < rows[high]):
            _swap(squares, rows, weights, t, place)
            place += 1
    _swap(squares, rows, weights, place, high)
    return place


@njit(cache=True, nogil=True)
def _swap(squares, rows, weights, a, b):
    squares[a], squares[b] = squares[b], squares[a]
    rows[a], rows[b] = rows[b], rows[a]
    weights[a], weights[b] = weights[b], weights[a]
