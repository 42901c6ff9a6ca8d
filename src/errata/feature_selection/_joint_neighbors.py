"""Neighbours in a set of columns and a target at once: by a tree for few columns, or a block."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.spatial import cKDTree

from .._blocks import blocks
from .._kernels import kernels

TREE_COLUMNS = 2  # up to here a tree is quicker from a few thousand rows on, and never much slower
CHUNK = 2**21  # distances held at once: 16 MB, and the plain twin has some six such arrays

Found = tuple[np.ndarray, np.ndarray]  # radii and counts, (sets, n)


class JointNeighbors:
    """Radii and counts of sets of columns, by the maximum norm.

    The radius of a row is its distance to the k-th nearest other row in the columns and the target
    at once; the count, how many others are strictly nearer than that in the columns alone. Either
    way of finding them takes differences of values and their maximum and nothing else, so that they
    are the same to the last bit however a set was come by.
    """

    def __init__(
        self, columns: np.ndarray, target: np.ndarray, k: int, n_jobs: int | None = None
    ) -> None:
        self.columns, self.target, self.k, self.n_jobs = columns, target, k, n_jobs

    def with_each(self, subset: Sequence[int], candidates: Sequence[int]) -> Found:
        """For the subset and one of the candidates more, each in its turn."""
        if len(subset) < TREE_COLUMNS:
            return self._by_trees([[*subset, j] for j in candidates])
        return self._by_blocks("neighbors_with", subset, candidates)

    def without_each(self, subset: Sequence[int]) -> Found:
        """For the subset less one of its columns, each in its turn."""
        if len(subset) <= TREE_COLUMNS + 1:
            return self._by_trees([[i for i in subset if i != j] for j in subset])
        return self._by_blocks("neighbors_without", subset)

    def _by_trees(self, sets: list[list[int]]) -> Found:
        found = self._threads()(
            delayed(tree_neighbors)(self.columns[columns], self.target, self.k) for columns in sets
        )
        radii, counts = zip(*found, strict=True)
        return np.array(radii), np.array(counts)

    def _by_blocks(self, kernel: str, *sets: Sequence[int]) -> Found:
        find: Callable[..., Found] = getattr(kernels("joint_neighbors"), kernel)
        chosen = [np.asarray(columns, dtype=np.intp) for columns in sets]
        found = self._threads()(
            delayed(find)(self.columns, self.target, *chosen, self.k, rows.start, rows.stop)
            for rows in self._blocks()
        )
        radii, counts = zip(*found, strict=True)
        return np.concatenate(radii, axis=1), np.concatenate(counts, axis=1)

    def _blocks(self) -> Iterator[slice]:
        n = len(self.target)
        share = -(-n * n // effective_n_jobs(self.n_jobs))
        return blocks(n, min(CHUNK, share), width=n)

    def _threads(self) -> Any:
        return Parallel(n_jobs=self.n_jobs, require="sharedmem")


def tree_neighbors(columns: np.ndarray, target: np.ndarray, k: int) -> Found:
    """Radii and counts of one set of columns, (n,), in O(n log n) for one column or two."""
    joint = np.column_stack([*columns, target])
    # The row itself is among those found, at distance 0: only the value of the k-th is used.
    radii = cKDTree(joint).query(joint, [k + 1], p=np.inf)[0][:, 0]
    if len(columns) == 1:
        return radii, count_within(columns[0], radii)
    points = np.ascontiguousarray(columns.T)
    inside = np.nextafter(radii, 0)  # the tree counts what is as far, too
    counts = cKDTree(points).query_ball_point(points, inside, p=np.inf, return_length=True)
    return radii, counts - 1


def count_within(values: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """How many other values are strictly nearer to each value than its radius.

    Bisects by the difference itself: the k-th neighbour is exactly as far as the radius, and a sum
    of value and radius would be rounded to either side of it.

    >>> count_within(np.array([0.0, 1.0, 3.0]), np.array([3.0, 2.5, 0.5]))
    array([1, 2, 0])
    """
    ordered, centres = np.sort(values), values
    above = _first(lambda at: ordered[at] - centres >= radii, len(values))
    below = _first(lambda at: centres - ordered[at] < radii, len(values))
    return np.maximum(above - below - 1, 0)  # of a radius of 0 not even the value itself


def _first(holds: Callable[[np.ndarray], np.ndarray], n: int) -> np.ndarray:
    """The first of n places at which a condition holds, for each row; n where it never does."""
    low, high = np.zeros(n, dtype=np.intp), np.full(n, n)
    for _ in range(n.bit_length()):
        middle = (low + high) // 2
        true = holds(np.minimum(middle, n - 1)) | (middle == n)
        low, high = np.where(true, low, middle + 1), np.where(true, middle, high)
    return high
