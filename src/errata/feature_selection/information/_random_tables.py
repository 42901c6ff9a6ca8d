"""Random tables of discrete features, in pairs, for the study of where information fails."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._blocks import blocks
from ..._random import draw_seed
from ..._validation import check_count, check_positive
from ._tables import FeatureInformation, discrete_information

_BLOCK = 2**20  # numbers drawn at a time, 8 MB; draws are the same however many that is


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
        return np.full(2, 0.5), _dirichlet(random, (n, 2, 2), n_values, alpha)

    return _in_blocks(draw, n_pairs, width=4 * n_values)


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

    return _in_blocks(draw, n_pairs, width=4 * n_values)


def _in_blocks(
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


def _dirichlet(
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
