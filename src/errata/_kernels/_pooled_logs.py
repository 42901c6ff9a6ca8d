"""Pool probabilities of several models into one, their weighted geometric mean. The plain twin."""

import numpy as np

NUMBERS = 2**16  # worked on at once: what stays in the processor's cache


def pool_logs(probas, weights, smallest):
    """Logarithms of the pooled probabilities (K, n), and each model's largest class (models, n).

    No model gives a class a probability below the ``smallest``. The precision is that of the
    probabilities, which are of shape (n, K).
    """
    n, k = probas[0].shape
    pooled = np.empty((k, n), dtype=np.result_type(*probas))
    predictions = np.empty((len(probas), n), dtype=np.int16)
    step = max(1, NUMBERS // k)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        total = np.zeros_like(pooled[:, rows])
        for weight, proba, predicted in zip(weights, probas, predictions, strict=True):
            logs = logs_above(proba[rows].T, smallest)
            predicted[rows] = largest(logs)[0]
            logs *= pooled.dtype.type(weight)
            total += logs
        pooled[:, rows] = normalised(total)
    return pooled, predictions


def logs_above(proba, smallest):
    """Logarithms of probabilities, none of them smaller than the ``smallest``."""
    logs = np.maximum(proba, np.float32(smallest), order="C")
    return np.log(logs, out=logs)


def normalised(scores):
    """The same array, now with logarithms of probabilities in each column."""
    scores -= scores.max(axis=0)
    scores -= np.log(np.exp(scores).sum(axis=0))
    return scores


def largest(values):
    """Place and value of the largest of each column, the first of equals; faster than argmax."""
    k = len(values)
    top = values.max(axis=0)
    is_top = (values == top).view(np.int8)
    from_behind = np.arange(k, 0, -1, dtype=np.int16)[:, None]
    return k - (is_top * from_behind).max(axis=0), top
