"""Neighbours in a set of columns and a target at once, by the maximum norm. The plain twin.

Two rows are as far apart as in the column in which they differ most. The *joint* distance counts
the target among the columns. The functions give, for each candidate set and each row i of
``start <= i < stop``, the radius (the joint distance to the k-th nearest other row) and the count
(how many other rows are strictly nearer than that in the columns alone), both of shape
(candidates, rows). ``columns`` has shape (features, rows).
"""

import numpy as np


def neighbors_with(columns, target, subset, candidates, k, start, stop):
    """Radii and counts for ``subset`` and one of ``candidates`` more, each in its turn."""
    base = np.zeros((stop - start, columns.shape[1]))
    for j in subset:
        np.maximum(base, _gaps(columns[j], start, stop), out=base)
    in_target = _gaps(target, start, stop)
    found = [
        _neighbors(np.maximum(base, _gaps(columns[j], start, stop)), in_target, k, start)
        for j in candidates
    ]
    return _stacked(found, stop - start)


def neighbors_without(columns, target, subset, k, start, stop):
    """Radii and counts for ``subset`` less one of its columns, each in its turn.

    The largest gap of two rows and the second largest are enough to know every one of them.
    """
    shape = (stop - start, columns.shape[1])
    first, second, where = np.zeros(shape), np.zeros(shape), np.full(shape, -1)
    for place, j in enumerate(subset):
        gaps = _gaps(columns[j], start, stop)
        larger = gaps > first
        second = np.where(larger, first, np.maximum(second, gaps))
        first, where = np.where(larger, gaps, first), np.where(larger, place, where)
    in_target = _gaps(target, start, stop)
    found = [
        _neighbors(np.where(where == place, second, first), in_target, k, start)
        for place in range(len(subset))
    ]
    return _stacked(found, stop - start)


def _gaps(values, start, stop):
    return np.abs(values[start:stop, None] - values)


def _neighbors(distances, in_target, k, start):
    """Radius and count of each row of a block that begins at row ``start``."""
    rows = np.arange(len(distances))
    distances[rows, start + rows] = np.inf  # no row is its own neighbour
    joint = np.maximum(distances, in_target)
    radii = np.partition(joint, k - 1, axis=1)[:, k - 1]
    return radii, (distances < radii[:, None]).sum(axis=1)


def _stacked(found, n):
    radii, counts = np.empty((len(found), n)), np.empty((len(found), n), dtype=np.int64)
    for place, (radius, count) in enumerate(found):
        radii[place], counts[place] = radius, count
    return radii, counts
