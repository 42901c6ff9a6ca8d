"""Mutual information and errors: bounds, exact tables, failures, regression.

Entropies of classes are in bits, those of a regression error in nats.

Every family of regression errors has a scale: times s, errors have ln s more entropy, s² times the
mean square and s times the mean absolute value. So three numbers at scale one are all there is to
know of a family.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaln, digamma, entr
from sklearn.utils import check_random_state

from .._blocks import blocks
from .._random import draw_seed
from .._validation import check_choice, check_count, check_labels, check_positive

__all__ = [
    "fano_lower",
    "hellman_raviv_upper",
    "is_conclusive",
    "loss_bound",
    "discrete_information",
    "sample_discrete_features",
    "sample_gaussian_features",
    "sample_random_problems",
    "failure_statistics",
    "regression_entropy",
    "regression_error",
    "regression_scale",
    "information_gap_needed",
    "make_noisy_sine",
    "imbalance",
]


_ROUNDING = 1e-9  # by which an entropy may exceed that of a uniform distribution
_HALVINGS = 60  # of an interval below 1: what is left is less than the spacing of floats near it

_ROUNDING_OF_PAIRS = 1e-12  # below it, two computed numbers are equal

_BLOCK = 2**20  # numbers drawn at a time, 8 MB; draws are the same however many that is

# Points at a time: the dozen arrays of a block stay in the processor's cache.
_QUADRATURE_BLOCK = 2**15
_REACH = 6.0  # standard deviations; beyond lies a probability of 2e-9

FAMILIES = ("uniform", "laplace", "gaussian", "student", "two_gaussians")
_POWER = {"mse": 2, "mae": 1}  # of the scale
_GAUSSIAN_ENTROPY = 0.5 * np.log(2 * np.pi * np.e)
_SERIES_FROM = 1e3  # degrees of freedom: closed forms lose digits, the series in 1/df has them all


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
    """The result of :func:`failure_statistics`.

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


class FeatureInformation(NamedTuple):
    """Information of features about the class; arrays of the same shape, or numbers.

    Attributes
    ----------
    mutual_information, conditional_entropy
        I(X;Y) and H(Y|X) in bits.
    error
        Probability that the best classifier is wrong.
    """

    mutual_information: Any
    conditional_entropy: Any
    error: Any


def discrete_information(prior: Any, conditional: Any) -> FeatureInformation:
    """Exact mutual information and least error of a discrete feature.

    Parameters
    ----------
    prior : array of shape (..., n_classes)
        Probabilities of the classes.
    conditional : array of shape (..., n_values, n_classes)
        Probability of each value of the feature (row) given the class (column): columns sum to one.
        Leading axes are those of many features.

    Returns
    -------
    FeatureInformation
        ``mutual_information`` and ``conditional_entropy`` in bits, and ``error``, the probability
        that the best classifier is wrong.

    Notes
    -----
    H(Y|X) is the sum of P(x, y) log2(P(x) / P(x, y)), zero terms left out, the mutual information
    H(Y) - H(Y|X), the error 1 - sum over x of max over y of P(x, y).

    Examples
    --------
    Two tests for an illness. The second has more information about it and is wrong more often
    (Frénay and others, 2013):

    >>> from errata.feature_selection.information import discrete_information
    >>> first = discrete_information([0.5, 0.5], [[0.287, 0.758], [0.713, 0.242]])
    >>> second = discrete_information([0.5, 0.5], [[0.627, 0.999], [0.373, 0.001]])
    >>> for test in (first, second):
    ...     print(f"{test.mutual_information:.3f} bits, error {test.error:.4f}")
    0.167 bits, error 0.2645
    0.213 bits, error 0.3140
    """
    prior, conditional = _check_table(prior, conditional)
    joint = conditional * prior[..., None, :]
    of_value = joint.sum(axis=-1)
    # sum j log(p / j) = sum of entr(j) - sum of entr(p), with entr(0) = 0.
    nats = entr(joint).sum(axis=(-2, -1)) - entr(of_value).sum(axis=-1)
    conditional_entropy = np.maximum(0, nats / np.log(2))
    class_entropy = entr(prior).sum(axis=-1) / np.log(2)
    error = np.maximum(0, 1 - joint.max(axis=-1).sum(axis=-1))
    return FeatureInformation(
        (class_entropy - conditional_entropy)[()], conditional_entropy[()], error[()]
    )


