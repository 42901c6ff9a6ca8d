"""The nearest other rows, exactly or nearly so: the one door to neighbours."""

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.neighbors import VALID_METRICS
from sklearn.utils import check_array, check_random_state

from .._optional import require
from .._validation import check_count
from ..exceptions import SuspicionWarning
from ._approximate import approximate_neighbors
from ._exact import TREE_DIMENSIONS, ask_everybody, exact_query, settle

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
        The features, finite; scale them first.
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
    X = check_array(X, accept_sparse="csr", dtype=float, order="C")
    n, d = X.shape
    k = _possible(check_count("n_neighbors", k), n)
    faiss = _faiss(X, metric) if approximate else None
    if k == 0:
        return np.empty((n, 0), dtype=np.intp)
    if faiss is not None and d > TREE_DIMENSIONS and n >= APPROXIMATE_FROM:
        seed = check_random_state(random_state).randint(2**31 - 1)
        brute = ask_everybody(X, n_jobs)
        found = approximate_neighbors(X, k, brute, faiss=faiss, seed=seed, n_jobs=n_jobs)
        if found is not None:
            return found
    zero_is_equal = metric in VALID_METRICS["kd_tree"] and not issparse(X)
    query = exact_query(X, metric, n_jobs)
    return settle(query, np.arange(n), k, X, zero_is_equal=zero_is_equal)


def _possible(k: int, n: int) -> int:
    """``k``, or as many neighbours as there can be, with a warning."""
    if k < n:
        return k
    warnings.warn(
        f"n_neighbors={k} asks for more neighbours than there are other rows ({n - 1}); "
        f"using {n - 1}.",
        SuspicionWarning,
        stacklevel=3,
    )
    return n - 1


def _faiss(X: Any, metric: Any) -> Any:
    """The library behind approximate search, when it can serve."""
    if metric != "euclidean" or issparse(X):
        kind = "a sparse matrix" if issparse(X) else f"metric={metric!r}"
        raise ValueError(
            f"approximate=True knows Euclidean distances between the rows of an array, not {kind}; "
            "leave it out for an exact search."
        )
    return require("faiss", extra="scale")
