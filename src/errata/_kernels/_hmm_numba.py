"""Hidden Markov models: chains of states, and the Gaussian mixtures they emit. Compiled.

Logarithms are kept, and sums of products made of probabilities: so a sample costs as many
exponentials as there are states and not as there are pairs of them. Where such a sum comes out so
small that terms may have been lost to underflow, it is made again from the logarithms.

Densities are made for a piece of the samples at a time, turned so that neighbours in memory are
neighbours in time and wide registers can be used.
"""

from math import exp, inf, log, nan

import numpy as np
from numba import njit

from ._hmm import TINY

compiled = njit(cache=True, nogil=True, error_model="numpy")

PIECE = 64
NEGLIGIBLE = 1e-12  # posterior below which a sample does not count in a class
SMALL_SHARE = 1e-14  # and in a component
compiled_with_fused_sums = njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})


def compute_posteriors(log_emissions, labels, ends, log_labels, start, transitions, scaled=False):
    """As the plain twin."""
    return _fill_posteriors(log_emissions, labels, ends, log_labels, start, transitions, scaled)


@compiled
def _fill_posteriors(log_emissions, labels, ends, log_labels, start, transitions, scaled):
    n = len(log_emissions)
    n_states = len(start)
    gamma = np.empty((n, n_states))
    predicted = np.empty((n, n_states))
    xi = np.zeros((n_states, n_states))
    log_likelihoods = np.zeros(len(ends))
    begin = 0
    for s in range(len(ends)):
        rows = slice(begin, ends[s])
        seen = log_emissions[rows], labels[rows], log_labels
        log_likelihood = nan
        stuck = -1
        if scaled:
            log_likelihood, stuck = _filter_scaled(
                seen, start, transitions, gamma[rows], predicted[rows]
            )
            if log_likelihood > -inf:  # neither lost nor impossible
                _smooth_scaled(transitions, gamma[rows], predicted[rows], xi)
        if log_likelihood != log_likelihood:
            log_likelihood, stuck = _filter(seen, start, transitions, gamma[rows], predicted[rows])
            if stuck < 0:
                _smooth(transitions, gamma[rows], predicted[rows], xi)
        log_likelihoods[s] = log_likelihood
        if stuck >= 0:
            return gamma, xi, log_likelihoods, begin + stuck
        begin = ends[s]
    return gamma, xi, log_likelihoods, -1


@compiled
def _filter(seen, start, transitions, gamma, predicted):
    """Fill in the logarithms of what is predicted and of what comes out."""
    log_emissions, labels, log_labels = seen
    n_states = len(start)
    log_likelihood = 0.0
    log_start = _take_logarithms(start)
    into = transitions.T.copy()
    log_into = _take_logarithms(into)
    weight = np.empty(n_states)  # exp(gamma[t - 1])
    for t in range(len(log_emissions)):
        largest = -inf
        for j in range(n_states):
            if t == 0:
                predicted[t, j] = log_start[j]
            else:
                total = _compute_dot(weight, into[j])
                predicted[t, j] = (
                    log(total) if total > TINY else _log_sum(gamma[t - 1], log_into[j])
                )
            gamma[t, j] = predicted[t, j] + log_emissions[t, j] + log_labels[j, labels[t]]
            largest = max(largest, gamma[t, j])
        if largest == -inf:
            return -inf, t
        log_c = _normalise(gamma[t], largest, weight)
        for j in range(n_states):
            gamma[t, j] -= log_c
        log_likelihood += log_c
    return log_likelihood, -1


@compiled
def _smooth(transitions, gamma, predicted, xi):
    """Turn filtered logarithms into smoothed probabilities, from the last row to the first."""
    n_rows, n_states = gamma.shape
    gain = np.empty(n_states)
    log_gain = np.empty(n_states)
    log_a = _take_logarithms(transitions)
    after = gamma[n_rows - 1].copy()
    _normalise(after, 0.0, gamma[n_rows - 1])
    for t in range(n_rows - 2, -1, -1):
        largest = -inf
        for j in range(n_states):
            reached = predicted[t + 1, j] > -inf
            log_gain[j] = after[j] - predicted[t + 1, j] if reached else -inf
            largest = max(largest, log_gain[j])
        for j in range(n_states):
            gain[j] = exp(log_gain[j] - largest)
        for i in range(n_states):
            if gamma[t, i] == -inf:
                after[i] = -inf
                continue
            total = _compute_dot(gain, transitions[i])
            if total > TINY:
                after[i] = gamma[t, i] + largest + log(total)
                share = exp(after[i]) / total
                for j in range(n_states):
                    xi[i, j] += share * transitions[i, j] * gain[j]
            else:
                after[i] = gamma[t, i] + _log_sum(log_gain, log_a[i])
                for j in range(n_states):
                    xi[i, j] += exp(gamma[t, i] + log_a[i, j] + log_gain[j])
        _normalise(after, 0.0, gamma[t])


@compiled
def _take_logarithms(probabilities):
    """Of each; NumPy's would warn of zeros when this runs without being compiled."""
    out = np.empty(probabilities.shape)
    for i in range(out.size):
        p = probabilities.flat[i]
        out.flat[i] = log(p) if p > 0 else -inf
    return out


@compiled
def _compute_dot(x, y):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


