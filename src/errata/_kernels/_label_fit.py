"""The slope and offsets of classes that make labels most likely. The plain twin.

Classes have the probabilities p = softmax(slope logs + offsets), and row i has its label with the
probability ``to_label[c, i]`` if its class is c. Arrays have the shape (K, n).
"""

import numpy as np

from ._probabilities import compute_unnormalised, find_largest

MOST_STEPS = 80
ENOUGH = 1e-6  # nats that the next step gains: what it misses is of the order of their square
TRUSTED = 1e-3  # nats: a step that gains less is taken, though rounding may hide the gain
LEAST_DAMPING = 1e-3  # of the largest curvature, where a step leads uphill or too far
MORE_DAMPING = 10.0
HARDLY = 2e-38  # the probability of a label that no class can have, so that all stays finite


def fit_labels(logs, to_label, start, precision, box, free):
    """The smallest loss, and the x = (log slope, offsets) that has it, by Newton's method.

    The loss is ``precision @ x**2 / 2`` less the log-likelihood of the labels. x starts near
    ``start`` and stays in the ``box`` of shape (2, 1 + K); offsets only move if they are ``free``.
    """
    x = np.clip(start, *box)
    value, gradient, curvature = differentiate(logs, to_label, x, precision, free)
    damping = 0.0
    for _ in range(MOST_STEPS):
        outwards = np.where(gradient > 0, x <= box[0], x >= box[1])
        step, damping = _find_step(gradient, curvature, outwards, damping)
        gain = -step @ (gradient + curvature @ step / 2)
        nearer = np.clip(x + step, *box)
        if gain < ENOUGH:
            return value - gain, nearer
        new_value, new_gradient, new_curvature = differentiate(
            logs, to_label, nearer, precision, free
        )
        if new_value < value or gain < TRUSTED:
            x = nearer
            value = new_value
            gradient = new_gradient
            curvature = new_curvature
            damping = 0.0
        else:
            damping = _dampen(damping, curvature)
    return value, x


def differentiate(logs, to_label, x, precision, free):
    """The loss, its gradient and its second derivatives; as if flat where offsets are not free."""
    k = len(logs)
    slope = np.exp(x[0])
    p = compute_unnormalised(logs, slope, x[1:])
    p /= p.sum(axis=0)
    given = p * to_label
    label = np.maximum(given.sum(axis=0), HARDLY)
    given /= label
    pull = given - p
    mean = (p * logs).sum(axis=0)
    mean_given = (given * logs).sum(axis=0)
    by_slope = np.vdot(pull, logs)

    gradient = precision * x
    curvature = np.diag(precision)
    gradient[0] -= slope * by_slope
    spread = np.vdot(pull, logs**2) - mean_given @ mean_given + mean @ mean
    curvature[0, 0] -= slope**2 * spread + slope * by_slope
    if free:
        by_offsets = pull.sum(axis=1)
        crossed = slope * ((pull * logs).sum(axis=1) - given @ mean_given + p @ mean)
        gradient[1:] -= by_offsets
        curvature[0, 1:] -= crossed
        curvature[1:, 0] -= crossed
        curvature[1:, 1:] -= np.diag(by_offsets) - given @ given.T + p @ p.T
    else:
        gradient[1:] = 0
        curvature[1:, 1:] = np.eye(k)
    return precision @ x**2 / 2 - np.log(label).sum(), gradient, curvature


def _find_step(gradient, curvature, held, damping):
    """The step to where the curved loss is smallest; damped until it leads downhill."""
    free = np.flatnonzero(~held)
    of_free = curvature[np.ix_(free, free)]
    step = np.zeros_like(gradient)
    while True:
        try:
            factor = np.linalg.cholesky(of_free + damping * np.eye(len(free)))
        except np.linalg.LinAlgError:
            damping = _dampen(damping, curvature)
            continue
        step[free] = -np.linalg.solve(factor.T, np.linalg.solve(factor, gradient[free]))
        return step, damping


def _dampen(damping, curvature):
    return max(MORE_DAMPING * damping, LEAST_DAMPING * np.abs(np.diag(curvature)).max())


def summarise_classes(logs, slope, offsets):
    """Sums over rows: of each class, of it where it is the most probable, and of the entropy."""
    p = compute_unnormalised(logs, slope, offsets)
    p /= p.sum(axis=0)
    top, p_top = find_largest(p)
    recognised = np.bincount(top, weights=p_top, minlength=len(p))
    return p.sum(axis=1), recognised, -np.sum(p * np.log(p))
