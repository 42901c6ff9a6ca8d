"""Gaussian classes: fitted to rows that are of several classes in part, and asked about rows."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

COVARIANCES = ("shared", "full", "diag")


class Gaussians(NamedTuple):
    """Classes as Gaussians."""

    prior: np.ndarray  # (K,)
    means: np.ndarray  # (K, d)
    roots: np.ndarray  # (1, d, d), or (K, d, d): lower triangles whose squares are covariances


def fit_gaussians(
    X: np.ndarray, counts: np.ndarray, *, covariance: str, shrinkage: float
) -> Gaussians:
    """The likeliest Gaussians, row n being of class c ``counts[n, c]`` times."""
    size = counts.sum(axis=0)
    means = (counts.T @ X) / size[:, None]
    if covariance == "full":
        spread = np.array(
            [_scatter(X - m, w) / w.sum() for m, w in zip(means, counts.T, strict=True)]
        )
    else:
        # Around the class means: around the centre, less what the means are away from it.
        centre = size @ means / size.sum()
        spread = _scatter(X - centre, counts.sum(axis=1)) - _scatter(means - centre, size)
        spread = spread[None] / size.sum()
        if covariance == "diag":
            spread = spread * np.eye(X.shape[1])
    return Gaussians(size / size.sum(), means, np.array([_root(S, shrinkage) for S in spread]))


def log_density(X: np.ndarray, gaussians: Gaussians) -> np.ndarray:
    """Log-density of each row together with each class, shape (n, K)."""
    columns = [
        _squared_distance(X, mean, gaussians.roots[c % len(gaussians.roots)])
        for c, mean in enumerate(gaussians.means)
    ]
    half_log_det = np.log(np.diagonal(gaussians.roots, axis1=1, axis2=2)).sum(axis=1)
    constant = np.log(gaussians.prior) - half_log_det - X.shape[1] / 2 * np.log(2 * np.pi)
    return constant - np.column_stack(columns) / 2


def _squared_distance(X: np.ndarray, mean: np.ndarray, root: np.ndarray) -> np.ndarray:
    """Mahalanobis distance of each row, squared."""
    whitened = solve_triangular(root, (X - mean).T, lower=True, check_finite=False)
    return np.einsum("dn,dn->n", whitened, whitened)


def _scatter(centred: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return (centred * weights[:, None]).T @ centred


def _root(covariance: np.ndarray, shrinkage: float) -> np.ndarray:
    """Lower triangle whose square is the covariance, drawn towards a multiple of the identity."""
    d = len(covariance)
    towards = np.trace(covariance) / d * np.eye(d)
    try:
        root = cholesky((1 - shrinkage) * covariance + shrinkage * towards, lower=True)
    except LinAlgError:
        root = np.zeros((d, d))
    # A variance lost to rounding: nothing but noise would be left of a distance.
    if np.diag(root).min() <= 1e-7 * np.sqrt(np.trace(covariance) / d):
        raise ValueError(
            "the covariance within classes is singular: columns are constant within classes, "
            "repeat others, or outnumber the rows; drop such columns, or raise shrinkage."
        )
    return root
