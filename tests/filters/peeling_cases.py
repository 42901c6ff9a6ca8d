"""Peelers by name, and the rows that their tests peel."""

import numpy as np
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from errata.datasets import make_twonorm
from errata.filters import (
    LinearProgramPeeler,
    MarginPeeler,
    MisclassificationPeeler,
    VotePeeler,
    WeightPeeler,
)
from errata.noise import flip_labels
from strategies import seeds

PEELERS = {
    "margin": MarginPeeler,
    "misclassification": MisclassificationPeeler,
    "weight": WeightPeeler,
    "linear_program": LinearProgramPeeler,
    "vote": VotePeeler,
}
LINE = np.arange(10.0)[:, None]
MISLABELLED = np.array([1, 0, 1, 0, 0, 0, 1, 1, 1, 0])  # x = 1 should be 1


def peel_line(name, n_estimators, X=LINE, y=MISLABELLED, **parameters):
    """Ten points on a line, the second mislabelled, and minimum-error stumps."""
    peeler = PEELERS[name](n_estimators=n_estimators, criterion="error", **parameters)
    return peeler.fit(X, y)


def quick_peeler(name, **parameters):
    """A peeler that takes no longer than a test may."""
    few = {"n_estimators": 20} if name in ("weight", "linear_program") else {}
    level = {"contamination": 0.1} if name == "linear_program" else {}
    return PEELERS[name](**{**few, **level, **parameters})


def noisy_twonorm(seed=0, n=150, noise=0.1):
    X, y = make_twonorm(n, random_state=seed)
    return X, *flip_labels(y, noise, random_state=seed)


def noisy_blobs(n=90, noise=0.1, seed=0):
    X, y = make_blobs(n, centers=3, random_state=3)
    return X, *flip_labels(y, noise, random_state=seed)


@st.composite
def agreements(draw):
    random = np.random.RandomState(draw(seeds))
    n, n_rounds = draw(st.integers(1, 15)), draw(st.integers(1, 12))
    return random.choice([-1, 1], size=(n, n_rounds)).astype(np.int8)
