"""Gaussian mixtures, one for each class: log-densities and moments of samples. The plain twin.

Component m of class c has the mean ``means[c, m]`` and the whitening matrix ``whitening[c, m]``,
the inverse of the lower Cholesky factor of its covariance. ``offsets[c, m]`` is the logarithm of
its weight and of its density at the mean, minus infinity where the weight is zero.
"""

import numpy as np


def log_densities(X, offsets, means, whitening):
    """Log-density of each sample in each class, shape (n, K)."""
    parts = zip(offsets, means, whitening, strict=True)
    return np.column_stack([np.logaddexp.reduce(_joint(X, *part), axis=1) for part in parts])


def mixture_moments(X, gamma, offsets, means, whitening):
    """Moments of the samples around the means, each counted ``gamma[t, c]`` times in class c.

    A class shares a sample out among its components by their densities. Returns the counts (K, M),
    the sums (K, M, d), the sums of squares (K, M, d, d), of which the lower triangles are filled
    in, and the expected log-density of each class (K,).
    """
    n_classes, n_components, d = means.shape
    counts, log_density = np.zeros((n_classes, n_components)), np.zeros(n_classes)
    sums, squares = np.zeros(means.shape), np.zeros((n_classes, n_components, d, d))
    for c in range(n_classes):
        rows = gamma[:, c] > 0
        joint = _joint(X[rows], offsets[c], means[c], whitening[c])
        total = np.logaddexp.reduce(joint, axis=1)
        shares = gamma[rows, c, None] * np.exp(joint - total[:, None])
        log_density[c], counts[c] = gamma[rows, c] @ total, shares.sum(axis=0)
        for m in range(n_components):
            centred = X[rows] - means[c, m]
            sums[c, m] = shares[:, m] @ centred
            squares[c, m] = np.tril((shares[:, m, None] * centred).T @ centred)
    return counts, sums, squares, log_density


def _joint(X, offsets, means, whitening):
    """Log-density of each sample together with each component of one class, shape (n, M)."""
    parts = zip(offsets, means, whitening, strict=True)
    return np.column_stack([o - (((X - m) @ W.T) ** 2).sum(axis=1) / 2 for o, m, W in parts])
