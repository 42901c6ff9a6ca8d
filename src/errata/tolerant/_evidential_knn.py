"""Neighbours as witnesses: each speaks for its label, the less so the farther it is."""

from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import pairwise_distances_chunked

from .._detector import DetectorMixin
from .._neighbors import NeighborIndex
from .._random import draw_seed
from .._validation import check_count, check_labelled, check_positive, check_rows
from .._warn import warn_user
from ._margin import probability_margin

MOST_ROWS = 2000  # of a class, for the mean distance between two of them


class EvidentialKNNClassifier(ClassifierMixin, DetectorMixin, BaseEstimator):
    """TODO."""

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        alpha: float = 0.95,
        beta: float = 1.0,
        gamma: Any = None,
        metric: Any = "euclidean",
        threshold: float | None = None,
        contamination: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.metric = metric
        self.threshold = threshold
        self.contamination = contamination
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Keep the rows, learn how far apart those of one label are, and judge the labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
            Features; scale them first.
        y : array-like of shape (n,)
            Labels, of two classes at least.
        """
        X, codes = check_labelled(self, X, y, min_classes=2, **_CHECKS)
        return self._fit_codes(X, codes)

    def _fit_codes(self, X: Any, codes: np.ndarray) -> Self:
        """Fit rows and labels that have passed the checks; ``classes_`` is set."""
        _check_alpha(self.alpha)
        check_positive("beta", self.beta)
        self.codes_ = codes
        self.index_ = NeighborIndex(X, metric=self.metric, n_jobs=self.n_jobs)
        self.gamma_ = self._gamma(X)
        # Its own row would vouch for every label.
        masses = self._masses(*self.index_.others(self._n_neighbors(len(codes) - 1)))
        proba = pignistic(masses)
        self._conclude(probability_margin(proba, codes), codes, proba.argmax(axis=1))
        return self

    def predict_masses(self, X: Any) -> np.ndarray:
        """What the neighbours of each row say, shape (n, K + 1).

        One mass for each class, and last the mass of ignorance; they sum to one.
        """
        X = check_rows(self, X, **_CHECKS)
        return self._masses(*self.index_.find(X, min(self.n_neighbors, len(self.codes_))))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Mass of each class and its share of the ignorance, shape (n, K)."""
        return pignistic(self.predict_masses(X))

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def __sklearn_tags__(self) -> Any:
        """Declare that sparse tables are accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _n_neighbors(self, others: int) -> int:
        k = check_count("n_neighbors", self.n_neighbors)
        if k > others:
            warn_user(
                f"n_neighbors={k} asks for more neighbours than there are other rows ({others}); "
                f"using {others}."
            )
        return min(k, others)

    def _gamma(self, X: Any) -> np.ndarray:
        n_classes = len(self.classes_)
        if self.gamma is not None:
            given = np.broadcast_to(np.asarray(self.gamma, dtype=float), n_classes)
            return np.array([check_positive("gamma", value) for value in given.tolist()])
        seed = draw_seed(self.random_state)
        of_class = [self._mean_distance(X[self.codes_ == c], seed) for c in range(n_classes)]
        mean = np.array(of_class)
        if not mean.all():
            mean[mean == 0] = self._mean_distance(X, seed) or 1.0
        return 1 / mean**self.beta

    def _mean_distance(self, X: Any, seed: int) -> float:
        """Mean distance between two rows; 0 where there are none."""
        n = X.shape[0]
        if n > MOST_ROWS:
            X, n = X[np.random.default_rng(seed).permutation(n)[:MOST_ROWS]], MOST_ROWS
        chunks = pairwise_distances_chunked(X, metric=self.metric, n_jobs=self.n_jobs)
        return sum(chunk.sum() for chunk in chunks) / max(1, n * (n - 1))

    def _masses(self, distances: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
        labels = self.codes_[neighbors]
        support = self.alpha * np.exp(-self.gamma_[labels] * distances**self.beta)
        doubt = np.log1p(-support)
        log_u = [np.where(labels == c, doubt, 0).sum(axis=1) for c in range(len(self.classes_))]
        return combine(np.column_stack(log_u))


def combine(log_u: np.ndarray) -> np.ndarray:
    """Masses of classes and of ignorance, by Dempster's rule, from log P(no support for a class).

    ``m_q = (1 - u_q) prod_{r != q} u_r`` and ``m = prod_r u_r`` for ignorance, normalised.
    """
    ignorance = log_u.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):  # no support at all: no mass
        raw = np.log(-np.expm1(log_u)) + ignorance - log_u
    return softmax(np.hstack([raw, ignorance]), axis=1)


def pignistic(masses: np.ndarray) -> np.ndarray:
    """Probabilities to bet with: ignorance is shared by all classes alike."""
    return masses[:, :-1] + masses[:, -1:] / (masses.shape[1] - 1)


_CHECKS: dict[str, Any] = {"accept_sparse": "csr", "dtype": float, "order": "C"}


def _check_alpha(alpha: Any) -> None:
    if check_positive("alpha", alpha) >= 1:
        raise ValueError(
            f"alpha={alpha!r} must be above 0 and below 1: a neighbour that is right for certain "
            "leaves nothing for the others to say."
        )
