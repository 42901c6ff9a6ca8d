"""Tables with several labels per row, and probabilities as a good model would give them."""

import numpy as np
from scipy.special import expit


def given_probabilities(n=400, n_labels=3, seed=0, sharpness=10.0, ones=0.35):
    """Labels drawn from known probabilities, and these: whoever knows them knows all there is."""
    random = np.random.default_rng(seed)
    scores = random.normal(size=(n, n_labels)) + np.quantile(random.normal(size=9999), ones)
    proba = expit(sharpness * scores)
    return proba, (random.random(proba.shape) < proba).astype(int)


def flipped(Y, added, removed, seed=0):
    """Labels of which some are added and some taken away, and which."""
    wrong = np.random.default_rng([seed, 1]).random(Y.shape) < np.where(Y == 1, removed, added)
    return np.where(wrong, 1 - Y, Y), wrong


def noisy_probabilities(proba, added, removed):
    """What a model gives that has learnt from such labels."""
    return proba * (1 - removed) + (1 - proba) * added


def pets(n=120, seed=0):
    """Columns, and labels that follow from them: small, quick and easy to tell."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    sums = X[:, [0, 1, 2]] + X[:, [1, 2, 0]]  # no column gives a label by itself
    return X, (sums > [0.0, 0.4, 1.2]).astype(int)
