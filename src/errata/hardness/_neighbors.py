"""Hardness from neighbours: the share of the nearest rows that carry another label."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array, check_consistent_length

from .._suspicion import SuspicionMixin
from .._validation import check_count, check_labelled, check_labels
from ..exceptions import SuspicionWarning

_HELD = 2**22  # distances held at a time while ties are settled


class NeighborDisagreement(SuspicionMixin, BaseEstimator):
    """Suspect the rows whose nearest neighbours carry other labels (kDN hardness).

    Reach for it first: it has one parameter, learns no model and is right whenever rows of a class
    lie together. It assumes that distances mean something, so scale the features in front of it,
    and it doubts honest rows near a border between classes. Costs O(n log n) distances with few
    features and O(n² d) with many; memory O(n k).

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours vote. More make the suspicion smoother, and blinder to small clusters.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (a majority of the neighbours) when neither
        this nor ``share`` is given.
    share : float, optional
        Flag this share of the rows instead, the most suspicious first.
    n_jobs : int, optional
        Number of threads that search for neighbours.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Share of the neighbours with another label, in {0, 1/k, ..., 1}. A score, not a probability.
    flagged_ : array of bool of shape (n,)
        The suspects.
    suggested_ : array of shape (n,)
        The commonest label among the neighbours where a row is flagged, its own label elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    References
    ----------
    .. [1] Smith, Martinez and Giraud-Carrier. An instance level analysis of data complexity.
       Machine Learning 95, 2014.
    .. [2] Walmsley. Um método de geração de pools de classificadores usando instance hardness.
       Universidade Federal de Pernambuco, 2017.

    Examples
    --------
    >>> from errata.hardness import NeighborDisagreement
    >>> X = [[0.0], [0.1], [0.25], [5.0], [5.1], [5.3]]
    >>> y = ["cat", "cat", "dog", "dog", "dog", "dog"]
    >>> detector = NeighborDisagreement(n_neighbors=2).fit(X, y)
    >>> detector.suspicion_
    array([0.5, 0.5, 1. , 0. , 0. , 0. ])
    >>> detector.suggested_[detector.flagged_]
    array(['cat'], dtype='<U3')
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        metric: Any = "euclidean",
        threshold: float | None = None,
        share: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.threshold = threshold
        self.share = share
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> "NeighborDisagreement":
        """Judge each label of ``y`` by the labels of the rows nearest to it in ``X``."""
        X, codes = check_labelled(
            self, X, y, min_classes=2, accept_sparse="csr", ensure_min_samples=2
        )
        neighbors = nearest(X, self.n_neighbors, metric=self.metric, n_jobs=self.n_jobs)
        suggested = _commonest(codes[neighbors])
        self._conclude(_disagreement(neighbors, codes), codes, suggested)
        return self

    def __sklearn_tags__(self) -> Any:
        """Declare to scikit-learn that labels are required and sparse matrices welcome."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = True
        return tags


def k_disagreeing_neighbors(
    X: Any, y: Any, k: int = 5, *, metric: Any = "euclidean", n_jobs: int | None = None
) -> np.ndarray:
    """Share of the ``k`` nearest other rows that carry another label (kDN), one number per row.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        The features; scale them first.
    y : array-like of shape (n,)
        The labels.
    k : int, default=5
        Number of neighbours.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`.
    n_jobs : int, optional
        Number of threads.

    Returns
    -------
    array of shape (n,), with values in {0, 1/k, ..., 1}

    Examples
    --------
    >>> k_disagreeing_neighbors([[0], [1], [2], [10], [11], [12]], [0, 0, 1, 1, 1, 0], k=2)
    array([0.5, 0.5, 1. , 0.5, 0.5, 1. ])
    """
    X, (_, codes) = check_array(X, accept_sparse="csr"), check_labels(y)
    check_consistent_length(X, codes)
    if len(codes) == 1:
        return np.zeros(1)  # no neighbours, no disagreement
    return _disagreement(nearest(X, k, metric=metric, n_jobs=n_jobs), codes)


def nearest(X: Any, k: int, *, metric: Any = "euclidean", n_jobs: int | None = None) -> np.ndarray:
    """Indices of the ``k`` nearest other rows, ordered by distance and then by index.

    A row is left out by its index, not as "the first one found": with duplicates the first may be
    another row at distance zero. Rows equally far at the k-th place enter by the smaller index.
    """
    k = check_count("n_neighbors", k)
    n = X.shape[0]
    if k >= n:
        warnings.warn(
            f"n_neighbors={k} asks for more neighbours than there are other rows ({n - 1}); "
            f"using {n - 1}.",
            SuspicionWarning,
            stacklevel=3,
        )
        k = n - 1
    search = NearestNeighbors(metric=metric, n_jobs=n_jobs).fit(X)
    neighbors = np.empty((n, k), dtype=np.intp)
    open_rows, asked = np.arange(n), min(k + 2, n)
    while len(open_rows):
        # Rows that tie are few, or ask for much: bound what is held at a time.
        chunk = max(1, _HELD // asked)
        parts = [open_rows[i : i + chunk] for i in range(0, len(open_rows), chunk)]
        still_open = [_settle(search, X, rows, asked, neighbors) for rows in parts]
        open_rows = _settle_duplicates(X, np.concatenate(still_open), neighbors)
        asked = min(2 * asked, n)
    return neighbors


def _settle(
    search: NearestNeighbors, X: Any, rows: np.ndarray, asked: int, neighbors: np.ndarray
) -> np.ndarray:
    """Fill in the neighbours of ``rows`` from the ``asked`` nearest; return the rows left open.

    A row is open as long as rows further down might be as near as its k-th neighbour.
    """
    k = neighbors.shape[1]
    distances, found = search.kneighbors(X[rows], n_neighbors=asked)
    order = np.lexsort((found, distances))
    distances = np.take_along_axis(distances, order, axis=1)
    found = np.take_along_axis(found, order, axis=1)
    settled = (distances[:, k] < distances[:, -1]) | (asked == X.shape[0])
    others = found[settled] != rows[settled, None]
    first_k_others = others & (np.cumsum(others, axis=1) <= k)
    neighbors[rows[settled]] = found[settled][first_k_others].reshape(-1, k)
    return rows[~settled]


def _settle_duplicates(X: Any, rows: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """Give rows with more than k twins the first k of them; return the rows without.

    Otherwise a table of few distinct rows would ask for all of them again and again.
    """
    if len(rows) == 0 or not isinstance(X, np.ndarray):
        return rows
    k = neighbors.shape[1]
    _, group, sizes = np.unique(X[rows], axis=0, return_inverse=True, return_counts=True)
    by_group = np.argsort(group.ravel(), kind="stable")
    for twins in np.split(rows[by_group], np.cumsum(sizes)[:-1]):
        if len(twins) > k:
            neighbors[twins] = twins[:k]
            neighbors[twins[:k]] = [np.delete(twins[: k + 1], i) for i in range(k)]
    return rows[sizes[group.ravel()] <= k]


def _disagreement(neighbors: np.ndarray, codes: np.ndarray) -> np.ndarray:
    return (codes[neighbors] != codes[:, None]).mean(axis=1)


def _commonest(votes: np.ndarray) -> np.ndarray:
    """The class with most votes in each row; the nearer neighbours decide between equals."""
    # Halving from one neighbour to the next keeps the sums of two classes apart, and below a vote.
    weights = 1 + 0.5 ** np.arange(2, votes.shape[1] + 2)
    tally = np.column_stack([(votes == vote[:, None]) @ weights for vote in votes.T])
    return np.take_along_axis(votes, tally.argmax(axis=1)[:, None], axis=1)[:, 0]
