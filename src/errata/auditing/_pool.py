"""Several opinions become one: a weighted geometric mean, the weights fitted out of sample."""

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp

SMALLEST = 1e-4  # no witness may rule a class out altogether
RIDGE = 1e-3
FITTED_NUMBERS = 2e6  # weights are a handful: more rows than make up so many numbers add nothing


def pool_weights(
    opinions: Sequence[np.ndarray], codes: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Weights ``a >= 0`` of the witnesses with the smallest log loss of the labels.

    Every opinion is out of sample, so with a handful of weights on many rows the loss is, too.
    """
    rows = some_rows(len(codes), opinions[0].shape[1], random)
    logs = np.stack([log_opinion(opinion[rows]) for opinion in opinions])
    own = logs[:, np.arange(len(rows)), codes[rows]]

    def loss(a: np.ndarray) -> tuple[float, np.ndarray]:
        scores = np.tensordot(a, logs, axes=1)
        total = logsumexp(scores, axis=1)
        expected = np.einsum("nk,mnk->m", np.exp(scores - total[:, None]), logs) / len(rows)
        value = np.mean(total - a @ own) + RIDGE * a @ a
        return value, expected - own.mean(axis=1) + 2 * RIDGE * a

    start = np.full(len(opinions), 1 / len(opinions))
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(start)).x


def pooled_logs(opinions: Sequence[np.ndarray], weights: np.ndarray) -> np.ndarray:
    """Logarithms of the pooled probabilities, shape (n, K)."""
    total = np.float32(weights[0]) * log_opinion(opinions[0])
    for weight, opinion in zip(weights[1:], opinions[1:], strict=True):
        if weight > 0:
            total += np.float32(weight) * log_opinion(opinion)
    total -= total.max(axis=1, keepdims=True)
    total -= np.log(np.exp(total).sum(axis=1, keepdims=True))
    return total


def log_opinion(proba: np.ndarray) -> np.ndarray:
    """Logarithms of probabilities, none of them smaller than ``SMALLEST``."""
    return np.log(np.maximum(proba, SMALLEST))


def some_rows(
    n: int, n_classes: int, random: np.random.Generator, *, at_most: int = 10_000
) -> np.ndarray:
    """All rows, or as many drawn ones as a handful of parameters can be fitted to."""
    wanted = int(np.clip(FITTED_NUMBERS / n_classes, 2_000, at_most))
    return np.arange(n) if n <= wanted else np.sort(random.choice(n, wanted, replace=False))
