"""All distances between some rows and others, for whoever needs more than the nearest."""

from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances


def distances_between(A: Any, B: Any, metric: Any) -> np.ndarray:
    """Distances from each row of ``A`` to each of ``B``; cut ``A`` into blocks when it is long."""
    # From differences: scikit-learn's inner products would blur who is nearer than whom.
    if metric == "euclidean" and not issparse(A):
        return cdist(A, B)
    return pairwise_distances(A, B, metric=metric)
