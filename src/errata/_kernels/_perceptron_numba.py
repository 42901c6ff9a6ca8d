"""Train many perceptrons at once, each on its own bag of rows. The compiled twin."""

import numpy as np
from numba import njit

# Sums may be reordered, which lets the compiler use wide registers; infinities and NaN keep their
# meaning.
FASTMATH = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True)
def train_pool(X, codes, bags, positives, multipliers, offsets, epochs, tol, patience):
    """As the plain twin, one bag after the other."""
    m, k = len(bags), len(positives)
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
    n, d = len(bag), X.shape[1]
    k = len(biases)
    least = np.full(k, np.inf)
    stale = np.zeros(k, np.int64)
    loss = np.empty(k)
    for epoch in range(epochs):
        order = epoch % len(multipliers)
        place, stride = offsets[order], multipliers[order]
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
