"""Hidden Markov models: chains of states, and the Gaussian mixtures they emit. The plain twin.

Sequences stand one after the other in the rows; ``ends`` says where each of them stops.
``log_emissions[t, h]`` is the log-density of sample t in state h, ``log_labels[h, l]`` the
log-probability of label l; its last column, of zeros, is that of a missing label, whose code is -1.
Minus infinity stands for what cannot be.

Component m of class c has the mean ``means[c, m]`` and the whitening matrix ``whitening[c, m]``,
the inverse of the lower Cholesky factor of its covariance. ``offsets[c, m]`` is the logarithm of
its weight and of its density at the mean, minus infinity where the weight is zero.
"""

import numpy as np

# Below this a sum of products may have lost terms to underflow that are as large as the rest.
TINY = 1e-290


def compute_posteriors(log_emissions, labels, ends, log_labels, start, transitions, scaled=False):
    """Smooth each sequence: states given everything that was seen of it.

    Returns the posteriors (row, state), the expected transitions (state, state) summed over all
    rows, the log-likelihood of each sequence, and the first row that no path reaches, or -1. With
    ``scaled`` probabilities are not kept as logarithms where they are large enough.
    """
    n = len(log_emissions)
    n_states = len(start)
    gamma = np.empty((n, n_states))
    predicted = np.empty((n, n_states))
    xi = np.zeros((n_states, n_states))
    log_likelihoods = np.zeros(len(ends))
    for s, (begin, end) in enumerate(zip(np.r_[0, ends[:-1]], ends, strict=True)):
        rows = slice(begin, end)
        log_b = log_emissions[rows] + log_labels.T[labels[rows]]
        parts = log_b, start, transitions, gamma[rows], predicted[rows], xi
        log_likelihood, stuck = _smooth_scaled(*parts) if scaled else (np.nan, -1)
        if np.isnan(log_likelihood):
            log_likelihood, stuck = _smooth_in_logarithms(*parts)
        log_likelihoods[s] = log_likelihood
        if stuck >= 0:
            return gamma, xi, log_likelihoods, begin + stuck
    return gamma, xi, log_likelihoods, -1


def _smooth_in_logarithms(log_b, start, transitions, gamma, predicted, xi):
    """Fill ``gamma``, add to ``xi``; the log-likelihood and the row that nothing reaches, or -1.

    Filter: ``predicted`` is P(state | before), ``gamma`` P(state | so far). Then smooth backwards,
    which needs no emission again: what was predicted is replaced by what came out.
    """
    with np.errstate(divide="ignore"):
        log_start = np.log(start)
        log_a = np.log(transitions)
    log_likelihood = 0.0
    for t in range(len(log_b)):
        before = gamma[t - 1][:, None] + log_a
        predicted[t] = np.logaddexp.reduce(before, axis=0) if t else log_start
        joint = predicted[t] + log_b[t]
        log_c = np.logaddexp.reduce(joint)
        if log_c == -np.inf:
            return -np.inf, t
        gamma[t] = joint - log_c
        log_likelihood += log_c
    for t in range(len(log_b) - 2, -1, -1):
        seen = predicted[t + 1] > -np.inf
        gain = np.where(seen, gamma[t + 1] - np.where(seen, predicted[t + 1], 0), -np.inf)
        log_xi = gamma[t][:, None] + log_a + gain
        xi += np.exp(log_xi)
        gamma[t] = np.logaddexp.reduce(log_xi, axis=1)
    np.exp(gamma, out=gamma)
    gamma /= gamma.sum(axis=1, keepdims=True)
    return log_likelihood, -1


