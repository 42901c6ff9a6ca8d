"""What a conditional entropy says about the least error, in bits, and how often it misleads."""

from typing import Any, NamedTuple

import numpy as np
from scipy.special import entr

from ..._validation import check_count, check_labels

_ROUNDING = 1e-9  # by which an entropy may exceed that of a uniform distribution
_HALVINGS = 60  # of an interval below 1: what is left is less than the spacing of floats near it

_ROUNDING_OF_PAIRS = 1e-12  # below it, two computed numbers are equal


def fano_lower(entropy: Any, n_classes: int, *, weak: bool = False) -> Any:
    """Smallest error that a classifier can have, given the conditional entropy of the class.

    Fano's inequality, solved for the error. Features that leave much uncertainty about the class
    cannot be good ones, whatever the classifier.

    Parameters
    ----------
    entropy : float or array
        Conditional entropy H(Y|X) in bits, at most log2(n_classes).
    n_classes : int
        Number of classes, at least 2.
    weak : bool, default=False
        The weak form of the inequality, which has a closed solution and says nothing about two
        classes.

    Returns
    -------
    float or array
        A lower bound of the probability of misclassification, from 0 to 1 - 1/n_classes.

    Notes
    -----
    With h the entropy of a binary variable and K classes, the inequality is
    H <= h(P) + P log2(K - 1), and its weak form H <= 1 + P log2(K - 1) [1]_. The right side of the
    first grows with P up to 1 - 1/K, so that bisection solves it. (Equation 2.15 of the thesis of
    Frénay, 2013, prints the inequality the other way round.)

    References
    ----------
    .. [1] R. Fano, "Transmission of Information", MIT Press, 1961.

    Examples
    --------
    >>> from errata.feature_selection.information import fano_lower
    >>> fano_lower([0, 0.5, 1], 2).round(3)
    array([0.  , 0.11, 0.5 ])
    >>> fano_lower([1, 1.2], 3).round(3), fano_lower([1, 1.2], 3, weak=True).round(3)
    (array([0.227, 0.309]), array([0. , 0.2]))
    """
    h = _check_entropy(entropy, n_classes)
    k = n_classes
    if weak:
        bound = np.maximum(0, (h - 1) / np.log2(k - 1)) if k > 2 else np.zeros_like(h)
        return bound[()]  # a number for a number
    return _solve_fano(h, k)[()]


def hellman_raviv_upper(entropy: Any, n_classes: int | None = None, *, cap: bool = False) -> Any:
    """Largest error of the best classifier, given the conditional entropy of the class.

    Parameters
    ----------
    entropy : float or array
        Conditional entropy H(Y|X) in bits.
    n_classes : int, optional
        Number of classes; only needed to ``cap``.
    cap : bool, default=False
        Replace what exceeds 1 - 1/n_classes, the error of a guess, by that.

    Returns
    -------
    float or array
        An upper bound of the probability of misclassification: H(Y|X) / 2.

    References
    ----------
    .. [1] M. Hellman and J. Raviv, "Probability of error, equivocation, and the Chernoff bound",
       IEEE Transactions on Information Theory, 1970.

    Examples
    --------
    >>> from errata.feature_selection.information import hellman_raviv_upper
    >>> hellman_raviv_upper([0.6, 1.5]), hellman_raviv_upper([0.6, 1.5], 3, cap=True).round(3)
    (array([0.3 , 0.75]), array([0.3  , 0.667]))
    """
    if n_classes is None and cap:
        raise ValueError("cap=True needs n_classes, the number of classes; pass it too.")
    h = _check_entropy(entropy, n_classes)
    return np.minimum(h / 2, 1 - 1 / n_classes if cap and n_classes else np.inf)[()]


def is_conclusive(entropy: Any, rival_entropy: Any, n_classes: int) -> Any:
    """Whether the first features surely have the smaller error, given both entropies.

    They do when their error is at most what the error of the rival is at least. Otherwise mutual
    information proves nothing: the smaller entropy may have the larger error.

    Parameters
    ----------
    entropy, rival_entropy : float or array
        Conditional entropies H(Y|X) in bits, of the features in question and of their rival.
    n_classes : int
        Number of classes.

    Returns
    -------
    bool or array of bool

    Notes
    -----
    Sufficient, not necessary: the bound of Hellman and Raviv for the one lies below that of Fano
    for the other.

    Examples
    --------
    >>> from errata.feature_selection.information import is_conclusive
    >>> bool(is_conclusive(0.50, 0.83, 2)), bool(is_conclusive(0.79, 0.83, 2))
    (True, False)
    """
    upper = np.asarray(hellman_raviv_upper(entropy, n_classes))
    return (upper < fano_lower(rival_entropy, n_classes))[()]


