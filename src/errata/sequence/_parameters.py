"""The parameters of a hidden Markov model of labelled sequences."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

LOG_2_PI = float(np.log(2 * np.pi))


class Chain(NamedTuple):
    """Classes that follow each other, and the labels that they get."""

    start: np.ndarray  # (K,): probability of each class in the first sample
    transitions: np.ndarray  # (K, K): rows sum to one
    labels: np.ndarray  # (K, K): P(label | class)

    @property
    def log_labels(self) -> np.ndarray:
        """Log P(label | class), shape (K, K + 1); a missing label, the last, says nothing."""
        with np.errstate(divide="ignore"):
            return np.log(np.column_stack([self.labels, np.ones(len(self.labels))]))


class Mixtures(NamedTuple):
    """One mixture of M Gaussians for each class."""

    weights: np.ndarray  # (K, M)
    means: np.ndarray  # (K, M, d)
    covariances: np.ndarray  # (K, M, d, d)


class Parameters(NamedTuple):
    """Everything that is learnt."""

    chain: Chain
    mixtures: Mixtures


class Densities(NamedTuple):
    """Mixtures as the compiled loops want them."""

    offsets: np.ndarray  # (K, M): log of weight and density at the mean
    means: np.ndarray  # (K, M, d)
    whitening: np.ndarray  # (K, M, d, d): inverses of the Cholesky factors of covariances


def densities_of(mixtures: Mixtures) -> Densities:
    """Prepare mixtures for the loops over samples."""
    d = mixtures.means.shape[2]
    roots = np.linalg.cholesky(mixtures.covariances)
    flat = roots.reshape(-1, d, d)
    whitening = np.array([solve_triangular(root, np.eye(d), lower=True) for root in flat])
    log_scale = -np.log(np.diagonal(roots, axis1=2, axis2=3)).sum(axis=2)
    with np.errstate(divide="ignore"):
        offsets = np.log(mixtures.weights) + log_scale - d / 2 * LOG_2_PI
    return Densities(offsets, mixtures.means, whitening.reshape(roots.shape))
