"""Train perceptrons: each on its own bag, or in parallel for a vote. Compiled."""

import numpy as np
from numba import njit

from ._perceptrons import LEAST_GAMMA, VANISHED

# Sums may be reordered, which lets the compiler use wide registers; infinities and NaN keep their
# meaning.
FASTMATH = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True)
def train_pool(X, codes, bags, positives, multipliers, offsets, epochs, tol, patience):
    """As the plain twin, one bag after the other."""
    m = len(bags)
    k = len(positives)
    weights = np.zeros((m, k, X.shape[1]))
    biases = np.zeros((m, k))
    for i in range(m):
        _train_bag(
            X, codes, bags[i], positives, multipliers[i], offsets[i], epochs, tol, patience,
            weights[i], biases[i],
        )  # fmt: skip
    return weights, biases


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def _train_bag(
    X, codes, bag, positives, multipliers, offsets, epochs, tol, patience, weights, biases
):
    n = len(bag)
    d = X.shape[1]
    k = len(biases)
    least = np.full(k, np.inf)
    stale = np.zeros(k, np.int64)
    loss = np.empty(k)
    for epoch in range(epochs):
        order = epoch % len(multipliers)
        place = offsets[order]
        stride = multipliers[order]
        loss[:] = 0
        for _ in range(n):
            row = bag[place]
            x = X[row]
            for c in range(k):
                if stale[c] >= patience:
                    continue
                score = biases[c]
                for j in range(d):
                    score += weights[c, j] * x[j]
                sign = 1.0 if codes[row] == positives[c] else -1.0
                if sign * score <= 0:
                    loss[c] -= sign * score
                    biases[c] += sign
                    for j in range(d):
                        weights[c, j] += sign * x[j]
            place += stride  # below 2 n, and to subtract is much quicker than to divide
            if place >= n:
                place -= n
        running = False
        for c in range(k):
            if stale[c] < patience:
                stale[c] = stale[c] + 1 if loss[c] > least[c] - tol * n else 0
                least[c] = min(least[c], loss[c])
                running |= stale[c] < patience
        if not running:
            break


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def train_parallel(
    X, targets, row_weights, start, gamma, rate, epochs, rho, tolerance, both, renewal
):
    """As the plain twin, row after row."""
    n = X.shape[0]
    p = X.shape[1]
    h = start.shape[0]
    weights = start.copy()
    losses = np.empty(epochs)
    total = row_weights.sum()
    activations = np.empty(h)
    for epoch in range(epochs):
        moved = np.zeros((h, p))
        growth = 0.0
        loss = 0.0
        for i in range(n):
            votes = _activate(weights, X[i], activations)
            output = np.sign(votes) if rho == 0 else min(max(votes / rho, -1.0), 1.0)
            error = output - targets[i]
            if abs(error) > tolerance:
                loss += row_weights[i] * error * error
                for k in range(h):
                    if (activations[k] > 0) == (error > 0):
                        _add(moved[k], X[i], -row_weights[i] if error > 0 else row_weights[i])
                continue
            near = False
            clear = True
            for k in range(h):
                if not (both or activations[k] * targets[i] > 0):
                    continue
                clear &= abs(activations[k]) > gamma
                if abs(activations[k]) < gamma:
                    near = True
                    _add(moved[k], X[i], row_weights[i] if activations[k] > 0 else -row_weights[i])
            growth += row_weights[i] * (-0.75 if near else (0.25 if clear else 0.0))
        _move(weights, moved, rate, renewal)
        gamma = max(gamma + rate * growth, LEAST_GAMMA)
        losses[epoch] = loss / total
        if epoch and losses[epoch] > losses[epoch - 1]:
            rate *= 0.9
    return weights, gamma, losses


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def train_parallel_online(
    X, targets, row_weights, start, gamma, rate, epochs, rho, tolerance, both, renewal, orders
):
    """As the plain twin."""
    h = start.shape[0]
    weights = start.copy()
    losses = np.zeros(epochs)
    total = row_weights.sum()
    activations = np.empty(h)
    nothing = np.zeros_like(weights)
    for epoch in range(epochs):
        for i in orders[epoch % len(orders)]:
            votes = _activate(weights, X[i], activations)
            output = np.sign(votes) if rho == 0 else min(max(votes / rho, -1.0), 1.0)
            error = output - targets[i]
            step = rate * row_weights[i]
            if abs(error) > tolerance:
                losses[epoch] += row_weights[i] * error * error / total
                for k in range(h):
                    if (activations[k] > 0) == (error > 0):
                        _add(weights[k], X[i], -step if error > 0 else step)
                continue
            near = False
            clear = True
            for k in range(h):
                if not (both or activations[k] * targets[i] > 0):
                    continue
                clear &= abs(activations[k]) > gamma
                if abs(activations[k]) < gamma:
                    near = True
                    _add(weights[k], X[i], step if activations[k] > 0 else -step)
            gamma = max(gamma + step * (-0.75 if near else (0.25 if clear else 0.0)), LEAST_GAMMA)
        _move(weights, nothing, 0.0, renewal)
        # The same rows in another order have the same loss, but for rounding.
        if epoch and losses[epoch] > losses[epoch - 1] * (1 + 1e-9):
            rate *= 0.9
    return weights, gamma, losses


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def _activate(weights, x, activations):
    """Fill in the activations of one row; return the votes for less those against."""
    votes = 0
    for k in range(len(weights)):
        activation = 0.0
        for j in range(len(x)):
            activation += weights[k, j] * x[j]
        activations[k] = activation
        votes += 1 if activation > 0 else -1
    return votes


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def _add(total, x, factor):
    for j in range(len(x)):
        total[j] += factor * x[j]


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def _move(weights, moved, rate, renewal):
    for k in range(len(weights)):
        length = 0.0
        for j in range(weights.shape[1]):
            weights[k, j] += rate * moved[k, j]
            length += weights[k, j] ** 2
        length = np.sqrt(length)
        for j in range(weights.shape[1]):
            weights[k, j] = renewal[k, j] if length < VANISHED else weights[k, j] / length
