"""Neighbourhoods that hold a given weight of each class. The plain twin.

Rows are points whose coordinates are the columns of ``base``; column c of ``extra`` is added to the
squared distances with ``sign`` 1 and taken out of them with -1, one column at a time, which then is
one of ``base``. Neighbours of a row are the other rows by distance, equals by index.
"""

import numpy as np

NUMBERS = 2**20  # distances held at once


def weighted_neighbors(base, extra, sign, rows, n_neighbors, weights, targets, wanted, self_count):
    """How far these ``rows`` must look, with each of the columns of ``extra``.

    ``base`` has shape (d, n) and ``extra`` (c, n); weights, targets and ``wanted`` (n, K).

    Returns the squared distance of the ``n_neighbors``-th other row (c, rows), no matter what it
    weighs; and for each class the squared distance and the cumulated weight of the first neighbour
    with which the weights reach the target, or of the last that weighs anything, (c, rows, K).
    ``self_count`` makes each row the first of its own weighted neighbours. What is not ``wanted``
    comes back as infinitely far and without weight.
    """
    c, k = len(extra), weights.shape[1]
    nearest = np.empty((c, len(rows)))
    reached, mass = np.full((c, len(rows), k), np.inf), np.zeros((c, len(rows), k))
    step = max(1, NUMBERS // base.shape[1])
    for first in range(0, len(rows), step):
        some = rows[first : first + step]
        here = np.arange(first, first + len(some))
        total = sum((_squares(x, some) for x in base), np.zeros((len(some), base.shape[1])))
        for q in range(c):
            squares = np.maximum(total + sign * _squares(extra[q], some), 0)
            squares[here - first, some] = -1 if self_count else np.inf
            order = np.argsort(squares, axis=1, kind="stable")
            squares = np.take_along_axis(squares, order, axis=1)
            nearest[q, here] = squares[:, n_neighbors - 1 + self_count]
            for s in range(k):
                asked = np.flatnonzero(wanted[some, s])
                found = _reach(squares[asked], weights[:, s][order[asked]], targets[some[asked], s])
                reached[q, here[asked], s], mass[q, here[asked], s] = found
    return nearest, reached, mass


def _squares(column, rows):
    return np.subtract.outer(column[rows], column) ** 2


def _reach(squares, weights, targets):
    """Where sorted rows cumulate the target: squared distances and cumulated weights."""
    weighs = (weights > 0) & (squares < np.inf)
    cumulated = np.cumsum(np.where(weighs, weights, 0), axis=1)
    enough = weighs & (cumulated >= targets[:, None])
    last = squares.shape[1] - 1 - weighs[:, ::-1].argmax(axis=1)
    place = np.where(enough.any(axis=1), enough.argmax(axis=1), last)
    each = np.arange(len(squares))
    some = weighs.any(axis=1)
    return np.where(some, squares[each, place], np.inf), np.where(some, cumulated[each, place], 0)
