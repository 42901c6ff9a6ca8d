"""Regression tables with planted errors, for the tests of numeric targets."""

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.linear_model import LinearRegression

QUICK = {"estimators": [("line", LinearRegression())]}


def friedman(n=500, noise=1.0, seed=0):
    """Scaled features, targets."""
    X, y = make_friedman1(n, noise=noise, random_state=seed)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def straight(n=200, noise=0.1, seed=0, d=3):
    """Targets that lie on a plane but for noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    return X, X.sum(axis=1) + noise * random.normal(size=n)


def swapped(y, count, seed=0):
    """Targets, ``count`` of them another row's, and which."""
    random = np.random.default_rng(seed)
    rows = random.choice(len(y), count, replace=False)
    noisy = y.copy()
    noisy[rows] = random.choice(y, count)
    return noisy, np.abs(noisy - y) > 0.1 * y.std()
