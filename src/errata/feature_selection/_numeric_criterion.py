"""How much a subset of the columns tells about a number: the criterion for numeric targets."""

from collections.abc import Sequence

import numpy as np

from .._neighbors import possible_neighbors
from ._joint_neighbors import Found, JointNeighbors
from ._kraskov import kraskov_average


class NumericInformation:
    """Kraskov's mutual information between columns and a continuous target.

    The columns of ``X`` and the target are expected on one scale, and with enough noise to tell
    rows apart. A set scores the same, to the last bit, whether it was reached by adding a column or
    by taking one away.
    """

    def __init__(
        self, X: np.ndarray, target: np.ndarray, n_neighbors: int, *, n_jobs: int | None = None
    ) -> None:
        self.target = target
        k = possible_neighbors(n_neighbors, len(target))
        self.neighbors = JointNeighbors(np.ascontiguousarray(X.T), target, k, n_jobs)

    def score(self, subset: Sequence[int]) -> float:
        """The information of one subset; that of no column is zero."""
        return self.scores_with(subset[:-1], subset[-1:]).item() if len(subset) else 0.0

    def scores_with(self, subset: Sequence[int], candidates: Sequence[int]) -> np.ndarray:
        """The information of the subset and each candidate."""
        if not len(candidates):
            return np.zeros(0)
        return self._average(self.neighbors.with_each(subset, candidates))

    def scores_without(self, subset: Sequence[int]) -> np.ndarray:
        """The information of the subset without each of its columns."""
        if len(subset) < 2:
            return np.zeros(len(subset))
        return self._average(self.neighbors.without_each(subset))

    def _average(self, found: Found) -> np.ndarray:
        return kraskov_average(found, self.target, self.neighbors.k)
