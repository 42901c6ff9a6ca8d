"""Neighbours along one feature: rows are sorted, and the nearest stand next to each other."""

import numpy as np

from ._segments import Segments


def nearest_on_line(x: np.ndarray, segments: Segments) -> np.ndarray:
    """Squared distance of each value to its nearest within segments, (n, g): O(n log n + n k)."""
    found = np.empty((len(x), segments.starts.shape[1]))
    for g, segment, count, rows in segments.searches():
        inside = (rows >= segment.start) & (rows < segment.stop)
        if inside.any():
            others = _to_others(x[segment], count)
            found[rows[inside], g] = others[rows[inside] - segment.start]
        if not inside.all():
            found[rows[~inside], g] = _to_values(x[segment], x[rows[~inside]], count)
    return found


def _to_others(values: np.ndarray, k: int) -> np.ndarray:
    order = np.argsort(values)
    place = np.arange(len(values))
    found = np.empty(len(values))
    found[order] = _kth(values[order], values[order], place, place + 1, k)
    return found


def _to_values(values: np.ndarray, points: np.ndarray, k: int) -> np.ndarray:
    values = np.sort(values)
    place = np.searchsorted(values, points)
    return _kth(values, points, place, place, k)


def _kth(
    values: np.ndarray, points: np.ndarray, below: np.ndarray, above: np.ndarray, k: int
) -> np.ndarray:
    """Square of the least reach that has k values: some of ``values[:below]``, the others above.

    Every share between the two sides is tried; values that are not there are infinitely far.
    """
    padded = np.pad(values, k, constant_values=(-np.inf, np.inf))
    least = np.minimum(points - padded[below], padded[above + 2 * k - 1] - points)
    for lower in range(1, k):
        reach = np.maximum(
            points - padded[below + k - lower], padded[above + 2 * k - lower - 1] - points
        )
        np.minimum(least, reach, out=least)
    return least**2
