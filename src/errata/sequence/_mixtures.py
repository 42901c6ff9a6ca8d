"""Gaussian mixtures: where they start, and how they are fitted to the expectations of a step."""

from typing import NamedTuple

import numpy as np

from .._format import listed
from ._inputs import Sequences
from ._parameters import Mixtures
from ._statistics import Tally

EMPTY = 1e-8  # samples below which a component is left as it is
SINGULAR = 1e-10  # of the variance of a feature: less is taken for none


class Floor(NamedTuple):
    """What keeps covariances from collapsing, one number for each feature."""

    added: np.ndarray  # to each variance
    least: np.ndarray  # variance, given the features before, that is not lost to rounding


def feature_floor(X: np.ndarray, reg_covar: float) -> Floor:
    """Fractions of the variance of each feature, so that units do not matter; of 1 where it is 0.

    A component that falls upon a few samples has no bound to its likelihood: whether its covariance
    is singular is a matter of rounding, and no digit of the likelihood is right. Hence the least.
    """
    variances = X.var(axis=0)
    variances = np.where(variances > 0, variances, 1.0)
    return Floor(reg_covar * variances, SINGULAR * variances)


def class_covariances(sequences: Sequences, n_classes: int) -> np.ndarray:
    """Covariance of each class by its labels; the pooled one where a class has too few samples."""
    d = sequences.X.shape[1]
    members = [sequences.X[sequences.codes == c] for c in range(n_classes)]
    scatters = np.array([len(Z) * np.cov(Z.T, bias=True).reshape(d, d) for Z in members])
    sizes = np.array([len(Z) for Z in members])
    pooled = scatters.sum(axis=0) / sizes.sum()
    own = scatters / sizes[:, None, None]
    return np.where((sizes > d)[:, None, None], own, pooled)


def starting_covariances(
    covariances: np.ndarray, init_scale: float, floor: Floor, classes: np.ndarray
) -> np.ndarray:
    """A small multiple of the covariance of each class, and the floor."""
    scaled = init_scale * covariances + np.diag(floor.added)
    singular = [not _is_definite(S, floor) for S in scaled]
    if any(singular):
        raise ValueError(
            f"the covariance of the class {listed(classes[singular], most=3)} is singular: columns "
            "are constant or repeat others; drop such columns, or raise reg_covar."
        )
    return scaled


def starting_mixtures(
    sequences: Sequences, covariances: np.ndarray, n_components: int, seed: np.random.SeedSequence
) -> Mixtures:
    """Components around samples drawn among those that have the label, without replacement.

    Each sample draws a number, and a class takes the samples with the smallest: so the draw does
    not depend on how classes are named. Few samples are taken again and again.
    """
    draws = np.random.default_rng(seed).random(len(sequences.X))
    k, d = covariances.shape[:2]
    means = np.empty((k, n_components, d))
    for c in range(k):
        members = np.flatnonzero(sequences.codes == c)
        chosen = members[np.argsort(draws[members], kind="stable")[:n_components]]
        means[c] = sequences.X[np.resize(chosen, n_components)]
    weights = np.full((k, n_components), 1 / n_components)
    return Mixtures(weights, means, np.repeat(covariances[:, None], n_components, axis=1))


def fitted_mixtures(mixtures: Mixtures, tally: Tally, floor: Floor) -> Mixtures:
    """The mixtures that the expectations call for.

    A component that is left without samples, or whose covariance is singular, keeps its shape.
    """
    weights, means, covariances = (a.copy() for a in mixtures)
    totals = tally.counts.sum(axis=1)
    filled = totals > EMPTY
    weights[filled] = tally.counts[filled] / totals[filled, None]
    for c, m in np.argwhere(tally.counts >= EMPTY):
        # Moments around the old mean: as it settles, nothing cancels.
        moved = tally.sums[c, m] / tally.counts[c, m]
        lower = tally.squares[c, m] / tally.counts[c, m]
        spread = lower + np.tril(lower, -1).T - np.outer(moved, moved) + np.diag(floor.added)
        if _is_definite(spread, floor):
            means[c, m] += moved
            covariances[c, m] = spread
    return Mixtures(weights, means, covariances)


def _is_definite(covariance: np.ndarray, floor: Floor) -> bool:
    try:
        root = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        return False
    return bool((np.diag(root) ** 2 > floor.least).all())
