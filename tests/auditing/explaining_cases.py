"""A table in which one column decides, and one label is wrong."""

import numpy as np
from sklearn.naive_bayes import GaussianNB

from auditing_cases import QUICK

HOW = {"estimators": [GaussianNB(), *QUICK], "self_check": False, "random_state": 0}
WRONG = 7  # the row whose label was changed


def pets(n=120):
    """Height decides; colours and the other columns say nothing."""
    random = np.random.default_rng(0)
    is_dog = np.arange(n) % 2
    table = {
        "first": random.normal(size=n),
        "second": random.normal(size=n),
        "height": 6.0 * is_dog + random.normal(size=n),
        "colour": random.choice(["red", "grey", "black"], size=n),
    }
    labels = np.array(["cat", "dog"])[is_dog]
    labels[WRONG] = "cat"
    return table, labels
