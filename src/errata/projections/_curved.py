"""Curved projections: discriminants among similarities, and the hidden layer of a small network."""

import warnings
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neural_network import MLPClassifier
from sklearn.utils import check_random_state

from .._validation import check_alpha, check_count, check_positive
from ._linear import (
    SupervisedProjection,
    compute_between_scatter,
    compute_within_scatter,
    find_leading_directions,
)

_SAMPLE = 500  # rows whose distances give the default of gamma


class KernelDiscriminantProjection(SupervisedProjection):
    """Kernel discriminant analysis with the RBF kernel and landmark rows (Nyström).

    For borders that are not straight lines. Gives one direction fewer than there are classes. With
    as many landmarks as rows it is exact; with m of them it costs O(n m d + n m² + m³) and O(n m)
    memory, never n².

    Parameters
    ----------
    n_components : int, optional
        How many directions to keep; as many as there are when not given, and at most those.
    gamma : float, optional
        Of the RBF kernel ``exp(-gamma |x - z|²)``; ``1 / (2 m²)`` when not given, m being the
        median distance between rows. Larger follows the rows more closely.
    n_landmarks : int, default=100
        Rows to compare with, drawn uniformly at random.
    alpha : float, default=1e-3
        Strength of the L2 penalty, added to the scatter within classes. Larger is smoother.
    random_state : int, RandomState instance or None
        Seed of the landmarks.

    Attributes
    ----------
    gamma_ : float
        The gamma used.
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
        gamma: float | None = None,
        n_landmarks: int = 100,
        alpha: float = 1e-3,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.n_landmarks = n_landmarks
        self.alpha = alpha
        self.random_state = random_state

    def _fit_codes(self, X: np.ndarray, codes: np.ndarray) -> Self:
        alpha = check_alpha(self.alpha)
        n_landmarks = min(check_count("n_landmarks", self.n_landmarks), len(X))
        random = check_random_state(self.random_state)
        if self.gamma is None:
            self.gamma_ = 1 / (2 * _estimate_median_distance(X, random) ** 2)
        else:
            self.gamma_ = check_positive("gamma", self.gamma)
        # Linear discriminants of Nyström features F are kernel discriminants of F F', near to K.
        self._similarities = Nystroem(
            gamma=self.gamma_, n_components=n_landmarks, random_state=random
        )
        features = self._similarities.fit_transform(X)
        self._center = features.mean(axis=0)
        within = compute_within_scatter(features, codes) + alpha * np.eye(n_landmarks)
        # The scatter between K class means has rank K - 1: further eigenvalues are zero.
        most = min(len(self.classes_) - 1, n_landmarks)
        wanted = self._limit_components(self.n_components, most)
        found = find_leading_directions(compute_between_scatter(features, codes), within, wanted)
        self.eigenvalues_ = found[0]
        self.components_ = found[1].T
        return self

    def _transform(self, X: np.ndarray) -> np.ndarray:
        return (self._similarities.transform(X) - self._center) @ self.components_.T

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


def _estimate_median_distance(X: np.ndarray, random: np.random.RandomState) -> float:
    """Median distance between rows, or between a sample of them; one where all are the same."""
    rows = X if len(X) <= _SAMPLE else X[random.choice(len(X), _SAMPLE, replace=False)]
    above = np.triu_indices(len(rows), k=1)
    return float(np.median(euclidean_distances(rows)[above])) or 1.0


class HiddenLayerProjection(SupervisedProjection):
    """What the sigmoid units of a perceptron with one hidden layer make of the rows.

    The projection with which the method began; its authors replaced it, as networks are hard to
    tune and their units saturate. Costs ``max_iter`` passes over n rows with O(d h) each.

    Parameters
    ----------
    n_components : int, optional
        Number of hidden units; as many as features when not given.
    alpha : float, default=1e-4
        Strength of the L2 penalty on the coefficients. Larger keeps units from saturating.
    max_iter : int, default=50
        Steps of the optimiser (L-BFGS). It need not converge to be of use, and is not asked to.
    random_state : int, RandomState instance or None
        Seed of the first weights.

    Attributes
    ----------
    network_ : MLPClassifier
        The fitted network.
    n_iter_ : int
        Steps that were taken.
    classes_, n_features_in_
        As usual.

    References
    ----------
    .. [1] García-Pedrajas, García-Osorio and Fyfe. Nonlinear boosting projections for ensemble
       construction. Journal of Machine Learning Research 8, 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from errata.projections import HiddenLayerProjection
    >>> X, y = load_iris(return_X_y=True)
    >>> HiddenLayerProjection(random_state=0).fit_transform(scale(X), y).shape
    (150, 4)
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        alpha: float = 1e-4,
        max_iter: int = 50,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit_codes(self, X: np.ndarray, codes: np.ndarray) -> Self:
        asked = self.n_components
        units = X.shape[1] if asked is None else check_count("n_components", asked)
        # L-BFGS suits the few rows that an ensemble misclassifies, and has no rate to tune.
        network = MLPClassifier(
            (units,),
            activation="logistic",
            solver="lbfgs",
            alpha=self.alpha,
            max_iter=check_count("max_iter", self.max_iter),
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            # ``max_iter`` is a budget here: to reach it is nothing to warn of.
            warnings.simplefilter("ignore", ConvergenceWarning)
            self.network_ = network.fit(X, codes)
        self.n_iter_ = self.network_.n_iter_
        return self

    def _transform(self, X: np.ndarray) -> np.ndarray:
        """Activations of the hidden units, between 0 and 1."""
        # By hand, as MLPClassifier gives its output layer only.
        return expit(X @ self.network_.coefs_[0] + self.network_.intercepts_[0])

    @property
    def _n_features_out(self) -> int:
        return len(self.network_.intercepts_[0])