def _check_table(prior: Any, conditional: Any) -> tuple[np.ndarray, np.ndarray]:
    prior = np.asarray(prior, dtype=float)
    conditional = np.asarray(conditional, dtype=float)
    if prior.ndim < 1 or conditional.ndim < 2 or prior.shape[-1] != conditional.shape[-1]:
        raise ValueError(
            f"conditional needs a row per value of the feature and a column per class, but its "
            f"shape is {conditional.shape} and prior has shape {prior.shape}."
        )
    for name, table, axis in (
        ("prior", prior, -1),
        ("each column of conditional", conditional, -2),
    ):
        sums = table.sum(axis=axis)
        # "not <=" and not ">": NaN, for which both are false, is refused.
        if not (np.all(table >= 0) and np.all(np.abs(sums - 1) <= 1e-8)):
            raise ValueError(f"{name} must hold probabilities that sum to 1.")
    return prior, conditional


def sample_discrete_features(
    n_pairs: int, *, n_values: int = 8, alpha: float = 1.0, random_state: Any = None
) -> FeatureInformation:
    """Pairs of random discrete features of two equally frequent classes.

    For each class the probabilities of the values follow a symmetric Dirichlet distribution. The
    study of Frénay and others (2013) has three settings of (``n_values``, ``alpha``): (2, 4), where
    classes are hard to tell apart, (8, 1), and (128, 0.06), where it is easy.

    Parameters
    ----------
    n_pairs : int
        Number of pairs.
    n_values : int, default=8
        Number of values of a feature.
    alpha : float, default=1.0
        Concentration; the smaller, the fewer values a class has.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    FeatureInformation
        Arrays of shape (n_pairs, 2), for :func:`failure_statistics`.

    Examples
    --------
    >>> from errata.feature_selection.information import sample_discrete_features
    >>> features = sample_discrete_features(10_000, random_state=0)
    >>> round(float(features.mutual_information.mean()), 2)
    0.25
    """
    check_count("n_values", n_values, low=2)
    check_positive("alpha", alpha)
    random = np.random.default_rng(draw_seed(random_state))

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        return np.full(2, 0.5), _draw_dirichlet(random, (n, 2, 2), n_values, alpha)

    return _compute_in_blocks(draw, n_pairs, width=4 * n_values)


def sample_random_problems(
    n_pairs: int, *, n_values: int = 2, shared_prior: bool = True, random_state: Any = None
) -> FeatureInformation:
    """Pairs of random features of two classes, everything drawn uniformly and normalised.

    The problems of Frénay and others (2012), who speak of two binary features and list the four
    probabilities of one: hence ``n_values``. Nor do they say whether the features of a pair belong
    to the same classes: hence ``shared_prior``.

    Parameters
    ----------
    n_pairs : int
        Number of pairs.
    n_values : int, default=2
        Number of values of a feature: 4 are those of two binary features.
    shared_prior : bool, default=True
        Whether both features of a pair have the same class prior.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    FeatureInformation
        Arrays of shape (n_pairs, 2), for :func:`failure_statistics`.

    Examples
    --------
    >>> from errata.feature_selection.information import sample_random_problems
    >>> problems = sample_random_problems(1000, random_state=0)
    >>> problems.error.shape
    (1000, 2)
    """
    check_count("n_values", n_values, low=2)
    random = np.random.default_rng(draw_seed(random_state))

    n_priors = 1 if shared_prior else 2

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        # All numbers of a pair at once, so that it is the same in any block.
        numbers = random.random((n, 2 * n_priors + 4 * n_values))
        prior = numbers[:, : 2 * n_priors].reshape(n, n_priors, 2)
        conditional = numbers[:, 2 * n_priors :].reshape(n, 2, n_values, 2)
        return (
            prior / prior.sum(axis=-1, keepdims=True),
            conditional / conditional.sum(axis=-2, keepdims=True),
        )

    return _compute_in_blocks(draw, n_pairs, width=4 * n_values)


