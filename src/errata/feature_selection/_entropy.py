"""The entropy of a sample, from the distance to the k-th nearest row (Kozachenko and Leonenko)."""

from typing import Any

import numpy as np
from scipy.special import digamma, gammaln
from sklearn.utils import check_array

from .._neighbors import possible_neighbors
from .._validation import check_positive
from ._distances import log_squares, nearest_in_segments
from ._segments import one_segment


def knn_entropy(X: Any, *, n_neighbors: int = 8, base: float | None = None) -> float:
    r"""Differential entropy of continuous columns, from distances to the k-th nearest row.

    For rows drawn from a density that is smooth at the scale of neighbours. The bias grows with the
    number of columns and near the edge of a bounded density. Repeated rows have no density: add a
    little noise to them first. Costs O(n log n) for one column, a tree for a few, O(n² d) beyond.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n,)
        The rows; no missing values.
    n_neighbors : int, default=8
        k, cut to n - 1 with a warning. More neighbours make the estimate steadier, and coarser.
    base : float, optional
        Base of the logarithm; e when not given (nats), 2 for bits.

    Returns
    -------
    float

    Notes
    -----
    With :math:`\epsilon_k(i)` twice the distance from row i to its k-th nearest other row and
    :math:`c_d` the volume of the d-ball of diameter 1 [1]_,

    .. math:: \hat H(X) = \psi(n) - \psi(k) + \log c_d + \frac{d}{n} \sum_i \log \epsilon_k(i).

    References
    ----------
    .. [1] L. F. Kozachenko, N. N. Leonenko. Sample estimate of the entropy of a random vector.
       Problems of Information Transmission 23, 1987.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.feature_selection import knn_entropy
    >>> X = np.random.RandomState(0).normal(size=(2000, 2))
    >>> round(knn_entropy(X), 2), round(float(np.log(2 * np.pi * np.e)), 2)  # estimated, and true
    (2.79, 2.84)
    """
    X = as_rows(X)
    n, d = X.shape
    k = possible_neighbors(n_neighbors, n)
    squares = nearest_in_segments(np.ascontiguousarray(X.T), one_segment(n, k))
    log_diameters = np.log(2) + log_squares(squares).mean() / 2
    nats = digamma(n) - digamma(k) + log_ball_volume(d) + d * log_diameters
    return float(nats) / log_of(base)


def log_ball_volume(d: int) -> float:
    """Logarithm of the volume of the d-ball of diameter 1.

    >>> round(float(np.exp(log_ball_volume(2))), 6)  # pi / 4
    0.785398
    """
    return d / 2 * np.log(np.pi) - gammaln(d / 2 + 1) - d * np.log(2)


def as_rows(X: Any) -> np.ndarray:
    """``X`` as an array of numbers with two rows at least; a single column may have one axis."""
    X = np.asarray(X) if np.ndim(X) == 1 else X
    X = X[:, None] if np.ndim(X) == 1 else X
    return check_array(X, dtype=float, ensure_min_samples=2)


def log_of(base: float | None) -> float:
    """What divides a number of nats to give it in another base."""
    if base is None:
        return 1.0
    if check_positive("base", base) == 1:
        raise ValueError("base=1 is the base of no logarithm; pass 2 for bits.")
    return float(np.log(base))