@compiled
def _log_sum(x, y):
    """Log of the sum of ``exp(x + y)``, however small it is."""
    largest = -inf
    total = 0.0
    for i in range(len(x)):
        largest = max(largest, x[i] + y[i])
    if largest == -inf:
        return -inf
    for i in range(len(x)):
        total += exp(x[i] + y[i] - largest)
    return largest + log(total)


@compiled
def _normalise(logarithms, largest, out):
    """Fill ``out`` with the exponentials, made to sum to one; return the log of their sum."""
    total = 0.0
    for i in range(len(out)):
        out[i] = exp(logarithms[i] - largest)
        total += out[i]
    for i in range(len(out)):
        out[i] /= total
    return largest + log(total)


@compiled
def _filter_scaled(seen, start, transitions, gamma, predicted):
    """The same with probabilities; the log-likelihood is NaN where one that counts is lost."""
    log_emissions, labels, log_labels = seen
    n_states = len(start)
    log_likelihood = 0.0
    log_b = np.empty(n_states)
    into = transitions.T.copy()
    for t in range(len(log_emissions)):
        shift = -inf
        for j in range(n_states):
            predicted[t, j] = start[j] if t == 0 else _compute_dot(gamma[t - 1], into[j])
            reachable = start[j] > 0 if t == 0 else _has_product(gamma[t - 1], into[j])
            log_b[j] = log_emissions[t, j] + log_labels[j, labels[t]]
            log_b[j] = log_b[j] if reachable else -inf
            shift = max(shift, log_b[j])
        if shift == -inf:
            return -inf, t
        total = 0.0
        for j in range(n_states):
            gamma[t, j] = predicted[t, j] * exp(log_b[j] - shift)
            if gamma[t, j] < TINY and log_b[j] > -inf:
                return nan, -1
            total += gamma[t, j]
        for j in range(n_states):
            gamma[t, j] /= total
        log_likelihood += log(total) + shift
    return log_likelihood, -1


@compiled
def _has_product(x, y):
    """Whether some product is above zero, before rounding."""
    met = False
    for i in range(len(x)):
        met |= x[i] > 0 and y[i] > 0
    return met


@compiled
def _smooth_scaled(transitions, gamma, predicted, xi):
    n_rows, n_states = gamma.shape
    ratio = np.empty(n_states)
    for t in range(n_rows - 2, -1, -1):
        for j in range(n_states):
            ratio[j] = gamma[t + 1, j] / predicted[t + 1, j] if gamma[t + 1, j] > 0 else 0.0
        total = 0.0
        for i in range(n_states):
            smoothed = 0.0
            for j in range(n_states):
                pair = gamma[t, i] * transitions[i, j] * ratio[j]
                xi[i, j] += pair
                smoothed += pair
            gamma[t, i] = smoothed
            total += smoothed
        for i in range(n_states):
            gamma[t, i] /= total


@compiled
def find_best_paths(log_emissions, labels, ends, log_labels, start, transitions):
    """As the plain twin."""
    n_states = len(start)
    log_start = _take_logarithms(start)
    log_into = _take_logarithms(transitions.T.copy())
    states = np.empty(len(log_emissions), np.int16)
    log_densities = np.empty(len(ends))
    back = np.empty((len(log_emissions), n_states), np.int16)
    best = np.empty(n_states)
    reached = np.empty(n_states)
    begin = 0
    for s in range(len(ends)):
        for t in range(begin, ends[s]):
            for j in range(n_states):
                arrival = log_start[j]
                origin = 0
                if t > begin:
                    arrival = best[0] + log_into[j, 0]
                    for i in range(1, n_states):
                        if best[i] + log_into[j, i] > arrival:
                            arrival = best[i] + log_into[j, i]
                            origin = i
                back[t, j] = origin
                reached[j] = arrival + log_emissions[t, j] + log_labels[j, labels[t]]
            best, reached = reached, best
        last = best.argmax()
        states[ends[s] - 1] = last
        log_densities[s] = best[last]
        for t in range(ends[s] - 1, begin, -1):
            states[t - 1] = back[t, states[t]]
        begin = ends[s]
    return states, log_densities


@compiled_with_fused_sums
def log_densities(X, offsets, means, whitening):
    """As the plain twin."""
    n = len(X)
    n_classes, n_components, d = means.shape
    out = np.empty((n, n_classes))
    joint = np.empty((n_components, PIECE))
    turned = np.zeros((d, PIECE))
    centred = np.empty((d, PIECE))
    white = np.empty(PIECE)
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
                out[begin + t, c] = _log_sum_of_one(joint[:, t])
    return out


@compiled_with_fused_sums
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


@compiled_with_fused_sums
def _log_sum_of_one(logarithms):
    largest = -inf
    total = 0.0
    for m in range(len(logarithms)):
        largest = max(largest, logarithms[m])
    if largest == -inf:
        return -inf
    for m in range(len(logarithms)):
        total += exp(logarithms[m] - largest)
    return largest + log(total)


@compiled_with_fused_sums
def sum_mixture_moments(X, gamma, offsets, means, whitening):
    """As the plain twin, without what is negligible."""
    n = len(X)
    n_classes, n_components, d = means.shape
    counts = np.zeros((n_classes, n_components))
    log_density = np.zeros(n_classes)
    sums = np.zeros(means.shape)
    squares = np.zeros((n_classes, n_components, d, d))
    centred = np.empty((n_components, d))
    joint = np.empty(n_components)
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
            total = _log_sum_of_one(joint)
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
