"""Dynamic selection: trust a base estimator where it is right about the training rows nearby."""

from typing import Any

import numpy as np

from ..._blocks import blocks, map_blocks
from ..._neighbors import NeighborIndex

REGION = 7  # neighbours that say how competent a base estimator is, as is usual
BATCH = 2**24  # bytes held at once


class LocalCompetence:
    """How many of the training rows nearest to a row each base estimator gets right.

    Weighting these rows by how easy they are was tried, and does not help.
    """

    def __init__(self, X: Any, right: np.ndarray) -> None:
        self.right = right
        self.index = NeighborIndex(X)

    def __call__(self, X: Any) -> np.ndarray:
        """Weight of each base estimator (n, m) for each row; 1 where all fail nearby."""
        parts = blocks(X.shape[0], BATCH, width=REGION * self.right.shape[1])
        weights = map_blocks(self._count_right, parts, X)
        weights[~weights.any(axis=1)] = 1.0
        return weights

    def _count_right(self, rows: slice, X: Any) -> np.ndarray:
        _, near = self.index.find(X[rows], min(REGION, len(self.right)))
        return self.right[near].sum(axis=1, dtype=float)
