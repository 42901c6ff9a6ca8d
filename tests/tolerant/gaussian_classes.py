"""Gaussian classes whose labels are wrong by a known transition matrix, and tiny tables by hand."""

import numpy as np

# One feature; the labels of rows 3 and 6 are wrong.
EM8 = (
    np.array([[-3.0], [-2], [-1.5], [-1], [1], [1.5], [2], [3]]),
    np.array([0, 0, 0, 1, 1, 1, 0, 1]),
)
# One feature; the labels of rows 2 and 8 are wrong.
TINY10 = (
    np.array([[0.0], [1], [2.1], [3.3], [4.6], [10], [11.2], [12.3], [13.3], [14.2]]),
    np.array([0, 0, 1, 0, 0, 1, 1, 1, 0, 1]),
)
TWO = np.array([[0.7, 0.3], [0.1, 0.9]])
THREE = np.array([[0.6, 0.3, 0.1], [0, 0.9, 0.1], [0.1, 0.1, 0.8]])


def two_classes(seed, n=2000, n_test=20_000, transition=TWO):
    """Unit Gaussians at (1.5, 0) and (-1.5, 0); a perfect classifier is right in 93.3 % of rows."""
    return _noisy(seed, np.array([[-1.5, 0], [1.5, 0]]), n, n_test, transition)


def three_classes(seed, n=3000, n_test=20_000, transition=THREE):
    """Unit Gaussians on a circle of radius 2.5."""
    angle = 2 * np.pi * np.arange(3) / 3
    return _noisy(
        seed, 2.5 * np.column_stack([np.cos(angle), np.sin(angle)]), n, n_test, transition
    )


def _noisy(seed, centres, n, n_test, transition):
    """Features, labels and classes of training rows; features and classes of test rows."""
    random = np.random.default_rng(seed)
    X, classes = _rows(random, centres, n)
    labels = (random.random(n)[:, None] > transition.cumsum(axis=1)[classes][:, :-1]).sum(axis=1)
    return X, labels, classes, *_rows(random, centres, n_test)


def _rows(random, centres, n):
    classes = random.integers(0, len(centres), n)
    return random.normal(size=(n, 2)) + centres[classes], classes
