"""Linear discriminants among similarities to a few rows: curved ones among the rows."""

from typing import Any, Self

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_random_state

from .._validation import check_count, check_fraction
from ._linear import (
    SupervisedProjection,
    between_scatter,
    leading_directions,
    within_scatter,
)

_SAMPLE = 500  # rows whose distances give the width


class KernelDiscriminantProjection(SupervisedProjection):
    """Kernel discriminant analysis with Gaussian similarities to landmark rows (Nyström).

    For borders that are no straight line. Gives one direction fewer than there are classes. With as
    many landmarks as rows it is exact; with m of them it costs O(n m d + n m² + m³) and O(n m)
    memory, never n².

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; as many as there are when not given, and at most those.
    width : float, optional
        Distance at which similarity has fallen to exp(-1/2); the median distance between rows when
        not given. Smaller follows the rows more closely.
    n_landmarks : int, default=100
        Rows to compare with, drawn at random.
    ridge : float, default=1e-3
        Added to the scatter within classes. Larger is smoother.
    random_state : int, RandomState instance or None
        Seed of the landmarks.

    Attributes
    ----------
    width_ : float
        The width used.
    components_ : array of shape (n_components, n_landmarks)
        Directions among the similarities.
    eigenvalues_, classes_, n_features_in_
        As in :class:`LinearDiscriminantProjection`.

    References
    ----------
    .. [1] Mika, Rätsch, Weston, Schölkopf and Müller. Fisher discriminant analysis with kernels.
       Neural Networks for Signal Processing, 1999.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from errata.datasets import make_xor
    >>> from errata.projections import KernelDiscriminantProjection
    >>> X, y = make_xor(300, random_state=0)
    >>> round(LogisticRegression().fit(X, y).score(X, y), 1)
    0.5
    >>> curved = make_pipeline(KernelDiscriminantProjection(random_state=0), LogisticRegression())
    >>> curved.fit(X, y).score(X, y) > 0.95
    True
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        width: float | None = None,
        n_landmarks: int = 100,
        ridge: float = 1e-3,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.width = width
        self.n_landmarks = n_landmarks
        self.ridge = ridge
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Draw landmarks, and find the directions that tell the labels ``y`` apart."""
        X, codes = self._labelled(X, y)
        ridge = check_fraction("ridge", self.ridge, high=np.inf)
        n_landmarks = min(check_count("n_landmarks", self.n_landmarks), len(X))
        random = check_random_state(self.random_state)
        self.width_ = _median_distance(X, random) if self.width is None else _positive(self.width)
        self._similarities = Nystroem(
            gamma=1 / (2 * self.width_**2), n_components=n_landmarks, random_state=random
        )
        features = self._similarities.fit_transform(X)
        self._center = features.mean(axis=0)
        within = within_scatter(features, codes) + ridge * np.eye(n_landmarks)
        most = min(len(self.classes_) - 1, n_landmarks)
        wanted = self._wanted(self.n_components, most)
        found = leading_directions(between_scatter(features, codes), within, wanted)
        self.eigenvalues_, self.components_ = found[0], found[1].T
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of each row along the directions: (n, n_components)."""
        X = self._checked(X)
        return (self._similarities.transform(X) - self._center) @ self.components_.T

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _median_distance(X: np.ndarray, random: np.random.RandomState) -> float:
    """Median distance between rows, or between a sample of them; one where all are the same."""
    rows = X if len(X) <= _SAMPLE else X[random.choice(len(X), _SAMPLE, replace=False)]
    above = np.triu_indices(len(rows), k=1)
    return float(np.median(euclidean_distances(rows)[above])) or 1.0


def _positive(width: Any) -> float:
    if not check_fraction("width", width, high=np.inf) > 0:
        raise ValueError(f"width={width!r} must be a number above 0.")
    return float(width)
