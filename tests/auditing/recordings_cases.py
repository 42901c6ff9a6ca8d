"""Recordings whose classes and wrong labels are known."""

import numpy as np

CLASSES = np.array(["rest", "trot", "walk"])


def steady(n_recordings=6, length=120, run=20, *, random_state=0):
    """Two signals, whose level tells the class well, in runs; recordings one after the other."""
    random = np.random.default_rng(random_state)
    n_runs = -(-length // run)
    first = random.integers(3, size=n_recordings)
    codes = np.concatenate(
        [np.repeat((first[k] + np.arange(n_runs)) % 3, run)[:length] for k in range(n_recordings)]
    )
    X = np.column_stack([codes, -1 * (codes == 1)]) * 3.0 + random.normal(size=(len(codes), 2))
    return X, CLASSES[codes], np.repeat([f"r{k}" for k in range(n_recordings)], length)


def with_wrong_stretches(labels, starts, rows=10):
    """The labels with some stretches under the name of the next class, and where these are."""
    noisy, wrong = labels.copy(), np.zeros(len(labels), dtype=bool)
    for start in starts:
        wrong[start : start + rows] = True
    noisy[wrong] = CLASSES[(np.searchsorted(CLASSES, labels[wrong]) + 1) % 3]
    return noisy, wrong
