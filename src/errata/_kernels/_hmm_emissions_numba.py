"""Gaussian mixtures, one for each class: log-densities and moments of samples. Compiled.

Densities are made for a piece of the samples at a time, turned so that neighbours in memory are
neighbours in time and wide registers can be used.
"""

from math import exp, inf, log

import numpy as np
from numba import njit

PIECE = 64
NEGLIGIBLE = 1e-12  # posterior below which a sample does not count in a class
SMALL_SHARE = 1e-14  # and in a component
compiled = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})


@compiled
def log_densities(X, offsets, means, whitening):
    """As the plain twin."""
    n, (n_classes, n_components, d) = len(X), means.shape
    out, joint = np.empty((n, n_classes)), np.empty((n_components, PIECE))
    turned, centred, white = np.zeros((d, PIECE)), np.empty((d, PIECE)), np.empty(PIECE)
    for begin in range(0, n, PIECE):
        size = min(PIECE, n - begin)
        for j in range(d):
            for t in range(size):
                turned[j, t] = X[begin + t, j]
        for c in range(n_classes):
            for m in range(n_components):
                for j in range(d):
                    for t in range(PIECE):
                        centred[j, t] = turned[j, t] - means[c, m, j]
                _log_joint(centred, whitening[c, m], offsets[c, m], white, joint[m])
            for t in range(size):
                out[begin + t, c] = _log_sum(joint[:, t])
    return out


@compiled
def _log_joint(centred, whitening, offset, white, out):
    """Log-density of a piece of samples in one component."""
    out[:] = offset
    for i in range(len(centred)):
        white[:] = 0
        for j in range(i + 1):
            for t in range(PIECE):
                white[t] += whitening[i, j] * centred[j, t]
        for t in range(PIECE):
            out[t] -= 0.5 * white[t] * white[t]


@compiled
def _log_sum(logarithms):
    largest, total = -inf, 0.0
    for m in range(len(logarithms)):
        largest = max(largest, logarithms[m])
    if largest == -inf:
        return -inf
    for m in range(len(logarithms)):
        total += exp(logarithms[m] - largest)
    return largest + log(total)


@compiled
def mixture_moments(X, gamma, offsets, means, whitening):
    """As the plain twin, without what is negligible."""
    n, (n_classes, n_components, d) = len(X), means.shape
    counts, log_density = np.zeros((n_classes, n_components)), np.zeros(n_classes)
    sums, squares = np.zeros(means.shape), np.zeros((n_classes, n_components, d, d))
    centred, joint = np.empty((n_components, d)), np.empty(n_components)
    for t in range(n):
        for c in range(n_classes):
            if gamma[t, c] < NEGLIGIBLE:
                continue
            for m in range(n_components):
                joint[m] = offsets[c, m]
                for i in range(d):
                    centred[m, i] = X[t, i] - means[c, m, i]
                    white = 0.0
                    for j in range(i + 1):
                        white += whitening[c, m, i, j] * centred[m, j]
                    joint[m] -= 0.5 * white * white
            total = _log_sum(joint)
            log_density[c] += gamma[t, c] * total
            for m in range(n_components):
                share = gamma[t, c] * exp(joint[m] - total)
                if share < SMALL_SHARE:
                    continue
                counts[c, m] += share
                for i in range(d):
                    weighted = share * centred[m, i]
                    sums[c, m, i] += weighted
                    for j in range(i + 1):
                        squares[c, m, i, j] += weighted * centred[m, j]
    return counts, sums, squares, log_density
