"""Partial least squares towards class indicators, as a projection."""

import warnings
from typing import Self

import numpy as np
from sklearn.cross_decomposition import PLSRegression

from ._linear import SupervisedProjection


class PartialLeastSquaresProjection(SupervisedProjection):
    """Scores of scikit-learn's partial least squares towards one indicator per class.

    Each direction has the largest covariance with the indicators that the ones before have left
    over. No matrix is inverted, which makes it safe with few rows and many features. Gives up to
    min(n - 1, d) directions. Costs O(n d K) for each.

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; when not given, as many as there are, at most ten.

    Attributes
    ----------
    regression_ : PLSRegression
        The fitted regression.
    classes_, n_features_in_
        As usual.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from errata.projections import PartialLeastSquaresProjection
    >>> X, y = load_wine(return_X_y=True)
    >>> PartialLeastSquaresProjection(n_components=2).fit_transform(X, y).shape
    (178, 2)
    """

    def __init__(self, n_components: int | None = None) -> None:
        self.n_components = n_components

    def _fit_codes(self, X: np.ndarray, codes: np.ndarray) -> Self:
        indicators = np.eye(len(self.classes_))[codes]
        # Beyond the rank of the rows nothing is left over to find a direction in.
        most = max(1, int(np.linalg.matrix_rank(X - X.mean(axis=0))))
        wanted = self._wanted(10 if self.n_components is None else self.n_components, most)
        with warnings.catch_warnings():
            # Labels explained in full before the last direction: the others are zero, no harm done.
            warnings.filterwarnings("ignore", "y residual is constant")
            self.regression_ = PLSRegression(wanted).fit(X, indicators)
        return self

    def _transform(self, X: np.ndarray) -> np.ndarray:
        return self.regression_.transform(X)

    @property
    def _n_features_out(self) -> int:
        return self.regression_.x_rotations_.shape[1]
