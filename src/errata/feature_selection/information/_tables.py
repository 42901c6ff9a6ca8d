"""Features whose distribution is known: exact mutual information and least error."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import entr

from ..._blocks import blocks
from ..._random import draw_seed
from ..._validation import check_count, check_positive

_BLOCK = 2**20  # numbers drawn at a time, 8 MB; draws are the same however many that is

_QUADRATURE_BLOCK = (
    2**15
)  # points at a time: the dozen arrays of a block stay in the processor's cache
_REACH = 6.0  # standard deviations; beyond lies a probability of 2e-9


class FeatureInformation(NamedTuple):
    """What features say about the class; arrays of the same shape, or numbers.

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
