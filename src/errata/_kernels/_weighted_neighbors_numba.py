"""Neighbourhoods that hold a given weight of each class. Compiled.

Rows that end no neighbourhood, whatever the column of ``extra``, are found out together. By
distances over ``base`` alone, sorted into bins with their weights summed, some rows hold enough of
every class. With a column more or less these still do, so that no neighbourhood is larger than the
farthest of them; and no row comes nearer than its distance less its largest term. Only what is
left, mostly a tenth of the rows, is put in order for each column.

A list is in order by bins, as fine as neighbourhoods mostly need; the rows of the bin in which one
ends are sorted when they are asked for.

Rows are put into bins, which is quick. Weights summed bin by bin tell in which bin a neighbourhood
ends, and only its rows are sorted.
"""

import numpy as np
from numba import njit

from ._distances_numba import compute_distances, find_survivors

# The bits of a positive float, read as an integer, are nearly its logarithm: without the last 47
# of them, there are 32 bins for each doubling, from the distance of the k-th neighbour on.
SHIFT = 47
BINS = 24 * 32
WIDTH = 4  # classes that are summed at once
FEW_BINS = 64

LIST_BINS = 512
SAMPLE = 64  # rows whose median distance sets the width of the bins

FEW = 24  # rows of a bin; beyond these, moving them one place at a time is no longer quickest


@njit(cache=True, nogil=True)
def find_weighted_neighbors(
    base, extra, sign, rows, n_neighbors, weights, targets, wanted, self_count
):
    """As the plain twin, row by row: no more than a few numbers for each row are held."""
    c = len(extra)
    n, k = weights.shape
    nearest = np.empty((c, len(rows)))
    reached = np.full((c, len(rows), k), np.inf)
    mass = np.zeros((c, len(rows), k))
    padded = _pad(weights)
    every_column = np.arange(len(base))
    total = np.empty(n)
    least = np.empty(n)
    limits = np.empty(c)
    heap = np.empty(n_neighbors)
    near = np.empty(n + 1, np.int64)
    bins = np.empty(n, np.int64)
    sums = np.empty((BINS, padded.shape[1]))
    few = np.empty(n + 1)
    few_rows = np.empty(n + 1, np.int64)
    binned = (np.empty(n), np.empty(n, np.int64))
    stops = np.empty(FEW_BINS, np.int64)
    ends = np.empty(k, np.int64)
    held = np.empty(k)
    running = np.empty(k)
    doublings = 2 if len(base) > 6 else 1 if len(base) > 3 else 0
    for r in range(len(rows)):
        i = rows[r]
        compute_distances(base, i, every_column, sign, total, least)
        _sum_by_bin(total, _find_kth(total, n_neighbors, heap), padded, i, bins, sums)
        m = _fill_rows_up_to(bins, _find_last_bin(sums, targets[i], wanted[i]), i, near)
        m = find_survivors(
            least, 0, n, _compute_limits(extra, i, sign, total, near, m, limits), near
        )
        for q in range(c):
            size = _fill_within(extra[q], i, sign, total, near, m, limits[q], few, few_rows)
            _find_bins(few, size, limits[q], doublings, bins)
            copy_into_bins(few, few_rows, bins, size, *binned, stops)
            nearest[q, r] = _find_kth_in_bins(*binned, stops, n_neighbors)
            for s in range(k):
                mass[q, r, s] = weights[i, s] * self_count if wanted[i, s] else 0.0
            find_ends(
                binned[1], stops, weights, targets[i], wanted[i], held, running, ends, mass[q, r]
            )
            _search_bins(binned, stops, ends, weights, targets[i], reached[q, r], mass[q, r])
    return nearest, reached, mass


