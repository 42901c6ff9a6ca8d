"""Class probabilities from nearest rows, and what follows: Bayes risk and information."""

from typing import Any

import numpy as np
from scipy.special import digamma, entr, log_softmax
from sklearn.utils import check_consistent_length

from .._validation import check_choice, check_labels
from ._distances import log_squares, nearest_in_segments
from ._entropy import as_rows, log_of
from ._preparation import ClassRows, sorted_by_class
from ._segments import every_class

METHODS = ("count", "soft")


def knn_posteriors(X: Any, y: Any, *, n_neighbors: int = 8) -> np.ndarray:
    r"""Probability of each class at each row, the row itself left out.

    Densities of the classes are estimated from the distance to the k-th nearest row of each, not
    from votes, so that probabilities are neither 0 nor 1. Standardise columns first. Costs a tree
    for a few columns, O(n² d) beyond.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n,)
        The columns; no missing values, and no crowds of equal rows.
    y : array-like of shape (n,)
        Labels of two classes or more.
    n_neighbors : int, default=8
        k; all rows of a class that has fewer, with a warning.

    Returns
    -------
    array of shape (n, n_classes)
        Columns in the sorted order of the classes. A class of a single row is left out, with a
        warning: its column is 0, its row nan.

    Notes
    -----
    With :math:`n_{iy}` the size of class y, plus one where row i is not in it [1]_,

    .. math::
        \hat p(y | x_i) \propto \frac{n_y}{n}
        \exp(\psi(k_y) - \psi(n_{iy}) - d \log \epsilon_{k_y}(i | y)).

    References
    ----------
    .. [1] B. Frénay, G. Doquire, M. Verleysen. Feature selection with risk estimation. European
       Symposium on Artificial Neural Networks, 2013.

    Examples
    --------
    >>> from errata.feature_selection import knn_posteriors
    >>> x, y = [0, 1, 3, 7, 8, 10], ["a", "a", "a", "b", "b", "b"]
    >>> knn_posteriors(x, y, n_neighbors=2)[:, 0].round(2)
    array([0.79, 0.83, 0.7 , 0.26, 0.17, 0.19])
    """
    X, codes, n_classes = _checked(X, y)
    rows, log_posteriors = _log_posteriors(X, codes, n_neighbors)
    found = np.full((len(X), n_classes), np.nan)
    found[rows.order] = 0
    found[np.ix_(rows.order, rows.present)] = np.exp(log_posteriors)
    return found


def bayes_risk(X: Any, y: Any, *, n_neighbors: int = 8, method: str = "count") -> float:
    r"""The lowest error rate any classifier can have with these columns, estimated.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n,)
        The columns; no missing values, and no crowds of equal rows. Standardise them first.
    y : array-like of shape (n,)
        Labels of two classes or more. A row alone in its class is left out, with a warning.
    n_neighbors : int, default=8
        k of :func:`knn_posteriors`.
    method : {"count", "soft"}, default="count"
        "count": the fraction of rows whose label is not the most probable class. "soft": the mean
        probability that the most probable class is not the right one, which needs no label once
        the densities are known, takes any value instead of multiples of 1/n, and grows with the
        number of columns.

    Returns
    -------
    float

    Notes
    -----
    With :func:`knn_posteriors` p, count is :math:`\frac1n \sum_i [y_i \ne \arg\max_y p(y | x_i)]`,
    soft is :math:`\frac1n \sum_i (1 - \max_y p(y | x_i))` [1]_. The first of classes equally
    probable wins.

    References
    ----------
    .. [1] B. Frénay, G. Doquire, M. Verleysen. Feature selection with risk estimation. European
       Symposium on Artificial Neural Networks, 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import norm
    >>> from errata.feature_selection import bayes_risk
    >>> y = np.repeat([0, 1], 1000)
    >>> x = np.random.RandomState(0).normal(size=2000) + 3 * y
    >>> round(bayes_risk(x, y), 3), round(float(norm.cdf(-1.5)), 3)  # estimated, and true
    (0.068, 0.067)
    """
    check_choice("method", method, METHODS)
    X, codes, _ = _checked(X, y)
    rows, log_posteriors = _log_posteriors(X, codes, n_neighbors)
    by_count = method == "count"
    errors = count_errors(log_posteriors, rows.codes) if by_count else soft_errors(log_posteriors)
    return float(errors) / rows.n