def loss_bound(information: Any, class_entropy: float, n_classes: int) -> Any:
    """Most that a choice by mutual information can cost in probability of misclassification.

    The worst case: the features chosen reach the bound of Hellman and Raviv, and others with nearly
    the same information that of Fano.

    Parameters
    ----------
    information : float or array
        Mutual information in bits of the features that were chosen, from 0 to ``class_entropy``.
    class_entropy : float
        Entropy H(Y) of the class in bits; log2(n_classes) where classes are equally frequent.
    n_classes : int
        Number of classes.

    Returns
    -------
    float or array
        Concave in the information; log2(n_classes + 3) / 2 - 1 at most, where the bound of Fano is
        (n_classes - 1) / (n_classes + 3). For two equally frequent classes it is 0 at both ends.

    Examples
    --------
    >>> from errata.feature_selection.information import loss_bound
    >>> loss_bound([0, 0.3, 1], 1.0, 2).round(3)
    array([0.   , 0.161, 0.   ])
    """
    entropy = np.asarray(class_entropy - np.asarray(information, dtype=float))
    return (hellman_raviv_upper(entropy, n_classes) - fano_lower(entropy, n_classes))[()]


def _solve_fano(h: np.ndarray, k: int) -> np.ndarray:
    low = np.zeros_like(h)
    high = np.full_like(h, 1 - 1 / k)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = compute_most_entropy(middle, k) < h
        low = np.where(below, middle, low)
        high = np.where(below, high, middle)
    # Exact at the ends, where the middle of an interval never arrives.
    return np.select([h <= 0, h >= np.log2(k)], [0.0, 1 - 1 / k], (low + high) / 2)


def compute_most_entropy(error: Any, n_classes: int) -> np.ndarray:
    """Largest conditional entropy in bits at a given error: the right side of Fano's inequality."""
    nats = entr(error) + entr(1 - np.asarray(error)) + error * np.log(n_classes - 1)
    return np.asarray(nats) / np.log(2)


def _check_entropy(entropy: Any, n_classes: int | None) -> np.ndarray:
    h = np.asarray(entropy, dtype=float)
    if np.isnan(h).any():
        raise ValueError("entropy is NaN somewhere; pass conditional entropies in bits.")
    if n_classes is None:
        return h
    check_count("n_classes", n_classes, low=2)
    if h.size and h.max() > np.log2(n_classes) + _ROUNDING:
        raise ValueError(
            f"an entropy of {h.max():.6g} bits is more than {n_classes} classes can have "
            f"(log2({n_classes}) = {np.log2(n_classes):.6g}); pass it in bits, not in nats."
        )
    return h


def imbalance(y: Any) -> float:
    """Root mean square distance of the class frequencies to those of a balanced set.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels.

    Returns
    -------
    float
        0 where all classes are equally frequent; with K classes below sqrt(K - 1) / K.

    Notes
    -----
    With n_y of n rows in class y, sqrt(mean over y of (n_y / n - 1 / K)^2): equation 31 of
    Frénay and others (2014), "Estimating mutual information for feature selection in the presence
    of label noise", Computational Statistics & Data Analysis 71.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from errata.feature_selection.information import imbalance
    >>> round(imbalance(load_wine().target), 2)
    0.05
    """
    classes, codes = check_labels(y)
    frequencies = np.bincount(codes) / len(codes)
    return float(np.sqrt(np.mean((frequencies - 1 / len(classes)) ** 2)))


class FailureHistogram(NamedTuple):
    """Features, pairs and failures in bins of information, or of error.

    Attributes
    ----------
    edges : array of shape (n_bins + 1,)
        Ends of the bins.
    features : array of int of shape (n_bins,)
        Features in each bin, selected or not.
    pairs, failures : array of int of shape (n_bins,)
        Pairs whose selected feature is in the bin, and those of them that fail.
    """

    edges: np.ndarray
    features: np.ndarray
    pairs: np.ndarray
    failures: np.ndarray

    def probability(self) -> np.ndarray:
        """Probability that a pair fails, given its selected feature; NaN where there is none."""
        return _divide(self.failures, self.pairs)

    def published_convention(self) -> np.ndarray:
        """Failures per feature: small where features are seldom selected at all."""
        return _divide(self.failures, self.features)


class FailureStatistics(NamedTuple):
    """What :func:`failure_statistics` found.

    Attributes
    ----------
    n_pairs : int
        Number of pairs.
    failure_rate : float
        Fraction of them that fail.
    published_convention : float
        Failures per feature, which is half of it. The six rates that Frénay and others (2013) print
        are half of what their definition gives, and failures per feature also fall at both ends
        of the information as their text says, where failures per pair do not: it seems that this
        is what they counted.
    tie_rate : float
        Fraction of the pairs with equal errors, which cannot fail.
    loss_95 : float
        What 95 % of the failures cost at most; NaN without failures.
    failing : array of bool of shape (n_pairs,)
        The pairs that fail.
    selected : array of int of shape (n_pairs,)
        Which feature of each pair has more information, 0 or 1.
    losses, gaps : array of shape (n_failures,)
        By how much the error of the selected feature is larger, and its information.
    by_information, by_error : FailureHistogram
        Failures in bins of information and of error.
    """

    n_pairs: int
    failure_rate: float
    published_convention: float
    tie_rate: float
    loss_95: float
    failing: np.ndarray
    selected: np.ndarray
    losses: np.ndarray
    gaps: np.ndarray
    by_information: FailureHistogram
    by_error: FailureHistogram


