"""Mutual information between columns and a number, from neighbours in both (Kraskov)."""

from typing import Any

import numpy as np
from scipy.special import digamma
from sklearn.utils import check_array, check_consistent_length

from .._neighbors import possible_neighbors
from ._entropy import as_rows, log_of
from ._joint_neighbors import Found, JointNeighbors, count_within


def kraskov_mutual_information(
    X: Any, target: Any, *, n_neighbors: int = 3, base: float | None = None
) -> float:
    r"""Mutual information between all columns of ``X`` together and a continuous target.

    How much the columns, taken jointly, tell about a number: what :func:`mutual_information` is
    for classes. Nothing is assumed about the shape of the dependence. Columns and target count
    with their units: standardise them first. Independent columns give values around zero, negative
    ones among them; strong dependence on many columns is underestimated, the more so the more
    neighbours are asked for. Costs O(n log n) for one column or two, O(n² d) beyond, and memory
    for a block of rows.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n,)
        The columns; no missing values.
    target : array-like of shape (n,)
        The numbers to be known. Where many rows agree in all columns and the target, add a little
        noise first.
    n_neighbors : int, default=3
        k, cut to n - 1 with a warning. The authors advise 2 to 4; more neighbours make the estimate
        steadier, and more biased where the dependence is strong.
    base : float, optional
        Base of the logarithm; e when not given (nats), 2 for bits.

    Returns
    -------
    float

    Notes
    -----
    The first estimator of [1]_, with the maximum norm everywhere: with :math:`\epsilon_i` the
    distance from row i to its k-th nearest other row in columns and target at once,
    :math:`n_x(i)` and :math:`n_t(i)` count the others that are strictly nearer than that in the
    columns alone and in the target alone, and

    .. math::
        \hat I = \psi(k) + \psi(n)
        - \frac{1}{n} \sum_i \left[ \psi(n_x(i) + 1) + \psi(n_t(i) + 1) \right].

    For one column this is what scikit-learn's ``mutual_info_regression`` computes, which divides
    columns and target by their standard deviations, and cuts negative values to zero.

    References
    ----------
    .. [1] A. Kraskov, H. Stögbauer, P. Grassberger. Estimating mutual information. Physical Review
       E 69, 066138, 2004.

    Examples
    --------
    A number that two columns tell together, and neither of them alone:

    >>> import numpy as np
    >>> from errata.feature_selection import kraskov_mutual_information
    >>> X = np.random.RandomState(0).uniform(-1, 1, size=(1000, 2))
    >>> sums = X.sum(axis=1) % 1  # the place within a stripe
    >>> round(kraskov_mutual_information(X, sums), 1)
    1.8
    >>> round(kraskov_mutual_information(X[:, 1], sums), 1)
    0.0
    """
    X, target = as_rows(X), _numbers(target)
    check_consistent_length(X, target)
    n, d = X.shape
    neighbors = JointNeighbors(
        np.ascontiguousarray(X.T), target, possible_neighbors(n_neighbors, n)
    )
    found = neighbors.with_each(range(d - 1), [d - 1])
    return kraskov_average(found, target, neighbors.k).item() / log_of(base)


def kraskov_average(found: Found, target: np.ndarray, k: int) -> np.ndarray:
    """The estimates, in nats, of sets of columns whose radii and counts are known."""
    radii, counts = found
    _check_radii(radii)
    n = len(target)
    psi_of_next = digamma(np.arange(1, n + 1))  # of c + 1, by c: counts repeat many times
    in_target = np.array([count_within(target, radius) for radius in radii])
    averages = (psi_of_next[counts] + psi_of_next[in_target]).mean(axis=1)
    return digamma(k) + digamma(n) - averages


def _check_radii(radii: np.ndarray) -> None:
    crowded = int((radii == 0).any(axis=0).sum())
    if crowded:
        raise ValueError(
            f"{crowded} rows have as many equals, target included, as neighbours are asked for, so "
            "that the density around them is infinite; add a little noise to columns and target "
            "(jitter=1e-3 in the selector), or ask for more neighbours."
        )


def _numbers(target: Any) -> np.ndarray:
    """The target as an array of numbers, or an error that names it."""
    return check_array(target, ensure_2d=False, dtype=float, input_name="target").reshape(-1)
