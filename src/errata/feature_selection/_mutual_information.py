"""Mutual information between columns and classes, from distances to nearest rows."""

from typing import Any

import numpy as np
from scipy.special import digamma
from sklearn.utils import check_consistent_length

from .._validation import check_labels
from ._distances import log_squares, nearest_in_segments
from ._entropy import as_rows, log_of
from ._preparation import ClassRows, sorted_by_class
from ._segments import all_and_own
from .label_noise._given import check_memberships
from .label_noise._tolerant_criterion import tolerant_mutual_information


def mutual_information(
    X: Any,
    y: Any,
    *,
    n_neighbors: int = 8,
    memberships: Any = None,
    base: float | None = None,
) -> float:
    r"""Mutual information between all columns of ``X`` together and the classes ``y``.

    How much the columns, taken jointly, tell about the class. Columns count with their units:
    standardise them first. The estimate may be negative, and may exceed the entropy of ``y``;
    neither is cut off, so that subsets stay comparable. It is no stand-in for scikit-learn's
    ``mutual_info_classif``, which looks at one column at a time; for one column the two agree
    for many rows. Costs O(n log n) for one column, a tree for a few, O(n² d) beyond.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n,)
        The columns; no missing values, and no crowds of equal rows.
    y : array-like of shape (n,)
        Labels of two classes or more. A row alone in its class is left out, with a warning.
    n_neighbors : int, default=8
        k. In a class of no more than k rows, all its other rows are taken, with a warning.
    memberships : array-like of shape (n, n_classes), optional
        How much each row belongs to each class, rows summing to one: the information about the
        true class, where labels are doubtful. ``y`` then only says which classes there are; the
        columns are in their sorted order.
    base : float, optional
        Base of the logarithm; e when not given (nats), 2 for bits.

    Returns
    -------
    float

    Notes
    -----
    :math:`\hat I = \hat H(X) - \sum_y (n_y / n) \hat H(X | Y = y)` of :func:`knn_entropy` [1]_, in
    which the volume of the ball cancels:

    .. math::
        \hat I = \psi(n) - \psi(k) - \sum_y \frac{n_y}{n} (\psi(n_y) - \psi(k_y))
        + \frac{d}{n} \sum_i \log \frac{\epsilon_k(i)}{\epsilon_{k_y}(i | y_i)},
        \quad k_y = \min(k, n_y - 1).

    References
    ----------
    .. [1] V. Gómez-Verdejo, M. Verleysen, J. Fleury. Information-theoretic feature selection for
       functional data classification. Neurocomputing 72, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from errata.feature_selection import mutual_information
    >>> X, y = load_wine(return_X_y=True)
    >>> round(mutual_information(StandardScaler().fit_transform(X), y), 2)
    0.94
    """
    X = as_rows(X)
    classes, codes = check_labels(y, min_classes=2)
    check_consistent_length(X, codes)
    if memberships is not None:
        known = check_memberships(memberships, len(X), len(classes))
        return tolerant_mutual_information(X, known, n_neighbors) / log_of(base)
    rows = sorted_by_class(X, codes, n_neighbors)
    squares = nearest_in_segments(rows.columns, all_and_own(rows))
    nats = information_of_counts(rows) + float(log_ratios(squares)) * X.shape[1] / (2 * rows.n)
    return nats / log_of(base)


def information_of_counts(rows: ClassRows) -> float:
    """The part of the information that is the same for all subsets: that of the digammas."""
    own = rows.sizes / rows.n * (digamma(rows.sizes) - digamma(rows.own_neighbors))
    return float(digamma(rows.n) - digamma(rows.n_neighbors) - own.sum())


def log_ratios(squares: np.ndarray) -> np.ndarray:
    """Sum over rows of log D²(k) - log D²(k_y | y): ``squares`` has both in its last axis."""
    logs = log_squares(squares).sum(axis=-2)
    return logs[..., 0] - logs[..., 1]
