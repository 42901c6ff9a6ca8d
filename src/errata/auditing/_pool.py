"""Several opinions become one: a weighted geometric mean, the weights fitted out of sample."""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.optimize import minimize

from ._settings import FITTED_NUMBERS, POOL_RIDGE, SMALLEST_PROBABILITY

CACHED = 2**16  # probabilities worked on at once


def pool_weights(
    opinions: Sequence[np.ndarray], codes: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Weights ``a >= 0`` of the witnesses with the smallest log loss of the labels.

    Every opinion is out of sample, so with a handful of weights on many rows the loss is, too.
    """
    rows = some_rows(len(codes), opinions[0].shape[1], random)
    logs = np.stack([log_opinion(opinion[rows].T) for opinion in opinions])
    own = logs[:, codes[rows], np.arange(len(rows))].mean(axis=1, dtype=float)

    def loss(a: np.ndarray) -> tuple[float, np.ndarray]:
        scores = np.tensordot(a.astype(logs.dtype), logs, axes=1)
        top = scores.max(axis=0)
        shares = np.exp(scores - top)
        total = shares.sum(axis=0)
        shares /= total
        expected = logs.reshape(len(a), -1) @ shares.ravel() / len(rows)
        value = np.mean(np.log(total) + top, dtype=float) - a @ own + POOL_RIDGE * a @ a
        return value, expected - own + 2 * POOL_RIDGE * a

    start = np.full(len(opinions), 1 / len(opinions))
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(start)).x


def pooled_logs(
    opinions: Sequence[np.ndarray], weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of the pooled probabilities, and the class that each opinion prefers.

    Their shapes are (K, n), as sums over classes are faster so, and (opinions, n).
    """
    n, n_classes = opinions[0].shape
    pooled = np.empty((n_classes, n), dtype=np.float32)
    preferred = np.empty((len(opinions), n), dtype=np.int16)
    for block in blocks(n, n_classes):
        total = np.zeros_like(pooled[:, block])
        for weight, opinion, prefers in zip(weights, opinions, preferred, strict=True):
            logs = log_opinion(opinion[block].T)
            prefers[block] = largest(logs)[0]
            logs *= np.float32(weight)
            total += logs
        pooled[:, block] = normalised(total)
    return pooled, preferred


def normalised(scores: np.ndarray) -> np.ndarray:
    """The same array, now with logarithms of probabilities in each column."""
    scores -= scores.max(axis=0)
    scores -= np.log(np.exp(scores).sum(axis=0))
    return scores


def log_opinion(proba: np.ndarray) -> np.ndarray:
    """Logarithms of probabilities, none of them smaller than ``SMALLEST_PROBABILITY``."""
    logs = np.maximum(proba, np.float32(SMALLEST_PROBABILITY), order="C")
    return np.log(logs, out=logs)


def largest(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Place and value of the largest of each column, the first of equals; faster than argmax."""
    n_classes = len(values)
    top = values.max(axis=0)
    is_top = (values == top).view(np.int8)
    from_behind = np.arange(n_classes, 0, -1, dtype=np.int16)[:, None]
    return n_classes - (is_top * from_behind).max(axis=0), top


def blocks(n: int, n_classes: int) -> Iterator[slice]:
    """So many rows at a time that what is worked on stays in the cache."""
    step = max(1, CACHED // n_classes)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


def some_rows(
    n: int, n_classes: int, random: np.random.Generator, *, at_most: int = 10_000
) -> np.ndarray:
    """All rows, or as many drawn ones as what is fitted needs."""
    wanted = int(np.clip(FITTED_NUMBERS / n_classes, 2_000, at_most))
    return np.arange(n) if n <= wanted else np.sort(random.choice(n, wanted, replace=False))