def posterior_information(
    X: Any, y: Any, *, n_neighbors: int = 8, base: float | None = None
) -> float:
    r"""Mutual information between columns and classes by way of posteriors.

    Of use beside :func:`bayes_risk` with ``method="soft"``: both follow from the same
    probabilities, so that what is proved about entropy and risk (Fano, Hellman and Raviv) holds for
    the estimates, too. To choose columns, :func:`mutual_information` is the better estimate.

    Parameters
    ----------
    X : array-like of shape (n, d) or (n,)
        The columns; no missing values, and no crowds of equal rows. Standardise them first.
    y : array-like of shape (n,)
        Labels of two classes or more. A row alone in its class is left out, with a warning.
    n_neighbors : int, default=8
        k of :func:`knn_posteriors`.
    base : float, optional
        Base of the logarithm; e when not given (nats), 2 for bits.

    Returns
    -------
    float

    Notes
    -----
    :math:`H(Y) + \frac1n \sum_i \sum_y p(y | x_i) \log p(y | x_i)` [1]_, H(Y) from the sizes of
    the classes.

    References
    ----------
    .. [1] B. Frénay, G. Doquire, M. Verleysen. Theoretical and empirical study on the potential
       inadequacy of mutual information for feature selection in classification. Neurocomputing
       112, 2013.

    Examples
    --------
    >>> from errata.feature_selection import posterior_information
    >>> x, y = [0, 1, 3, 7, 8, 10], ["a", "a", "a", "b", "b", "b"]
    >>> round(posterior_information(x, y, n_neighbors=2, base=2), 3)
    0.253
    """
    X, codes, _ = _checked(X, y)
    rows, log_posteriors = _log_posteriors(X, codes, n_neighbors)
    conditional = entr(np.exp(log_posteriors)).sum() / rows.n
    return float(entr(rows.sizes / rows.n).sum() - conditional) / log_of(base)


def log_posteriors_of(squares: np.ndarray, rows: ClassRows, codes: np.ndarray, d: int) -> Any:
    """Logarithms of p(y | x), from squared distances to each class in the last axis.

    ``codes`` are those of the rows in the last axis but one.
    """
    own = codes[:, None] == np.arange(len(rows.sizes))
    k = np.where(own, rows.own_neighbors, rows.other_neighbors)
    log_priors = np.log(rows.sizes / rows.n)
    log_densities = digamma(k) - digamma(rows.sizes + ~own) - d / 2 * log_squares(squares)
    return log_softmax(log_priors + log_densities, axis=-1)


def count_errors(log_posteriors: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The number of rows whose label is not the most probable class."""
    return (log_posteriors.argmax(axis=-1) != codes).sum(axis=-1)


def soft_errors(log_posteriors: np.ndarray) -> np.ndarray:
    """The number of rows expected to be of another class than the most probable one."""
    return -np.expm1(log_posteriors.max(axis=-1)).sum(axis=-1)


def _checked(X: Any, y: Any) -> tuple[np.ndarray, np.ndarray, int]:
    X = as_rows(X)
    classes, codes = check_labels(y, min_classes=2)
    check_consistent_length(X, codes)
    return X, codes, len(classes)


def _log_posteriors(
    X: np.ndarray, codes: np.ndarray, n_neighbors: int
) -> tuple[ClassRows, np.ndarray]:
    rows = sorted_by_class(X, codes, n_neighbors)
    squares = nearest_in_segments(rows.columns, every_class(rows))
    return rows, log_posteriors_of(squares, rows, rows.codes, X.shape[1])
