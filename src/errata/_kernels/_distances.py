"""Nearest rows by subsets of columns, and in columns and a target at once. The plain twin.

The squared distance between two rows is a sum over columns, so that one more column adds a term and
one less takes it away. Rows are looked for in *segments*, slices of the rows: all of them, or those
of a class, which therefore stand side by side.

Two rows are as far apart as in the column in which they differ most. The *joint* distance counts
the target among the columns. The functions give, for each candidate set and each row i of
``start <= i < stop``, the radius (the joint distance to the k-th nearest other row) and the count
(how many other rows are strictly nearer than that in the columns alone), both of shape
(candidates, rows). ``columns`` has shape (features, rows).
"""

import numpy as np


def find_nearest_squares(
    columns, first, last, subset, candidates, sign, kinds, starts, stops, counts
):
    """Squared distance of rows ``first:last`` to their nearest ones, shape (candidate, row, g).

    Distances are taken in ``subset``, with one of the ``candidates`` more (``sign`` 1) or less
    (-1). Of a row of kind y, entry g is the distance to its ``counts[y, g]``-th nearest among the
    rows ``starts[y, g]:stops[y, g]``, never counting itself. ``columns`` holds a feature in a row.
    """
    rows = np.arange(first, last)
    base = np.zeros((len(rows), columns.shape[1]))
    for j in subset:
        base += _compute_squares(columns[j], rows)
    base[np.arange(len(rows)), rows] = np.inf
    found = np.empty((len(candidates), len(rows), starts.shape[1]))
    for c, j in enumerate(candidates):
        squares = np.maximum(base + sign * _compute_squares(columns[j], rows), 0)
        for y in np.unique(kinds[rows]):
            same = kinds[rows] == y
            for g, count in enumerate(counts[y]):
                inside = squares[same, starts[y, g] : stops[y, g]]
                found[c, same, g] = np.partition(inside, count - 1, axis=1)[:, count - 1]
    return found


def _compute_squares(x, rows):
    return (x[rows, None] - x) ** 2


def count_neighbors_with(columns, target, subset, candidates, k, start, stop):
    """Radii and counts for ``subset`` and one of ``candidates`` more, each in its turn."""
    base = np.zeros((stop - start, columns.shape[1]))
    for j in subset:
        np.maximum(base, _compute_gaps(columns[j], start, stop), out=base)
    in_target = _compute_gaps(target, start, stop)
    found = [
        _count_neighbors(
            np.maximum(base, _compute_gaps(columns[j], start, stop)), in_target, k, start
        )
        for j in candidates
    ]
    return _stack(found, stop - start)


def count_neighbors_without(columns, target, subset, k, start, stop):
    """Radii and counts for ``subset`` less one of its columns, each in its turn.

    The largest gap of two rows and the second largest are enough to know every one of them.
    """
    shape = (stop - start, columns.shape[1])
    first = np.zeros(shape)
    second = np.zeros(shape)
    where = np.full(shape, -1)
    for place, j in enumerate(subset):
        gaps = _compute_gaps(columns[j], start, stop)
        larger = gaps > first
        second = np.where(larger, first, np.maximum(second, gaps))
        first = np.where(larger, gaps, first)
        where = np.where(larger, place, where)
    in_target = _compute_gaps(target, start, stop)
    found = [
        _count_neighbors(np.where(where == place, second, first), in_target, k, start)
        for place in range(len(subset))
    ]
    return _stack(found, stop - start)


def _compute_gaps(values, start, stop):
    return np.abs(values[start:stop, None] - values)


def _count_neighbors(distances, in_target, k, start):
    """Radius and count of each row of a block that begins at row ``start``."""
    rows = np.arange(len(distances))
    distances[rows, start + rows] = np.inf  # no row is its own neighbour
    joint = np.maximum(distances, in_target)
    radii = np.partition(joint, k - 1, axis=1)[:, k - 1]
    return radii, (distances < radii[:, None]).sum(axis=1)


def _stack(found, n):
    radii = np.empty((len(found), n))
    counts = np.empty((len(found), n), dtype=np.int64)
    for place, (radius, count) in enumerate(found):
        radii[place] = radius
        counts[place] = count
    return radii, counts