def _compute_in_blocks(
    draw: Callable[[int], tuple[np.ndarray, np.ndarray]], n_pairs: int, *, width: int
) -> FeatureInformation:
    """Information of the tables that ``draw(n)`` gives for n pairs, a block at a time."""
    check_count("n_pairs", n_pairs)
    out = FeatureInformation(*np.empty((3, n_pairs, 2)))
    for rows in blocks(n_pairs, _BLOCK, width=width):
        of_block = discrete_information(*draw(rows.stop - rows.start))
        for whole, part in zip(out, of_block, strict=True):
            whole[rows] = part
    return out


def _draw_dirichlet(
    random: np.random.Generator, shape: tuple[int, int, int], n_values: int, alpha: float
) -> np.ndarray:
    """Tables P(x|y) of shape (pairs, 2, n_values, classes), each column a normalised gamma draw."""
    weights = random.standard_gamma(alpha, size=(*shape, n_values))
    sums = weights.sum(axis=-1)
    # A small alpha underflows to zero often, and now and then in all values at once.
    while (lost := sums == 0).any():
        weights[lost] = random.standard_gamma(alpha, size=(lost.sum(), n_values))
        sums = weights.sum(axis=-1)
    return np.swapaxes(weights / sums[..., None], -1, -2)


def sample_gaussian_features(
    n_pairs: int, *, separation: float = 2.0, n_nodes: int = 100, random_state: Any = None
) -> FeatureInformation:
    """Pairs of random features that are Gaussian within each of three equally frequent classes.

    The classes lie at -``separation``, 0 and ``separation``; each has a standard deviation of its
    own, from a gamma distribution of shape 2 and scale 0.5. The study of Frénay and others (2013)
    has the separations 0.5 (hard), 2 and 4 (easy).

    Parameters
    ----------
    n_pairs : int
        Number of pairs.
    separation : float, default=2.0
        Distance of the middle class to the other two.
    n_nodes : int, default=100
        Points per class at which posteriors are computed.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    FeatureInformation
        Arrays of shape (n_pairs, 2), for :func:`failure_statistics`.

    Notes
    -----
    The paper draws 10,000 points of each class. Here points stand at equal distances within six
    standard deviations of each class, those of all classes are put in one order, and the trapezoid
    rule integrates entropy and error of the posterior: no noise, and with 100 points per class a
    root mean square error below 1e-4 (bits, or probability). As the weights are scaled to sum to
    one, the bounds of Fano and of Hellman and Raviv hold exactly.

    Examples
    --------
    >>> from errata.feature_selection.information import sample_gaussian_features
    >>> features = sample_gaussian_features(1000, separation=4, random_state=0)
    >>> round(float(features.error.mean()), 2)
    0.04
    """
    check_count("n_pairs", n_pairs)
    check_count("n_nodes", n_nodes, low=2)
    means = check_positive("separation", separation) * np.array([-1.0, 0.0, 1.0])
    random = np.random.default_rng(draw_seed(random_state))
    widths = random.gamma(2.0, 0.5, size=(2 * n_pairs, 3))
    entropy, error = np.empty((2, 2 * n_pairs))
    for rows in blocks(2 * n_pairs, _QUADRATURE_BLOCK, width=3 * n_nodes):
        entropy[rows], error[rows] = compute_gaussian_uncertainty(means, widths[rows], n_nodes)
    information = np.log2(3) - entropy
    return FeatureInformation(*(a.reshape(-1, 2) for a in (information, entropy, error)))


