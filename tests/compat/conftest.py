"""Labels with wrong ones among them and probabilities: 20 drawn at random, 5 of real tables."""

from functools import cache

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from errata.noise import flip_labels

REAL = {
    "iris": load_iris,
    "wine": load_wine,
    "breast_cancer": load_breast_cancer,
    "diabetes": load_diabetes,
    "digits": load_digits,
}


def draw(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(40, 400))
    k = int(rng.integers(2, 8))
    classes = rng.integers(0, k, n)
    pred_probs = rng.dirichlet([0.4] * k, n)
    pred_probs[np.arange(n), classes] += rng.uniform(0, 2, n)
    pred_probs /= pred_probs.sum(axis=1, keepdims=True)
    labels = np.where(rng.random(n) < 0.8, classes, rng.integers(0, k, n))
    labels[:k] = np.arange(k)
    return labels, pred_probs


@cache
def learn(name):
    X, y = REAL[name](return_X_y=True)
    if name == "diabetes":
        y = np.searchsorted(np.quantile(y, [1 / 3, 2 / 3]), y)
    labels, _ = flip_labels(y, 0.1, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    return labels, cross_val_predict(model, X, labels, cv=3, method="predict_proba")


@pytest.fixture(params=[*range(20), *REAL])
def case(request):
    """Labels, and out-of-sample probabilities."""
    return draw(request.param) if isinstance(request.param, int) else learn(request.param)


@cache
def learn_digits():
    X, y = load_digits(return_X_y=True)
    labels, flipped = flip_labels(y, 0.1, random_state=0)
    model = LogisticRegression(C=0.01, max_iter=500)
    pred_probs = cross_val_predict(model, X / 16, labels, cv=3, method="predict_proba")
    return labels, pred_probs, flipped


@pytest.fixture
def planted():
    """Labels, probabilities that tell most of them, and which labels are wrong."""
    return learn_digits()
