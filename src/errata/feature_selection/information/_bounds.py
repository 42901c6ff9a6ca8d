"""What a conditional entropy says about the error of the best classifier; in bits throughout."""

from typing import Any

import numpy as np
from scipy.special import entr

from ..._validation import check_count

_ROUNDING = 1e-9  # by which an entropy may exceed that of a uniform distribution
_HALVINGS = 60  # of an interval below 1: what is left is less than the spacing of floats near it


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
    h, k = _check_entropy(entropy, n_classes), n_classes
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
    low, high = np.zeros_like(h), np.full_like(h, 1 - 1 / k)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = most_entropy(middle, k) < h
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    # Exact at the ends, where the middle of an interval never arrives.
    return np.select([h <= 0, h >= np.log2(k)], [0.0, 1 - 1 / k], (low + high) / 2)


def most_entropy(error: Any, n_classes: int) -> np.ndarray:
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
