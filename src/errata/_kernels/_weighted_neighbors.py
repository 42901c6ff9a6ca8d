"""Neighbourhoods that hold a given weight of each class. The plain twin.

Rows are points whose coordinates are the columns of ``base``; column c of ``extra`` is added to the
squared distances with ``sign`` 1 and taken out of them with -1, one column at a time, which then is
one of ``base``. Neighbours of a row are the other rows by distance, equals by index.

Neighbours of a row are the other rows by distance, equals by index.
"""

import numpy as np

NUMBERS = 2**20  # distances held at once


def find_weighted_neighbors(
    base, extra, sign, rows, n_neighbors, weights, targets, wanted, self_count
):
    """How far these ``rows`` must look, with each of the columns of ``extra``.

    ``base`` has shape (d, n) and ``extra`` (c, n); weights, targets and ``wanted`` (n, K).

    Returns the squared distance of the ``n_neighbors``-th other row (c, rows), no matter what it
    weighs; and for each class the squared distance and the cumulated weight of the first neighbour
    with which the weights reach the target, or of the last that weighs anything, (c, rows, K).
    ``self_count`` makes each row the first of its own weighted neighbours. What is not ``wanted``
    comes back as infinitely far and without weight.
    """
    c = len(extra)
    k = weights.shape[1]
    nearest = np.empty((c, len(rows)))
    reached = np.full((c, len(rows), k), np.inf)
    mass = np.zeros((c, len(rows), k))
    step = max(1, NUMBERS // base.shape[1])
    for first in range(0, len(rows), step):
        some = rows[first : first + step]
        here = np.arange(first, first + len(some))
        total = sum((_compute_squares(x, some) for x in base), np.zeros((len(some), base.shape[1])))
        for q in range(c):
            squares = np.maximum(total + sign * _compute_squares(extra[q], some), 0)
            squares[here - first, some] = -1 if self_count else np.inf
            order = np.argsort(squares, axis=1, kind="stable")
            squares = np.take_along_axis(squares, order, axis=1)
            nearest[q, here] = squares[:, n_neighbors - 1 + self_count]
            for s in range(k):
                asked = np.flatnonzero(wanted[some, s])
                found = _find_reach(
                    squares[asked], weights[:, s][order[asked]], targets[some[asked], s]
                )
                reached[q, here[asked], s], mass[q, here[asked], s] = found
    return nearest, reached, mass


def _compute_squares(column, rows):
    return np.subtract.outer(column[rows], column) ** 2


def _find_reach(squares, weights, targets):
    """Where sorted rows cumulate the target: squared distances and cumulated weights."""
    weighs = (weights > 0) & (squares < np.inf)
    cumulated = np.cumsum(np.where(weighs, weights, 0), axis=1)
    enough = weighs & (cumulated >= targets[:, None])
    last = squares.shape[1] - 1 - weighs[:, ::-1].argmax(axis=1)
    place = np.where(enough.any(axis=1), enough.argmax(axis=1), last)
    each = np.arange(len(squares))
    some = weighs.any(axis=1)
    return np.where(some, squares[each, place], np.inf), np.where(some, cumulated[each, place], 0)


def list_neighbors(points, start, stop, size):
    """The nearest of rows ``start`` to ``stop``, up to ``size`` of each.

    What comes back has a form of its own, for :func:`reach_along` of the same twin.
    """
    lists = np.empty((stop - start, size), np.int32)
    step = max(1, NUMBERS // len(points))
    for first in range(start, stop, step):
        rows = np.arange(first, min(first + step, stop))
        squares = sum(np.subtract.outer(x[rows], x) ** 2 for x in points.T)
        squares[np.arange(len(rows)), rows] = np.inf
        lists[rows - start] = np.argsort(squares, axis=1, kind="stable")[:, :size]
    return lists


def reach_along(lists, points, start, weights, targets, wanted, self_count):
    """How far rows from ``start`` on must look along their lists, shapes (rows, K).

    Returns squared distance and cumulated weight of the first neighbour with which the weights of
    a class reach the target, or of the last in the list that weighs anything; infinity and 0 where
    nobody does, or nothing is ``wanted``. With ``self_count`` each row is its own first neighbour.
    """
    n = len(lists)
    k = weights.shape[1]
    reached = np.full((n, k), np.inf)
    mass = np.zeros((n, k))
    step = max(1, NUMBERS // (lists.shape[1] + 1))
    for first in range(0, n, step):
        part = slice(first, min(first + step, n))
        rows = np.arange(start + part.start, start + part.stop)
        order = np.column_stack([rows, lists[part]]) if self_count else lists[part]
        for s in range(k):
            place, mass[part, s] = _find_along(
                weights[:, s][order], targets[rows, s], wanted[rows, s]
            )
            ends = order[np.arange(len(rows)), place]
            squares = np.sum((points[rows] - points[ends]) ** 2, axis=1)
            reached[part, s] = np.where(mass[part, s] > 0, squares, np.inf)
    return reached, mass


def _find_along(weights, targets, wanted):
    """Where rows cumulate the target, or as much as there is: the place, and what there is."""
    weighs = (weights > 0) & wanted[:, None]
    cumulated = np.cumsum(np.where(weighs, weights, 0), axis=1)
    enough = weighs & (cumulated >= targets[:, None])
    last = weights.shape[1] - 1 - weighs[:, ::-1].argmax(axis=1)
    place = np.where(enough.any(axis=1), enough.argmax(axis=1), last)
    return place, cumulated[np.arange(len(weights)), place]
