"""Neighbourhoods that hold a given weight of each class. The compiled twin."""

import numpy as np
from numba import njit

# Sums of squares may be reordered, which lets the compiler use wide registers; infinity is used.
FASTMATH = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True)
def weighted_neighbors(
    base, extra, sign, start, stop, n_neighbors, weights, targets, wanted, self_count
):
    """As the plain twin, row by row: no more than a few numbers for each row are held."""
    c, (n, k) = len(extra), weights.shape
    nearest = np.empty((c, stop - start))
    reached, mass = np.full((c, stop - start, k), np.inf), np.zeros((c, stop - start, k))
    members, member_weights, ends = _heaviest_first(weights)
    total, squares = np.empty(n), np.empty(n)
    heap, heap_rows, heap_weights = np.empty(n), np.empty(n, np.int64), np.empty(n)
    for i in range(start, stop):
        _distances(base, i, total)
        for q in range(c):
            _with_column(total, extra[q], sign, i, squares)
            squares[i] = np.inf
            nearest[q, i - start] = _kth(squares, n_neighbors, heap)
            if self_count:
                squares[i] = -1.0
            for s in range(k):
                if wanted[i, s]:
                    a, b = ends[s], ends[s + 1]
                    reached[q, i - start, s], mass[q, i - start, s] = _reach(
                        squares, members[a:b], member_weights[a:b], targets[i, s],
                        heap, heap_rows, heap_weights,
                    )  # fmt: skip
    return nearest, reached, mass


@njit(cache=True, nogil=True)
def _heaviest_first(weights):
    """The rows that weigh anything in each class: heavy ones soon fill a neighbourhood."""
    n, k = weights.shape
    members, member_weights = np.empty(n * k, np.int64), np.empty(n * k)
    ends = np.zeros(k + 1, np.int64)
    for s in range(k):
        end = ends[s]
        for j in np.argsort(-weights[:, s]):
            if weights[j, s] > 0:
                members[end], member_weights[end] = j, weights[j, s]
                end += 1
        ends[s + 1] = end
    return members, member_weights, ends


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def _distances(base, i, total):
    total[:] = 0
    for f in range(len(base)):
        x = base[f]
        for j in range(len(x)):
            total[j] += (x[j] - x[i]) ** 2


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
def _reach(squares, members, member_weights, target, heap, rows, weights):
    """Squared distance and weight of the smallest neighbourhood that weighs enough.

    A heap, its farthest row on top, holds what is the neighbourhood among the rows seen so far.
    """
    size, total = 0, 0.0
    for t in range(len(members)):
        j = members[t]
        square = squares[j]
        if size and total >= target and not _nearer(square, j, heap[0], rows[0]):
            continue
        if square == np.inf:  # the row itself
            continue
        _push(heap, rows, weights, size, square, j, member_weights[t])
        size, total = size + 1, total + member_weights[t]
        while size > 1 and total - weights[0] >= target:
            total -= weights[0]
            size -= 1
            _pop(heap, rows, weights, size)
    if size == 0:
        return np.inf, 0.0
    return heap[0], weights[:size].sum()


@njit(cache=True, nogil=True)
def _nearer(square, row, other_square, other_row):
    return square < other_square or (square == other_square and row < other_row)


@njit(cache=True, nogil=True)
def _push(heap, rows, weights, size, square, row, weight):
    place = size
    while place > 0:
        parent = (place - 1) // 2
        if not _nearer(heap[parent], rows[parent], square, row):
            break
        heap[place], rows[place], weights[place] = heap[parent], rows[parent], weights[parent]
        place = parent
    heap[place], rows[place], weights[place] = square, row, weight


@njit(cache=True, nogil=True)
def _pop(heap, rows, weights, size):
    """Take the top away; ``size`` is what is left."""
    square, row, weight = heap[size], rows[size], weights[size]
    place = 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and _nearer(heap[child], rows[child], heap[child + 1], rows[child + 1]):
            child += 1
        if _nearer(heap[child], rows[child], square, row):
            break
        heap[place], rows[place], weights[place] = heap[child], rows[child], weights[child]
        place = child
    heap[place], rows[place], weights[place] = square, row, weight
