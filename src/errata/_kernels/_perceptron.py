"""Train many perceptrons at once, each on its own bag of rows. The plain twin.

Each bag gets one perceptron for each class of ``positives``, against the rest (one alone is enough
for two classes). Rosenblatt's rule with rate one:
``w += y x`` and ``b += y`` wherever ``y (w x + b) <= 0``.

An epoch visits the bag in the order ``(multiplier * t + offset) mod n``, with a multiplier that has
no factor in common with n: a permutation that needs two numbers and not n.
"""

import numpy as np


def train_pool(
    X: np.ndarray,
    codes: np.ndarray,
    bags: np.ndarray,
    positives: np.ndarray,
    multipliers: np.ndarray,
    offsets: np.ndarray,
    epochs: int,
    tol: float,
    patience: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Weights (bag, perceptron, feature) and biases (bag, perceptron).

    ``multipliers`` and ``offsets``, shape (bag, orders), hold the orders that epochs go through
    in turn, ``epochs`` of them at most. A perceptron stops when for ``patience`` epochs its loss,
    the sum of ``-y (w x + b)`` over the rows it got wrong, has not fallen below the least so far by
    ``tol`` per row; ``tol = -inf`` never stops.
    """
    (m, n), k = bags.shape, len(positives)
    weights = np.zeros((m, k, X.shape[1]))
    biases = np.zeros((m, k))
    least = np.full((m, k), np.inf)
    stale = np.zeros((m, k), dtype=int)
    active = np.ones((m, k), dtype=bool)
    every_bag = np.arange(m)
    for epoch in range(epochs):
        multiplier, offset = (a[:, epoch % a.shape[1]] for a in (multipliers, offsets))
        loss = np.zeros((m, k))
        for t in range(n):
            rows = bags[every_bag, (multiplier * t + offset) % n]
            x = X[rows]
            sign = np.where(codes[rows][:, None] == positives, 1.0, -1.0)
            agreement = sign * (np.einsum("mkd,md->mk", weights, x) + biases)
            step = np.where(active & (agreement <= 0), sign, 0.0)
            loss -= np.where(step != 0, agreement, 0.0)
            weights += step[:, :, None] * x[:, None, :]
            biases += step
        # The stopping rule of scikit-learn's SGD, so that either trains as long.
        stale = np.where(loss > least - tol * n, stale + 1, 0)
        least = np.minimum(least, loss)
        active &= stale < patience
        if not active.any():
            break
    return weights, biases
