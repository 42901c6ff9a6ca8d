"""Neighbours as witnesses: each speaks for its label, the less so the farther it is."""

from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import pairwise_distances_chunked

from .._detector import DetectorMixin, compute_margin
from .._neighbors import NeighborIndex, limit_neighbors
from .._random import draw_seed
from .._validation import check_labelled, check_positive, check_rows

MOST_ROWS = 2000  # of a class, for the mean distance between two of them


class EvidentialKNNClassifier(ClassifierMixin, DetectorMixin, BaseEstimator):
    """Nearest neighbours that say how much they know, by the theory of evidence.

    Each neighbour speaks for its label, the less so the farther it is; what they leave unsaid is
    ignorance, and what they contradict is conflict. Reach for it when new rows may be unlike any
    seen, or when a class should be named only where the neighbours know it: ``predict_masses``
    gives the mass of ignorance to reject by. Do not expect it to be more accurate than
    :class:`~sklearn.neighbors.KNeighborsClassifier` with as many neighbours under label noise: it
    is about the same. It assumes that most neighbours are labelled right. Scale the features. Costs
    one search for neighbours; memory O(n (k + K)).

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours that are heard. More outvote more wrong labels and blur boundaries.
    alpha : float in (0, 1), default=0.95
        How far a neighbour at the same place is believed. Less leaves more ignorance.
    beta : float, default=1
        Power of the distance in the exponent.
    gamma : float or array-like of shape (K,), optional
        How fast belief falls with distance; when not given, for each class one over the mean
        distance between its rows, to the power ``beta``.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 unless ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    n_jobs : int, optional
        Number of threads for the search, -1 for all.
    random_state : int, RandomState or None, default=None
        Draws the rows from which mean distances are found, in classes of more than 2000 rows.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The distinct labels.
    gamma_ : array of shape (K,)
        How fast belief falls with distance, for each class.
    suspicion_ : array of shape (n,)
        ``(other - own + 1) / 2``, from the probabilities of the label and of the likeliest other by
        the neighbours of a row without itself: above a half where another class is likelier. A
        score, not a probability.
    flagged_ : array of bool of shape (n,)
        The rows to look at.
    suggested_ : array of shape (n,)
        The likeliest class where a row is flagged, its own label elsewhere.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    A neighbour of class q at distance d gives the mass ``alpha exp(-gamma_q d**beta)`` to q. With
    ``u_q`` the product of what its neighbours leave, Dempster's rule gives q the mass
    ``(1 - u_q) prod_{r != q} u_r`` and ignorance ``prod_r u_r``, normalised [1]_.
    ``predict_proba`` shares ignorance out among all classes alike (pignistic probabilities).

    References
    ----------
    .. [1] Denœux. A k-nearest neighbor classification rule based on Dempster-Shafer theory. IEEE
       Transactions on Systems, Man, and Cybernetics 25, 1995.

    Examples
    --------
    Next to the flowers there is little ignorance; far away from them there is nothing else:

    >>> from sklearn.datasets import load_iris
    >>> from errata.tolerant import EvidentialKNNClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = EvidentialKNNClassifier().fit(X, y)
    >>> model.predict_masses([X[0], X[0] + 20]).round(2)[:, -1]
    array([0., 1.])
    """

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
        self._codes = codes
        self._index = NeighborIndex(X, metric=self.metric, n_jobs=self.n_jobs)
        self.gamma_ = self._gamma(X)
        # Its own row would vouch for every label.
        masses = self._masses(*self._index.others(limit_neighbors(self.n_neighbors, len(codes))))
        proba = convert_to_pignistic(masses)
        self._conclude(compute_margin(proba, codes), codes, proba.argmax(axis=1))
        return self

    def predict_masses(self, X: Any) -> np.ndarray:
        """The masses that the neighbours of each row give it, shape (n, K + 1).

        One mass for each class, and last the mass of ignorance; they sum to one.
        """
        X = check_rows(self, X, **_CHECKS)
        return self._masses(*self._index.find(X, min(self.n_neighbors, len(self._codes))))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Mass of each class and its share of the ignorance, shape (n, K)."""
        return convert_to_pignistic(self.predict_masses(X))

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row."""
        likeliest = self.predict_proba(X).argmax(axis=1)
        return self.classes_[likeliest]

    def __sklearn_tags__(self) -> Any:
        """Declare that sparse tables are accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _gamma(self, X: Any) -> np.ndarray:
        n_classes = len(self.classes_)
        if self.gamma is not None:
            return _check_gamma(self.gamma, n_classes)
        seed = draw_seed(self.random_state)
        of_class = [self._mean_distance(X[self._codes == c], seed) for c in range(n_classes)]
        mean = np.array(of_class)
        if not mean.all():
            mean[mean == 0] = self._mean_distance(X, seed) or 1.0
        return 1 / mean**self.beta

    def _mean_distance(self, X: Any, seed: int) -> float:
        """Mean distance between two rows; 0 where there are none."""
        n = X.shape[0]
        if n > MOST_ROWS:
            X = X[np.random.default_rng(seed).permutation(n)[:MOST_ROWS]]
            n = MOST_ROWS
        chunks = pairwise_distances_chunked(X, metric=self.metric, n_jobs=self.n_jobs)
        return sum(chunk.sum() for chunk in chunks) / max(1, n * (n - 1))

    def _masses(self, distances: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
        labels = self._codes[neighbors]
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


def convert_to_pignistic(masses: np.ndarray) -> np.ndarray:
    """Probabilities to bet with: ignorance is shared by all classes alike."""
    return masses[:, :-1] + masses[:, -1:] / (masses.shape[1] - 1)


def _check_gamma(gamma: Any, n_classes: int) -> np.ndarray:
    if np.ndim(gamma) and np.shape(gamma) != (n_classes,):
        raise ValueError(
            f"gamma has shape {np.shape(gamma)}, but there are {n_classes} classes; pass one "
            "number, or one for each class."
        )
    given = np.broadcast_to(np.asarray(gamma, dtype=float), n_classes)
    return np.array([check_positive("gamma", value) for value in given.tolist()])


_CHECKS: dict[str, Any] = {"accept_sparse": "csr", "dtype": float, "order": "C"}


def _check_alpha(alpha: Any) -> None:
    if check_positive("alpha", alpha) >= 1:
        raise ValueError(
            f"alpha={alpha!r} must be above 0 and below 1: a neighbour that is right for certain "
            "leaves nothing for the others to say."
        )