@njit(cache=True, nogil=True)
def _pad(table):
    """With columns of zeros up to a multiple of the width."""
    padded = np.zeros((table.shape[0], -(-table.shape[1] // WIDTH) * WIDTH))
    for i in range(table.shape[0]):
        for s in range(table.shape[1]):
            padded[i, s] = table[i, s]
    return padded


@njit(cache=True, nogil=True)
def _find_kth(squares, k, heap):
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
    one = np.uint64(1)
    two = np.uint64(2)
    three = np.uint64(3)
    for s in range(np.uint64(0), np.uint64(weights.shape[1]), np.uint64(WIDTH)):
        for j in range(np.uint64(start), np.uint64(stop)):
            place = np.uint64(bins[j])
            a = weights[j, s]
            b = weights[j, s + one]
            c = weights[j, s + two]
            d = weights[j, s + three]
            sums[place, s] += a
            sums[place, s + one] += b
            sums[place, s + two] += c
            sums[place, s + three] += d


@njit(cache=True, nogil=True)
def _find_last_bin(sums, targets, wanted):
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
def _fill_rows_up_to(bins, last, i, near):
    """Fill in the rows other than i in these bins; return their number."""
    m = 0
    for j in range(len(bins)):
        near[m] = j  # kept if the next one does not overwrite it: cheaper than a branch
        m += (bins[j] <= last) & (j != i)
    return m


@njit(cache=True, nogil=True)
def _compute_limits(extra, i, sign, total, near, m, limits):
    """How far the rows that hold enough are with each column; return the farthest of all."""
    farthest = 0.0
    for q in range(len(extra)):
        column = extra[q]
        limit = 0.0
        x = column[i]
        for place in range(m):
            gap = column[near[place]] - x
            square = total[near[place]] + sign * (gap * gap)
            limit = square if square > limit else limit
        limits[q] = limit
        farthest = max(farthest, limit)
    return farthest


@njit(cache=True, nogil=True)
def _fill_within(column, i, sign, total, near, m, limit, few, few_rows):
    """Fill in squares and indices of the survivors within the limit; return their number."""
    x = column[i]
    size = 0
    for survivor in range(m):
        row = near[survivor]
        gap = column[row] - x
        square = max(total[row] + sign * (gap * gap), 0.0)
        few[size] = square
        few_rows[size] = row
        size += square <= limit
    return size


@njit(cache=True, nogil=True)
def _find_bins(squares, size, farthest, doublings, places):
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
def _search_bins(binned, stops, ends, weights, targets, reached, mass):
    """Where each class has enough; a row that needs no other one is at -1."""
    for s in range(len(ends)):
        end = ends[s]
        if end >= 0:
            start = stops[end - 1] if end else 0
            reached[s], mass[s] = search_bin(
                binned[0], binned[1], start, stops[end], weights[:, s], targets[s], mass[s]
            )
        elif mass[s] > 0:
            reached[s] = -1.0


@njit(cache=True, nogil=True)
def _find_kth_in_bins(squares, rows, stops, k):
    """The k-th smallest."""
    b = 0
    while stops[b] < k:
        b += 1
    sort_bin(squares, rows, stops[b - 1] if b else 0, stops[b])
    return squares[k - 1]


@njit(cache=True, nogil=True)
def list_neighbors(points, start, stop, size):
    """Rows by bins, (rows, size), and where bins end, (rows, BINS), within the list."""
    columns = points.T.copy()
    every_column = np.arange(points.shape[1])
    n = len(points) - 1
    b = stop - start
    lists = np.empty((b, size), np.int32)
    stops = np.empty((b, LIST_BINS), np.int32)
    squares = np.empty(n + 1)
    spare = np.empty(n + 1)
    others = np.empty(n)
    rows = np.empty(n, np.int32)
    binned = np.empty(n)
    binned_rows = np.empty(n, np.int32)
    places = np.empty(n, np.int64)
    for i in range(start, stop):
        compute_distances(columns, i, every_column, 1, squares, spare)
        for t in range(n):
            rows[t] = t if t < i else t + 1
            others[t] = squares[rows[t]]
        _find_bins_by_median(others, places)
        copy_into_bins(others, rows, places, n, binned, binned_rows, stops[i - start])
        for t in range(size):
            lists[i - start, t] = binned_rows[t]
        _cut(stops[i - start], size)
    return lists, stops


@njit(cache=True, nogil=True)
def _find_bins_by_median(squares, places):
    """Bins of equal width up to twice the median; what is beyond is in the last one."""
    typical = np.median(squares[:: -(-len(squares) // SAMPLE)])
    scale = (LIST_BINS - 1) / (2 * typical) if typical > 0 else 0.0
    for j in range(len(squares)):
        places[j] = np.int64(min(squares[j] * scale, LIST_BINS - 1.0))


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
    n = len(rows)
    k = weights.shape[1]
    reached = np.full((n, k), np.inf)
    mass = np.zeros((n, k))
    held = np.empty(k)
    total = np.empty(k)
    ends = np.empty(k, np.int64)
    squares = np.empty(rows.shape[1])
    some = np.empty(rows.shape[1], np.int32)
    for r in range(n):
        i = start + r
        if self_count:
            for s in range(k):
                mass[r, s] = weights[i, s] if wanted[i, s] else 0.0
        find_ends(rows[r], stops[r], weights, targets[i], wanted[i], held, total, ends, mass[r])
        for s in range(k):
            if ends[s] >= 0:
                m = _fill_rows_of(points, i, rows[r], stops[r], ends[s], squares, some)
                reached[r, s], mass[r, s] = search_bin(
                    squares, some, 0, m, weights[:, s], targets[i, s], mass[r, s]
                )
            elif mass[r, s] > 0:
                reached[r, s] = 0.0
    return reached, mass


@njit(cache=True, nogil=True)
def _fill_rows_of(points, i, rows, stops, b, squares, some):
    """Fill in the rows of a bin, and how far they are; return their number."""
    start = stops[b - 1] if b else 0
    for t in range(start, stops[b]):
        square = 0.0
        for f in range(points.shape[1]):
            gap = points[rows[t], f] - points[i, f]
            square += gap * gap
        squares[t - start] = square
        some[t - start] = rows[t]
    return stops[b] - start


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
        binned[place] = squares[t]
        binned_rows[place] = rows[t]
        stops[into] += 1


@njit(cache=True, nogil=True)
def find_ends(rows, stops, weights, targets, wanted, held, total, ends, before):
    """The bin in which each class reaches its target, or its last one; what comes before it.

    -1 where a class needs no more than is ``before`` any row, or where nobody else is.
    """
    missing = 0
    start = 0
    for s in range(len(wanted)):
        total[s] = before[s]
        ends[s] = -1
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
                ends[s] = b
                before[s] = held[s]
                missing -= total[s] >= targets[s]


@njit(cache=True, nogil=True)
def search_bin(squares, rows, start, stop, weights, target, before):
    """Go along the rows of a bin until there is enough, or as far as anybody weighs."""
    sort_bin(squares, rows, start, stop)
    reached = np.inf
    mass = before
    for t in range(start, stop):
        weight = weights[rows[t]]
        if weight > 0:
            reached = squares[t]
            mass = mass + weight
            if mass >= target:
                break
    return reached, mass


@njit(cache=True, nogil=True)
def sort_bin(squares, rows, start, stop):
    """Sort the rows of a bin; equals keep their order."""
    if stop - start > FEW:
        order = start + np.argsort(squares[start:stop], kind="mergesort")
        sorted_rows = rows[order]
        sorted_squares = squares[order]
        for t in range(len(order)):
            rows[start + t] = sorted_rows[t]
            squares[start + t] = sorted_squares[t]
        return
    for t in range(start + 1, stop):
        square = squares[t]
        row = rows[t]
        place = t
        while place > start and squares[place - 1] > square:
            squares[place] = squares[place - 1]
            rows[place] = rows[place - 1]
            place -= 1
        squares[place] = square
        rows[place] = row
