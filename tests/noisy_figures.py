"""Four small data sets with wrong labels, on which published kinds of filters were measured."""

from functools import lru_cache

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.preprocessing import scale

from errata.noise import boundary_flip_proba, flip_labels, reference_proba

KINDS = ("ncar10", "ncar30", "boundary10")


@lru_cache
def sets():
    """Iris, wine, breast cancer and the first 500 digits, standardised."""
    iris, wine, cancer = (
        load(return_X_y=True) for load in (load_iris, load_wine, load_breast_cancer)
    )
    digits, figures = load_digits(return_X_y=True)
    tables = (iris, wine, cancer, (digits[:500], figures[:500]))
    return [(scale(X), y) for X, y in tables]


@lru_cache
def noisy(seed, kind):
    """The sets with wrong labels: X, labels, and where these are wrong."""
    return [(X, *_flip(X, y, kind, seed)) for X, y in sets()]


def _flip(X, y, kind, seed):
    rate = int(kind[-2:]) / 100
    if kind.startswith("ncar"):
        return flip_labels(y, rate, exact=False, random_state=seed)
    proba = reference_proba(X, y, random_state=0)
    towards_second = proba.copy()
    towards_second[np.arange(len(y)), y] = 0
    runner_up = np.eye(proba.shape[1])[towards_second.argmax(axis=1)]
    near = boundary_flip_proba(proba, rate)
    return flip_labels(y, flip_proba=near, target=runner_up, random_state=seed)
