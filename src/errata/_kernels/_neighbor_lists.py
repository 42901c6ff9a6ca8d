"""Nearest rows, put in order once, and neighbourhoods along them as weights change. The plain twin.

Neighbours of a row are the other rows by distance, equals by index.
"""

import numpy as np

NUMBERS = 2**20  # distances held at once


def neighbor_lists(points, start, stop, size):
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
    n, k = len(lists), weights.shape[1]
    reached, mass = np.full((n, k), np.inf), np.zeros((n, k))
    step = max(1, NUMBERS // (lists.shape[1] + 1))
    for first in range(0, n, step):
        part = slice(first, min(first + step, n))
        rows = np.arange(start + part.start, start + part.stop)
        order = np.column_stack([rows, lists[part]]) if self_count else lists[part]
        for s in range(k):
            place, mass[part, s] = _reach(weights[:, s][order], targets[rows, s], wanted[rows, s])
            ends = order[np.arange(len(rows)), place]
            squares = np.sum((points[rows] - points[ends]) ** 2, axis=1)
            reached[part, s] = np.where(mass[part, s] > 0, squares, np.inf)
    return reached, mass


def _reach(weights, targets, wanted):
    """Where rows cumulate the target, or as much as there is: the place, and what there is."""
    weighs = (weights > 0) & wanted[:, None]
    cumulated = np.cumsum(np.where(weighs, weights, 0), axis=1)
    enough = weighs & (cumulated >= targets[:, None])
    last = weights.shape[1] - 1 - weighs[:, ::-1].argmax(axis=1)
    place = np.where(enough.any(axis=1), enough.argmax(axis=1), last)
    return place, cumulated[np.arange(len(weights)), place]
