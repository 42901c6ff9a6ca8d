"""Hidden Markov chains: what each state is worth at each time, and the best path. Compiled.

Logarithms are kept, and sums of products made of probabilities: so a sample costs as many
exponentials as there are states and not as there are pairs of them. Where such a sum comes out so
small that terms may have been lost to underflow, it is made again from the logarithms.
"""

from math import exp, inf, log, nan

import numpy as np
from numba import njit

from ._hmm_chain import TINY

compiled = njit(cache=True, nogil=True, error_model="numpy")


def posteriors(log_emissions, labels, ends, log_labels, start, transitions, scaled=False):
    """As the plain twin."""
    return _posteriors(log_emissions, labels, ends, log_labels, start, transitions, scaled)


@compiled
def _posteriors(log_emissions, labels, ends, log_labels, start, transitions, scaled):
    n, n_states = len(log_emissions), len(start)
    gamma, predicted = np.empty((n, n_states)), np.empty((n, n_states))
    xi, log_likelihoods = np.zeros((n_states, n_states)), np.zeros(len(ends))
    begin = 0
    for s in range(len(ends)):
        rows = slice(begin, ends[s])
        seen = log_emissions[rows], labels[rows], log_labels
        log_likelihood, stuck = nan, -1
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
    n_states, log_likelihood = len(start), 0.0
    log_start, into = _logarithms(start), transitions.T.copy()
    log_into, weight = _logarithms(into), np.empty(n_states)  # weight: exp(gamma[t - 1])
    for t in range(len(log_emissions)):
        largest = -inf
        for j in range(n_states):
            if t == 0:
                predicted[t, j] = log_start[j]
            else:
                total = _dot(weight, into[j])
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
    gain, log_gain, log_a = np.empty(n_states), np.empty(n_states), _logarithms(transitions)
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
            total = _dot(gain, transitions[i])
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
def _logarithms(probabilities):
    """Of each; NumPy's would warn of zeros when this runs without being compiled."""
    out = np.empty(probabilities.shape)
    for i in range(out.size):
        p = probabilities.flat[i]
        out.flat[i] = log(p) if p > 0 else -inf
    return out


@compiled
def _dot(x, y):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i]
    return total


@compiled
def _log_sum(x, y):
    """Log of the sum of ``exp(x + y)``, however small it is."""
    largest, total = -inf, 0.0
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
    n_states, log_likelihood = len(start), 0.0
    log_b, into = np.empty(n_states), transitions.T.copy()
    for t in range(len(log_emissions)):
        shift = -inf
        for j in range(n_states):
            predicted[t, j] = start[j] if t == 0 else _dot(gamma[t - 1], into[j])
            reachable = start[j] > 0 if t == 0 else _meet(gamma[t - 1], into[j])
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
def _meet(x, y):
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
def best_paths(log_emissions, labels, ends, log_labels, start, transitions):
    """As the plain twin."""
    n_states = len(start)
    log_start, log_into = _logarithms(start), _logarithms(transitions.T.copy())
    states, log_densities = np.empty(len(log_emissions), np.int16), np.empty(len(ends))
    back = np.empty((len(log_emissions), n_states), np.int16)
    best, reached = np.empty(n_states), np.empty(n_states)
    begin = 0
    for s in range(len(ends)):
        for t in range(begin, ends[s]):
            for j in range(n_states):
                arrival, origin = log_start[j], 0
                if t > begin:
                    arrival = best[0] + log_into[j, 0]
                    for i in range(1, n_states):
                        if best[i] + log_into[j, i] > arrival:
                            arrival, origin = best[i] + log_into[j, i], i
                back[t, j] = origin
                reached[j] = arrival + log_emissions[t, j] + log_labels[j, labels[t]]
            best, reached = reached, best
        last = best.argmax()
        states[ends[s] - 1], log_densities[s] = last, best[last]
        for t in range(ends[s] - 1, begin, -1):
            states[t - 1] = back[t, states[t]]
        begin = ends[s]
    return states, log_densities