def _smooth_scaled(log_b, start, transitions, gamma, predicted, xi):
    """The same with probabilities themselves; NaN where one that counts would be lost."""
    log_likelihood = 0.0
    for t in range(len(log_b)):
        predicted[t] = gamma[t - 1] @ transitions if t else start
        reachable = (gamma[t - 1] > 0) @ (transitions > 0) if t else start > 0
        reachable &= log_b[t] > -np.inf
        if not reachable.any():
            return -np.inf, t
        shift = log_b[t][reachable].max()
        gamma[t] = np.where(reachable, predicted[t] * np.exp(np.minimum(log_b[t] - shift, 0)), 0)
        if (gamma[t][reachable] < TINY).any():
            return np.nan, -1
        total = gamma[t].sum()
        gamma[t] /= total
        log_likelihood += np.log(total) + shift
    for t in range(len(log_b) - 2, -1, -1):
        seen = gamma[t + 1] > 0
        ratio = np.where(seen, gamma[t + 1], 0) / np.where(seen, predicted[t + 1], 1)
        pairs = gamma[t][:, None] * transitions * ratio
        xi += pairs
        gamma[t] = pairs.sum(axis=1)
    gamma /= gamma.sum(axis=1, keepdims=True)
    return log_likelihood, -1


def find_best_paths(log_emissions, labels, ends, log_labels, start, transitions):
    """The likeliest states of each sequence, all rows under each other, and their log-densities.

    Viterbi's algorithm; of equals, the first state.
    """
    with np.errstate(divide="ignore"):
        log_start = np.log(start)
        log_a = np.log(transitions)
    states = np.empty(len(log_emissions), np.int16)
    log_densities = np.empty(len(ends))
    back = np.empty((len(log_emissions), len(start)), np.int16)
    for s, (begin, end) in enumerate(zip(np.r_[0, ends[:-1]], ends, strict=True)):
        log_b = log_emissions[begin:end] + log_labels.T[labels[begin:end]]
        best = log_start + log_b[0]
        for t in range(begin + 1, end):
            arriving = best[:, None] + log_a
            back[t] = arriving.argmax(axis=0)
            best = arriving.max(axis=0) + log_b[t - begin]
        states[end - 1] = best.argmax()
        log_densities[s] = best.max()
        for t in range(end - 1, begin, -1):
            states[t - 1] = back[t, states[t]]
    return states, log_densities


def log_densities(X, offsets, means, whitening):
    """Log-density of each sample in each class, shape (n, K)."""
    parts = zip(offsets, means, whitening, strict=True)
    return np.column_stack(
        [np.logaddexp.reduce(_compute_joint(X, *part), axis=1) for part in parts]
    )


def sum_mixture_moments(X, gamma, offsets, means, whitening):
    """Moments of the samples around the means, each counted ``gamma[t, c]`` times in class c.

    A class shares a sample out among its components by their densities. Returns the counts (K, M),
    the sums (K, M, d), the sums of squares (K, M, d, d), of which the lower triangles are filled
    in, and the expected log-density of each class (K,).
    """
    n_classes, n_components, d = means.shape
    counts = np.zeros((n_classes, n_components))
    log_density = np.zeros(n_classes)
    sums = np.zeros(means.shape)
    squares = np.zeros((n_classes, n_components, d, d))
    for c in range(n_classes):
        rows = gamma[:, c] > 0
        joint = _compute_joint(X[rows], offsets[c], means[c], whitening[c])
        total = np.logaddexp.reduce(joint, axis=1)
        shares = gamma[rows, c, None] * np.exp(joint - total[:, None])
        log_density[c] = gamma[rows, c] @ total
        counts[c] = shares.sum(axis=0)
        for m in range(n_components):
            centred = X[rows] - means[c, m]
            sums[c, m] = shares[:, m] @ centred
            squares[c, m] = np.tril((shares[:, m, None] * centred).T @ centred)
    return counts, sums, squares, log_density


def _compute_joint(X, offsets, means, whitening):
    """Log-density of each sample together with each component of one class, shape (n, M)."""
    parts = zip(offsets, means, whitening, strict=True)
    return np.column_stack([o - (((X - m) @ W.T) ** 2).sum(axis=1) / 2 for o, m, W in parts])
