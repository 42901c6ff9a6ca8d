"""Train parallel perceptrons in batches: a vote of perceptrons that keep a margin. Compiled."""

import numpy as np
from numba import njit

from ._parallel import LEAST_GAMMA, VANISHED

# Sums may be reordered, which lets the compiler use wide registers.
FASTMATH = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True, fastmath=FASTMATH)
def train_parallel(
    X, targets, row_weights, start, gamma, rate, epochs, rho, tolerance, both, renewal
):
    """As the plain twin, row after row."""
    n, p, h = X.shape[0], X.shape[1], start.shape[0]
    weights, losses = start.copy(), np.empty(epochs)
    total, activations = row_weights.sum(), np.empty(h)
    for epoch in range(epochs):
        moved, growth, loss = np.zeros((h, p)), 0.0, 0.0
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
            near, clear = False, True
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
