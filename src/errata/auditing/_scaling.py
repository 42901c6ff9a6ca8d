"""Features on one scale: learnt from some rows, applied to any."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import StandardScaler

from ._settings import SINGLE_PRECISION_ROWS, SPARSE_AXES


class Scale(NamedTuple):
    """What makes features dense, with mean 0 and standard deviation 1 over the rows it is from."""

    axes: TruncatedSVD | None  # main axes of sparse features
    largest: np.ndarray  # of each feature in absolute value, as squares could overflow
    scaler: StandardScaler

    def apply(self, X: Any) -> np.ndarray:
        """Features of any rows, in double precision."""
        return self.scaler.transform(_dense(X, self.axes) / self.largest)


def fit_scale(X: Any, seed: int) -> tuple[np.ndarray, Scale]:
    """Features on their scale, of many rows in single precision, and the scale."""
    axes = _main_axes(X, seed)
    if axes is not None:
        X = axes.fit_transform(X)
    X = _dense(X, None)
    largest = np.maximum(np.maximum(X.max(axis=0), -X.min(axis=0)), np.finfo(float).tiny)
    dtype = np.float32 if len(X) >= SINGLE_PRECISION_ROWS else np.float64
    scaler = StandardScaler(copy=False)  # the quotient below is nobody else's
    return scaler.fit_transform(X / largest).astype(dtype, copy=False), Scale(axes, largest, scaler)


def _main_axes(X: Any, seed: int) -> TruncatedSVD | None:
    """For many sparse features."""
    if not sparse.issparse(X):
        return None
    axes = min(SPARSE_AXES, X.shape[1] - 1, X.shape[0] - 1)
    return None if axes < 2 else TruncatedSVD(axes, random_state=seed)


def _dense(X: Any, axes: TruncatedSVD | None) -> np.ndarray:
    if axes is not None:
        return axes.transform(X)
    return X.toarray() if sparse.issparse(X) else X
