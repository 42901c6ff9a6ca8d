"""Pool probabilities of several models into one, their weighted geometric mean. Compiled."""

import numpy as np

from ._elementary_numba import compiled, inner, log_of
from ._judged_rows_numba import normalise

PIECE = 128


def pool_logs(probas, weights, smallest):
    """As the plain twin, a model after the other."""
    n, k = probas[0].shape
    dtype = np.result_type(*probas)
    pooled = np.zeros((k, n), dtype=dtype)
    predictions = np.empty((len(probas), n), dtype=np.int16)
    for m, proba in enumerate(probas):
        proba, last = np.ascontiguousarray(proba, dtype=dtype), m == len(probas) - 1
        floor = dtype.type(np.float32(smallest))
        _add_model(proba, dtype.type(weights[m]), floor, last, pooled, predictions[m])
    return pooled, predictions


@compiled
def _add_model(proba, weight, smallest, last, pooled, predicted):
    n, k = proba.shape
    logs, sums = np.empty((k, PIECE), proba.dtype), np.empty((2, PIECE), proba.dtype)
    place = np.empty(PIECE, np.int32)
    for start in range(0, n, PIECE):
        size = min(PIECE, n - start)
        for r in range(size):
            for c in range(k):
                logs[c, r] = proba[start + r, c]
        _floored_logs(logs, smallest, size)
        _predict(logs, size, sums[0], place)
        for r in range(size):
            predicted[start + r] = place[r]
        for c in range(k):
            x, before = logs[c], pooled[c, start : start + size]
            for r in range(size):
                x[r] = weight * x[r] + before[r]
        if last:
            normalise(logs, size, sums[0], sums[1])
        for c in range(k):
            x, to = logs[c], pooled[c, start : start + size]
            for r in range(size):
                to[r] = x[r]


@inner
def _floored_logs(values, smallest, size):
    for c in range(len(values)):
        x = values[c]
        for r in range(size):
            x[r] = log_of(np.fmax(x[r], smallest))


@inner
def _predict(logs, size, top, place):
    top[:] = -np.inf
    for c in range(len(logs)):
        x, this = logs[c], np.int32(c)
        for r in range(size):
            place[r] = this if x[r] > top[r] else place[r]
        for r in range(size):
            top[r] = np.fmax(x[r], top[r])