def failure_statistics(
    information: Any,
    error: Any,
    min_gap: float = 0.0,
    min_loss: float = 0.0,
    *,
    information_bins: Any = 20,
    error_bins: Any = 20,
) -> FailureStatistics:
    """Count the pairs of features where mutual information takes the worse one.

    A pair fails when the feature with the larger information also has the larger error. What it
    costs, the loss, is the difference of the errors.

    Parameters
    ----------
    information, error : array of shape (n_pairs, 2)
        Mutual information and error of both features. For regression, pass minus the entropy of the
        target given the features, and their mean squared or absolute error.
    min_gap, min_loss : float, default=0.0
        Failures with a smaller difference of information, or of errors, are not counted: such a
        difference may be that of two estimates of the same number.
    information_bins, error_bins : int or array of edges, default=20
        Bins of the histograms, as ``numpy.histogram`` takes them.

    Returns
    -------
    FailureStatistics

    Notes
    -----
    Differences up to 1e-12 are taken for rounding: such numbers are equal.

    References
    ----------
    .. [1] B. Frénay, G. Doquire and M. Verleysen, "Theoretical and empirical study on the potential
       inadequacy of mutual information for feature selection in classification", Neurocomputing
       112, 2013.

    Examples
    --------
    >>> from errata.feature_selection.information import (
    ...     failure_statistics, sample_discrete_features)
    >>> features = sample_discrete_features(20_000, n_values=8, alpha=1, random_state=0)
    >>> found = failure_statistics(features.mutual_information, features.error)
    >>> f"{found.failure_rate:.1%} fail; 95 % of them cost at most {found.loss_95:.1%}"
    '9.2% fail; 95 % of them cost at most 4.3%'
    """
    information, error = _check_pairs(information, error)
    selected = information.argmax(axis=1)
    gaps = _subtract_other(information, selected)
    losses = _subtract_other(error, selected)
    failing = (
        (gaps > _ROUNDING_OF_PAIRS)
        & (losses > _ROUNDING_OF_PAIRS)
        & (gaps >= min_gap)
        & (losses >= min_loss)
    )
    rate = float(failing.mean())
    return FailureStatistics(
        n_pairs=len(information),
        failure_rate=rate,
        published_convention=rate / 2,
        tie_rate=float((np.abs(losses) <= _ROUNDING_OF_PAIRS).mean()),
        loss_95=float(np.quantile(losses[failing], 0.95)) if failing.any() else np.nan,
        failing=failing,
        selected=selected,
        losses=losses[failing],
        gaps=gaps[failing],
        by_information=_count_histogram(information, selected, failing, information_bins),
        by_error=_count_histogram(error, selected, failing, error_bins),
    )


def _count_histogram(
    values: np.ndarray, selected: np.ndarray, failing: np.ndarray, bins: Any
) -> FailureHistogram:
    bins = check_count("bins", bins) if np.ndim(bins) == 0 else bins
    features, edges = np.histogram(values, bins)
    chosen = _take_feature(values, selected)
    counts = (np.histogram(rows, edges)[0] for rows in (chosen, chosen[failing]))
    return FailureHistogram(edges, features, *counts)


def _divide(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)


def _take_feature(values: np.ndarray, feature: np.ndarray) -> np.ndarray:
    return np.take_along_axis(values, feature[:, None], axis=1)[:, 0]


def _subtract_other(values: np.ndarray, selected: np.ndarray) -> np.ndarray:
    return _take_feature(values, selected) - _take_feature(values, 1 - selected)


def _check_pairs(information: Any, error: Any) -> tuple[np.ndarray, np.ndarray]:
    information = np.asarray(information, dtype=float)
    error = np.asarray(error, dtype=float)
    if information.ndim != 2 or information.shape[1] != 2 or information.shape != error.shape:
        raise ValueError(
            f"information and error need a row per pair and a column for each of its two features, "
            f"but their shapes are {information.shape} and {error.shape}."
        )
    if not len(information):
        raise ValueError("there is no pair of features to compare; pass one at least.")
    if not (np.isfinite(information).all() and np.isfinite(error).all()):
        raise ValueError("information or error is NaN or infinite somewhere; drop these pairs.")
    return information, error