def compute_gaussian_uncertainty(
    means: np.ndarray, widths: np.ndarray, n_nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    """H(Y|X) in bits and least error, for each row of standard deviations of equal classes."""
    nodes = np.linspace(-_REACH, _REACH, n_nodes)
    x = means[:, None] + widths[:, :, None] * nodes
    # In one order: where one class is narrow, its points are dense for the wide ones too.
    x = np.sort(x.reshape(len(widths), -1), axis=1)
    entropy, error, density = _compute_posteriors(x, means, widths)
    weights = density * _compute_spacing(x)
    weights /= weights.sum(axis=1, keepdims=True)
    return (weights * entropy).sum(axis=1), (weights * error).sum(axis=1)


def _compute_spacing(x: np.ndarray) -> np.ndarray:
    """Weights of the trapezoid rule for sorted points, twice as large."""
    weights = np.empty_like(x)
    weights[:, 1:-1] = x[:, 2:] - x[:, :-2]
    weights[:, 0] = x[:, 1] - x[:, 0]
    weights[:, -1] = x[:, -1] - x[:, -2]
    return weights


def _compute_posteriors(
    x: np.ndarray, means: np.ndarray, widths: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Entropy and error of the posterior at each point, and the density, all but a factor."""
    logs = [
        -np.log(width)[:, None] - 0.5 * ((x - mean) / width[:, None]) ** 2
        for mean, width in zip(means, widths.T, strict=True)
    ]
    top = np.maximum.reduce(logs)
    # Relative to the most probable class: its weight is 1, and nothing overflows.
    total = np.zeros_like(x)
    spread = np.zeros_like(x)
    for log in logs:
        log -= top
        weight = np.exp(log)
        total += weight
        spread += weight * log
    entropy = (np.log(total) - spread / total) / np.log(2)
    return entropy, 1 - 1 / total, np.exp(top) * total


def regression_entropy(scale: Any, family: str, *, df: Any = None, ratio: Any = None) -> Any:
    """Conditional entropy of the target, for errors of a known distribution.

    Parameters
    ----------
    scale : float or array
        Width of "uniform", scale of "laplace" and "student", standard deviation of "gaussian", that
        of one half of the rows for "two_gaussians".
    family : {"uniform", "laplace", "gaussian", "student", "two_gaussians"}
        Distribution of the errors.
    df : float or array, optional
        Degrees of freedom, for "student" only; infinitely many are those of "gaussian".
    ratio : float or array, optional
        Standard deviation of the other half of the rows over that of the first, for
        "two_gaussians" only. Which half a row belongs to must follow from its features.

    Returns
    -------
    float or array
        H(Y|X) in nats.

    Notes
    -----
    Given the features, the target is a number plus the error: their entropies are equal. They are
    ln D (uniform), ln(2 e s) (Laplace), ln(2 pi e s²) / 2 (Gauss), and, with n degrees of freedom
    and P = psi((n + 1)/2) - psi(n/2), (n + 1) P / 2 + ln(sqrt(n) B(1/2, n/2)) + ln s (Student).

    Examples
    --------
    >>> from errata.feature_selection.information import regression_entropy
    >>> round(float(regression_entropy(0.267419, "gaussian")), 4)
    0.1
    """
    scale = np.asarray(scale, dtype=float)
    if not np.all(scale > 0):
        raise ValueError("scale must be above 0; errors of scale 0 have no entropy.")
    return (_compute_at_scale_one(family, df, ratio)["entropy"] + np.log(scale))[()]


def regression_scale(entropy: Any, family: str, *, df: Any = None, ratio: Any = None) -> Any:
    """Scale of the errors that gives a target this conditional entropy.

    Parameters
    ----------
    entropy : float or array
        H(Y|X) in nats.
    family, df, ratio
        As for :func:`regression_entropy`, of which this is the inverse.

    Examples
    --------
    >>> from errata.feature_selection.information import regression_scale
    >>> regression_scale(0.1, "student", df=[2.3, 5, 30]).round(4)
    array([0.1675, 0.2171, 0.2586])
    """
    unit = _compute_at_scale_one(family, df, ratio)
    return np.exp(np.asarray(entropy, dtype=float) - unit["entropy"])[()]


def regression_error(
    entropy: Any, family: str, criterion: str = "mse", *, df: Any = None, ratio: Any = None
) -> Any:
    """Mean squared or absolute error of the best regression, given the entropy of the target.

    Within a family without further parameters it grows with the entropy, so that the features with
    the largest mutual information have the smallest error. Across families, degrees of freedom or
    ratios this need not be so: see :func:`information_gap_needed`.

    Parameters
    ----------
    entropy : float or array
        H(Y|X) in nats.
    family : {"uniform", "laplace", "gaussian", "student", "two_gaussians"}
        Distribution of the errors.
    criterion : {"mse", "mae"}, default="mse"
        Mean squared or mean absolute error.
    df : float or array, optional
        Degrees of freedom, for "student" only: above 2 for "mse", above 1 for "mae".
    ratio : float or array, optional
        As for :func:`regression_entropy`, for "two_gaussians" only.

    Returns
    -------
    float or array

    Notes
    -----
    No error distribution has a smaller mean square than exp(2 H) / (2 pi e), that of Gauss, nor a
    smaller mean absolute value than exp(H) / (2 e), that of Laplace: these two have the largest
    entropy of all.

    References
    ----------
    .. [1] B. Frénay, G. Doquire and M. Verleysen, "Is mutual information adequate for feature
       selection in regression?", Neural Networks 48, 2013.

    Examples
    --------
    >>> from errata.feature_selection.information import regression_error
    >>> for family in ("uniform", "laplace", "gaussian"):
    ...     mse, mae = (regression_error(0, family, criterion) for criterion in ("mse", "mae"))
    ...     print(f"{family:9}{mse:.4f}  {mae:.4f}")
    uniform  0.0833  0.2500
    laplace  0.0677  0.1839
    gaussian 0.0585  0.1931
    """
    power = _POWER[check_choice("criterion", criterion, tuple(_POWER))]
    unit = _compute_at_scale_one(family, df, ratio)
    if family == "student" and np.min(df) <= power:
        raise ValueError(
            f"df={np.min(df):g} leaves no finite {criterion} for family='student'; "
            f"it must be above {power}."
        )
    rise = np.asarray(entropy, dtype=float) - unit["entropy"]
    return (unit[criterion] * np.exp(power * rise))[()]


def information_gap_needed(selected: Any, rival: Any, *, criterion: str = "mse") -> Any:
    """How much more information features need to have the smaller error, whatever it is.

    Parameters
    ----------
    selected, rival : float or array
        Errors of two families at the same entropy, from :func:`regression_error`: of the features
        with more information, and of those with less.
    criterion : {"mse", "mae"}, default="mse"
        What ``selected`` and ``rival`` are.

    Returns
    -------
    float or array
        In nats. Mutual information fails when the difference is smaller; it cannot fail where this
        is 0.

    Notes
    -----
    With entropies H2 < H1 and errors g2, g1 at entropy 0, the squared error of the selected
    features is larger when exp(2 H2) g2 > exp(2 H1) g1, that is when H1 - H2 < ln(g2 / g1) / 2; the
    absolute one when H1 - H2 < ln(g2 / g1).

    Examples
    --------
    Errors with heavy tails against errors with light ones:

    >>> from errata.feature_selection.information import information_gap_needed, regression_error
    >>> for criterion in ("mse", "mae"):
    ...     heavy, light = regression_error(0, "student", criterion, df=[2.3, 5])
    ...     gap = information_gap_needed(heavy, light, criterion=criterion)
    ...     print(f"{criterion}: {gap:.3f} nats")
    mse: 0.504 nats
    mae: 0.032 nats
    """
    power = _POWER[check_choice("criterion", criterion, tuple(_POWER))]
    selected = np.asarray(selected, dtype=float)
    rival = np.asarray(rival, dtype=float)
    if not (np.all(selected > 0) and np.all(rival > 0)):
        raise ValueError("selected and rival must be errors above 0.")
    return np.maximum(0, np.log(selected / rival) / power)[()]


def _compute_at_scale_one(family: str, df: Any, ratio: Any) -> dict[str, Any]:
    """The entropy and both errors of a distribution of scale 1."""
    check_choice("family", family, FAMILIES)
    _check_shape("df", df, family, of="student")
    _check_shape("ratio", ratio, family, of="two_gaussians")
    if family == "uniform":
        return {"entropy": 0.0, "mse": 1 / 12, "mae": 1 / 4}
    if family == "laplace":
        return {"entropy": 1 + np.log(2), "mse": 2.0, "mae": 1.0}
    if family == "student":
        return _compute_student(np.asarray(df, dtype=float))
    r = np.asarray(1 if ratio is None else ratio, dtype=float)
    entropy = _GAUSSIAN_ENTROPY + np.log(r) / 2
    mae = (1 + r) / np.sqrt(2 * np.pi)
    return {"entropy": entropy, "mse": (1 + r**2) / 2, "mae": mae}


def _compute_student(df: np.ndarray) -> dict[str, Any]:
    """Infinite where the integral does not exist."""
    n = np.minimum(df, _SERIES_FROM)
    u = 1 / df
    # The logarithm of sqrt(n) B(1/2, n/2), and (n + 1)/2 times the difference of digammas.
    log_norm = np.where(
        df < _SERIES_FROM,
        np.log(n) / 2 + betaln(0.5, n / 2),
        np.log(2 * np.pi) / 2 + u / 4 - u**3 / 24,
    )
    spread = np.where(
        df < _SERIES_FROM,
        (n + 1) / 2 * (digamma((n + 1) / 2) - digamma(n / 2)),
        (1 + u) / 2 * (1 + u / 2 - u**3 / 4),
    )
    mse = np.divide(1, 1 - 2 * u, out=np.full_like(u, np.inf), where=df > 2)
    mae = np.divide(2 * np.exp(-log_norm), 1 - u, out=np.full_like(u, np.inf), where=df > 1)
    return {"entropy": spread + log_norm, "mse": mse, "mae": mae}


def _check_shape(name: str, value: Any, family: str, *, of: str) -> None:
    if value is None and family == of:
        raise ValueError(f"family={family!r} needs {name}; pass a number above 0.")
    if value is not None and family != of:
        raise ValueError(f"{name} belongs to family={of!r}, not to {family!r}; leave it out.")
    if value is not None and not np.all(np.asarray(value, dtype=float) > 0):
        raise ValueError(f"{name}={value!r} must be above 0.")


def make_noisy_sine(
    n_samples: int = 200,
    *,
    family: str = "gaussian",
    entropy: float = 0.1,
    df: float | None = None,
    ratio: float | None = None,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """One period of a sine with errors of a given distribution and entropy: y = sin(x) + error.

    Samples of different families and equal ``entropy`` have the same mutual information, and may
    have very different errors.

    Parameters
    ----------
    n_samples : int, default=200
        Number of rows.
    family : {"uniform", "laplace", "gaussian", "student", "two_gaussians"}, default="gaussian"
        Distribution of the errors. Those of "two_gaussians" have the one standard deviation left of
        0 and the other right of it.
    entropy : float, default=0.1
        H(Y|X) in nats.
    df, ratio : float, optional
        As for :func:`regression_entropy`.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    X : array of shape (n_samples, 1)
        Uniform between -pi and pi.
    y : array of shape (n_samples,)

    Examples
    --------
    >>> import numpy as np
    >>> from errata.feature_selection.information import make_noisy_sine
    >>> X, y = make_noisy_sine(100_000, family="uniform", random_state=0)
    >>> error = y - np.sin(X[:, 0])
    >>> round(float(error.max() - error.min()), 3)      # exp(0.1)
    1.105
    """
    check_count("n_samples", n_samples)
    scale = regression_scale(entropy, family, df=df, ratio=ratio)
    random = check_random_state(random_state)
    x = random.uniform(-np.pi, np.pi, n_samples)
    error = _draw_errors_of_scale_one(random, x, family, df, ratio)
    return x[:, None], np.sin(x) + scale * error


def _draw_errors_of_scale_one(random: Any, x: np.ndarray, family: str, df: Any, ratio: Any) -> Any:
    if family == "uniform":
        return random.uniform(-0.5, 0.5, len(x))
    if family == "laplace":
        return random.laplace(size=len(x))
    if family == "student" and np.isfinite(df):
        return random.standard_t(df, len(x))
    normal = random.standard_normal(len(x))
    return normal * np.where(x < 0, 1, ratio) if family == "two_gaussians" else normal
