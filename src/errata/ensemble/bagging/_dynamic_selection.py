"""Dynamic selection: trust a member where it is right about the training rows nearby."""

from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import gen_batches

REGION = 7  # neighbours that say how competent a member is, as is usual
BATCH = 2**24  # bytes held at once


class LocalCompetence:
    """How many of the training rows nearest to a row each member gets right.

    Weighting these rows by how easy they are was tried, and does not help.
    """

    def __init__(self, X: Any, right: np.ndarray) -> None:
        self.right = right
        self.search = NearestNeighbors(n_neighbors=min(REGION, len(right))).fit(X)

    def __call__(self, X: Any) -> np.ndarray:
        """Weight of each member (n, m) for each row; alike where all are wrong everywhere near."""
        weights = np.empty((X.shape[0], self.right.shape[1]))
        for rows in gen_batches(X.shape[0], max(1, BATCH // (REGION * self.right.shape[1]))):
            near = self.search.kneighbors(X[rows], return_distance=False)
            weights[rows] = self.right[near].sum(axis=1)
        weights[~weights.any(axis=1)] = 1.0
        return weights
