"""Distances to the k-th nearest row, by subsets that differ in one column. The plain twin.

The squared distance between two rows is a sum over columns, so that one more column adds a term and
one less takes it away. Rows are looked for in *segments*, slices of the rows: all of them, or those
of a class, which therefore stand side by side.
"""

import numpy as np


def nearest_squares(columns, first, last, subset, candidates, sign, kinds, starts, stops, counts):
    """Squared distance of rows ``first:last`` to their nearest ones, shape (candidate, row, g).

    Distances are taken in ``subset``, with one of the ``candidates`` more (``sign`` 1) or less
    (-1). Of a row of kind y, entry g is the distance to its ``counts[y, g]``-th nearest among the
    rows ``starts[y, g]:stops[y, g]``, never counting itself. ``columns`` holds a feature in a row.
    """
    rows = np.arange(first, last)
    base = np.zeros((len(rows), columns.shape[1]))
    for j in subset:
        base += _squares(columns[j], rows)
    base[np.arange(len(rows)), rows] = np.inf
    found = np.empty((len(candidates), len(rows), starts.shape[1]))
    for c, j in enumerate(candidates):
        squares = np.maximum(base + sign * _squares(columns[j], rows), 0)
        for y in np.unique(kinds[rows]):
            same = kinds[rows] == y
            for g, count in enumerate(counts[y]):
                inside = squares[same, starts[y, g] : stops[y, g]]
                found[c, same, g] = np.partition(inside, count - 1, axis=1)[:, count - 1]
    return found


def _squares(x, rows):
    return (x[rows, None] - x) ** 2
