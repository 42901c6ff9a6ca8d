"""The nearest other rows, exactly or nearly so, and what their labels say."""

from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import VALID_METRICS
from sklearn.utils import check_array

from .._optional import require
from .._random import draw_seed
from .._validation import check_count
from .._warn import warn_user
from ._approximate import find_approximate
from ._exact import TREE_DIMENSIONS, BruteSearch, choose_query, find_nearest

APPROXIMATE_FROM = 20_000  # rows; with fewer the exact search is done before an index is built


def nearest(
    X: Any,
    k: int,
    *,
    metric: Any = "euclidean",
    approximate: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Indices of the ``k`` nearest other rows, ordered by distance and then by index.

    A row is left out by its index, so that its duplicates count. Rows equally far at the k-th place
    enter by the smaller index. Costs about n log n distances with up to six or eight features (a
    tree) and n² beyond (brute force), unless the rows lie on fewer dimensions than they have
    features: then a tree again. Memory O(n k), never n².

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
        The features; scale them first. Values may be missing (NaN) with the metric
        "nan_euclidean", which compares two rows by the features that both have.
    k : int
        Number of neighbours; cut to n - 1, with a warning, when there are not so many others.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`.
    approximate : bool, default=False
        Allow 2 % of the neighbours to be merely near instead of nearest, for speed. Uses faiss (the
        ``scale`` extra), for Euclidean distances between the rows of an array. It pays from some
        20,000 rows with ten features or more; elsewhere the exact search is as quick and is used.
    random_state : int, RandomState or None, default=None
        Decides on the sample from which an approximate search learns; fix it to get the same
        neighbours again.
    n_jobs : int, optional
        Number of threads, -1 for all. Brute force takes all cores whatever is said here, as in
        scikit-learn, and an approximate search unless told otherwise.

    Returns
    -------
    array of int of shape (n, k)

    Examples
    --------
    Rows 0 and 1 are the same; each is the other's neighbour, and 0 comes first for row 2:

    >>> from errata.hardness import nearest
    >>> nearest([[0.0], [0.0], [1.0], [5.0]], k=2)
    array([[1, 2],
           [0, 2],
           [0, 1],
           [2, 0]])
    """
    X = _check_values(X, metric)
    n, d = X.shape
    k = limit_neighbors(k, n)
    faiss = _load_faiss(X, metric) if approximate else None
    if k == 0:
        return np.empty((n, 0), dtype=np.intp)
    if faiss is not None and d > TREE_DIMENSIONS and n >= APPROXIMATE_FROM:
        brute = BruteSearch(X, n_jobs)
        seed = draw_seed(random_state)
        found = find_approximate(X, k, brute, faiss=faiss, seed=seed, n_jobs=n_jobs)
        if found is not None:
            return found
    return NeighborIndex(X, metric=metric, n_jobs=n_jobs).others(k)[1]


def nearest_in(
    X_reference: Any, X_query: Any, k: int, *, metric: Any = "euclidean", n_jobs: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Distances and indices of the ``k`` reference rows nearest to each query row.

    Ordered by distance and then by index, as :func:`nearest` does for the rows of one table.

    >>> nearest_in([[0.0], [0.0], [5.0]], [[1.0], [4.0]], k=2)
    (array([[1., 1.], [1., 4.]]), array([[0, 1], [2, 0]]))
    """
    return NeighborIndex(X_reference, metric=metric, n_jobs=n_jobs).find(X_query, k)


class NeighborIndex:
    """Rows prepared for exact searches, for those who search more than once; it can be pickled."""

    def __init__(self, X: Any, *, metric: Any = "euclidean", n_jobs: int | None = None) -> None:
        self.metric = metric
        self.X = X = _check_values(X, metric)
        self.query = choose_query(X, metric, n_jobs)
        self.zero_is_equal = metric in VALID_METRICS["kd_tree"] and not issparse(X)

    def find(self, points: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and indices of the ``k`` rows nearest to each of some points."""
        check_count("n_neighbors", k, high=self.X.shape[0])
        points = _check_values(points, self.metric)
        return find_nearest(self.query, points, k, self.X, zero_is_equal=self.zero_is_equal)

    def others(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and indices of the ``k`` other rows nearest to each row."""
        rows = np.arange(self.X.shape[0])
        check_count("n_neighbors", k, high=len(rows) - 1)
        return find_nearest(
            self.query, self.X, k, self.X, own=rows, zero_is_equal=self.zero_is_equal
        )


def _check_values(X: Any, metric: Any) -> Any:
    """``X`` with values that the metric can compare."""
    if metric != "nan_euclidean":
        return check_array(X, accept_sparse="csr", dtype=float, order="C")
    X = check_array(X, dtype=float, order="C", ensure_all_finite="allow-nan")
    empty = np.isnan(X).all(axis=1)
    if empty.any():
        raise ValueError(
            f"row {int(empty.argmax())} of X has no value at all, so that no row is near to it; "
            "drop such rows, or fill in their values."
        )
    return X


def limit_neighbors(k: int, n: int) -> int:
    """``k``, or as many neighbours as there can be, with a warning."""
    if check_count("n_neighbors", k) < n:
        return k
    warn_user(
        f"n_neighbors={k} asks for more neighbours than there are other rows ({n - 1}); "
        f"using {n - 1}.",
    )
    return n - 1


def _load_faiss(X: Any, metric: Any) -> Any:
    """The library behind approximate search, when it can serve."""
    if metric != "euclidean" or issparse(X):
        kind = "a sparse matrix" if issparse(X) else f"metric={metric!r}"
        raise ValueError(
            f"approximate=True knows Euclidean distances between the rows of an array, not {kind}; "
            "leave it out for an exact search."
        )
    return require("faiss", extra="scale")


def measure_pairs(A: Any, B: Any, metric: Any) -> np.ndarray:
    """Distances from each row of ``A`` to each of ``B``; cut ``A`` into blocks when it is long."""
    # From differences: scikit-learn's inner products would blur who is nearer than whom.
    if metric == "euclidean" and not issparse(A):
        return cdist(A, B)
    return pairwise_distances(A, B, metric=metric)


def find_commonest(votes: np.ndarray) -> np.ndarray:
    """The class with most votes in each row; the nearer neighbours decide between equals.

    ``votes`` (n, k) holds the codes of the labels of each row's neighbours, the nearest first.

    >>> find_commonest(np.array([[0, 1, 1], [2, 0, 1]]))
    array([1, 2])
    """
    tally = np.column_stack([(votes == vote[:, None]).sum(axis=1) for vote in votes.T])
    # The first of equals is the nearest.
    return np.take_along_axis(votes, tally.argmax(axis=1)[:, None], axis=1)[:, 0]


def vote_margins(votes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """How far the nearest 1, 2, ..., k neighbours vote against each row's own label, (n, k).

    With c_q votes for class q among the nearest j, column j of a row labelled y holds
    (max_{q != y} c_q - c_y + j) / 2j: 0 if all agree with the label, 1 if all agree on one other,
    and above 0.5 if and only if one other label has strictly more votes. Time O(n k²), memory
    O(n k), whatever the number of classes.

    >>> vote_margins(np.array([[1, 0, 0], [1, 2, 2]]), np.array([0, 0]))
    array([[1.        , 0.5       , 0.33333333],
           [1.        , 0.75      , 0.83333333]])
    """
    n, k = votes.shape
    theirs = np.zeros((n, k), dtype=np.intp)
    margins = np.empty((n, k))
    foreign = votes != codes[:, None]
    ours = np.cumsum(~foreign, axis=1)
    for j in range(k):
        # Each neighbour counts itself and the farther ones that share its label, so that the
        # nearest with a label knows all votes for it.
        theirs[:, : j + 1] += foreign[:, j, None] & (votes[:, : j + 1] == votes[:, j, None])
        margins[:, j] = (theirs.max(axis=1) - ours[:, j] + j + 1) / (2 * (j + 1))
    return margins
