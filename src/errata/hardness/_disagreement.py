"""Hardness from neighbours: the fraction of the nearest rows that carry another label."""

from typing import Any

import numpy as np
from sklearn.utils import check_array, check_consistent_length

from .._neighbors import find_commonest, nearest
from .._validation import check_labels
from ._measure import HardnessMeasure


class NeighborDisagreement(HardnessMeasure):
    """Suspect the rows whose nearest neighbours carry other labels (kDN hardness).

    Reach for it first: it has one parameter, learns no model and is right whenever rows of a class
    lie together. It assumes that distances mean something, so scale the features in front of it,
    and it doubts honest rows near a border between classes. The row itself never counts. Costs
    about n log n distances with up to eight features and n² with more, less with ``approximate``;
    memory O(n k).

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours vote. More make the suspicion smoother, and blinder to small clusters.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`. With "nan_euclidean" values may
        be missing: two rows are compared by the features that both have.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (a majority of the neighbours) when neither
        this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    approximate : bool, default=False
        Allow 2 % of the neighbours to be merely near instead of nearest, see :func:`nearest`. Needs
        the ``scale`` extra, and pays from some 20,000 rows with ten features or more.
    n_jobs : int, optional
        Number of threads that search for neighbours, -1 for all.
    random_state : int, RandomState or None, default=None
        Used by an approximate search alone; fix it to get the same neighbours again.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Fraction of the neighbours with another label, in {0, 1/k, ..., 1}. A score, not a
        probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
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
        contamination: float | None = None,
        approximate: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.threshold = threshold
        self.contamination = contamination
        self.approximate = approximate
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Declare that missing values are accepted where the metric knows them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.metric == "nan_euclidean"
        tags.input_tags.sparse = not tags.input_tags.allow_nan
        return tags

    def _judge(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        neighbors = nearest(
            X,
            self.n_neighbors,
            metric=self.metric,
            approximate=self.approximate,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        return _measure_disagreement(neighbors, codes), find_commonest(codes[neighbors])


def k_disagreeing_neighbors(
    X: Any,
    y: Any,
    k: int = 5,
    *,
    metric: Any = "euclidean",
    approximate: bool = False,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> np.ndarray:
    """Fraction of the ``k`` nearest other rows that carry another label (kDN), one number per row.

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
    approximate : bool, default=False
        Allow 2 % of the neighbours to be merely near instead of nearest, see :func:`nearest`.
    n_jobs : int, optional
        Number of threads, -1 for all.
    random_state : int, RandomState or None, default=None
        Used by an approximate search alone.

    Returns
    -------
    array of shape (n,), with values in {0, 1/k, ..., 1}

    Examples
    --------
    >>> k_disagreeing_neighbors([[0], [1], [2], [10], [11], [12]], [0, 0, 1, 1, 1, 0], k=2)
    array([0.5, 0.5, 1. , 0.5, 0.5, 1. ])
    """
    X = check_array(X, accept_sparse="csr")
    _, codes = check_labels(y)
    check_consistent_length(X, codes)
    if len(codes) == 1:
        return np.zeros(1)  # no neighbours, no disagreement
    neighbors = nearest(
        X, k, metric=metric, approximate=approximate, random_state=random_state, n_jobs=n_jobs
    )
    return _measure_disagreement(neighbors, codes)


def _measure_disagreement(neighbors: np.ndarray, codes: np.ndarray) -> np.ndarray:
    return (codes[neighbors] != codes[:, None]).mean(axis=1)
