"""Train perceptrons: each on its own bag, or in parallel for a vote. The plain twin.

Each bag gets one perceptron for each class of ``positives``, against the rest (one alone is enough
for two classes). Rosenblatt's rule with rate one:
``w += y x`` and ``b += y`` wherever ``y (w x + b) <= 0``.

An epoch visits the bag in the order ``(multiplier * t + offset) mod n``, with a multiplier that has
no factor in common with n: a permutation that needs two numbers and not n.

The output of a row is the vote of the perceptrons, its sign where ``rho`` is 0, else divided by
``rho`` and cut to [-1, 1]. Too high by more than ``tolerance``, all perceptrons that vote 1 are
moved down; too low, the others up. Otherwise perceptrons whose activation is nearer to zero than
gamma are moved away from it: those that vote for the target or, if ``both``, all. A zero activation
votes -1.

gamma grows by a quarter of the rate for each row that is within tolerance and keeps the margin, and
shrinks by three quarters for one that does not.
"""

import numpy as np

LEAST_GAMMA = 1e-6
VANISHED = 1e-12  # a weight vector this short has no direction


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
    m, n = bags.shape
    k = len(positives)
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


def train_parallel(
    X, targets, row_weights, start, gamma, rate, epochs, rho, tolerance, both, renewal
):
    """Weights (perceptron, feature), gamma and the loss before each epoch.

    Moves are summed over rows, then vectors scaled to length one; one that vanishes is replaced by
    its row of ``renewal``. The rate shrinks by a tenth where the loss has risen.
    """
    weights = start.copy()
    losses = np.empty(epochs)
    for epoch in range(epochs):
        activations = X @ weights.T
        votes = np.where(activations > 0, 1, -1).sum(axis=1)
        outputs = np.sign(votes) if rho == 0 else np.clip(votes / rho, -1, 1)
        error = outputs - targets
        high = error > tolerance
        low = error < -tolerance
        fine = ~high & ~low
        agreement = activations * np.sign(targets)[:, None]
        near = (np.abs(activations) < gamma) if both else (agreement > 0) & (agreement < gamma)
        moves = np.zeros(activations.shape)
        moves[high[:, None] & (activations > 0)] = -1
        moves[low[:, None] & (activations <= 0)] = 1
        moves = np.where(fine[:, None] & near, np.where(activations > 0, 1, -1), moves)
        clear = np.abs(activations) > gamma
        clear = clear.all(axis=1) if both else (clear | (agreement <= 0)).all(axis=1)
        # The p-delta rule for the margin: 1/4, less 1 if some perceptron is too near.
        growth = np.where(near.any(axis=1), -0.75, np.where(clear, 0.25, 0.0))
        losses[epoch] = row_weights @ (error**2 * ~fine) / row_weights.sum()
        # Sums over the rows: with means, the accuracy on twonorm falls from 97 to 81 %.
        weights = weights + rate * (moves * row_weights[:, None]).T @ X
        lengths = np.linalg.norm(weights, axis=1, keepdims=True)
        weights = np.where(lengths < VANISHED, renewal, weights / np.maximum(lengths, VANISHED))
        gamma = max(gamma + rate * (row_weights * growth)[fine].sum(), LEAST_GAMMA)
        if epoch and losses[epoch] > losses[epoch - 1]:
            rate *= 0.9
    return weights, gamma, losses


def train_parallel_online(
    X, targets, row_weights, start, gamma, rate, epochs, rho, tolerance, both, renewal, orders
):
    """The same, perceptrons and gamma moving with every row, in one of the ``orders`` each epoch.

    Vectors are scaled to length one after each epoch. The loss is that met on the way.
    """
    weights = start.copy()
    losses = np.empty(epochs)
    for epoch in range(epochs):
        losses[epoch] = 0
        for i in orders[epoch % len(orders)]:
            activations = weights @ X[i]
            votes = np.where(activations > 0, 1, -1).sum()
            output = np.sign(votes) if rho == 0 else np.clip(votes / rho, -1, 1)
            error = output - targets[i]
            step = rate * row_weights[i] * X[i]
            if abs(error) > tolerance:
                losses[epoch] += row_weights[i] * error**2 / row_weights.sum()
                weights[(activations > 0) == (error > 0)] -= np.sign(error) * step
                continue
            counted = (activations * targets[i] > 0) | both
            near = counted & (np.abs(activations) < gamma)
            weights[near] += np.where(activations[near] > 0, 1, -1)[:, None] * step
            clear = (np.abs(activations) > gamma) | ~counted
            growth = -0.75 if near.any() else 0.25 * clear.all()
            gamma = max(gamma + rate * row_weights[i] * growth, LEAST_GAMMA)
        lengths = np.linalg.norm(weights, axis=1, keepdims=True)
        weights = np.where(lengths < VANISHED, renewal, weights / np.maximum(lengths, VANISHED))
        # The same rows in another order have the same loss, but for rounding.
        if epoch and losses[epoch] > losses[epoch - 1] * (1 + 1e-9):
            rate *= 0.9
    return weights, gamma, losses
