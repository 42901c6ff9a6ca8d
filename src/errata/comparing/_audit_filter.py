"""The audit as a filter: what is probably wrong is left out before a classifier learns."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from .._compat import take_rows
from ..auditing import audit


class AuditFilter(BaseEstimator):
    """Leave out the rows of the training set that an audit of it drops."""

    def __init__(self, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit_resample(self, X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Audit, and return the rows that are left and their labels."""
        found = audit(X, y, self_check=False, random_state=self.random_state)
        self.sample_indices_ = np.flatnonzero(found.clean("drop").kept)
        return take_rows(X, self.sample_indices_), y[self.sample_indices_]
