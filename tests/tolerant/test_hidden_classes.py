"""What models of a hidden class have in common: they learn Gaussian classes in spite of noise."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from errata.tolerant import RobustDiscriminantAnalysis, RobustLogisticRegression
from strategies import SEEDS, seeds
from tolerant.gaussian_classes import THREE, TWO, three_classes, two_classes

PAIRS = [
    (RobustDiscriminantAnalysis(), LinearDiscriminantAnalysis()),
    (RobustLogisticRegression(), LogisticRegression()),
]
each_pair = pytest.mark.parametrize(("model", "plain"), PAIRS, ids=["discriminant", "logistic"])
every_seed = pytest.mark.parametrize("seed", SEEDS)
RISING = [
    *(RobustDiscriminantAnalysis(c, shrinkage=0, max_iter=30) for c in ("shared", "full", "diag")),
    *(RobustLogisticRegression(noise=n, max_iter=15) for n in ("full", "per_class", "uniform")),
]


@settings(max_examples=25)
@given(seeds, st.integers(2, 4), st.sampled_from(RISING))
def test_the_objective_never_falls(seed, n_classes, model):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(80, 2)), np.arange(80) % n_classes
    X[:, 0] += y
    model = clone(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y, sample_weight=random.uniform(0.5, 3, 80))
    assert (np.diff(model.objective_) >= -1e-9 * np.abs(model.objective_[1:])).all()
    np.testing.assert_allclose(model.noise_transition_.sum(axis=1), 1, rtol=1e-12)


@each_pair
@every_seed
def test_two_gaussian_classes_are_learnt_in_spite_of_noise(model, plain, seed):
    X, y, classes, X_test, y_test = two_classes(seed)
    wrong = y != classes
    model.fit(X, y)
    assert np.abs(model.noise_transition_ - TWO).max() <= 0.06
    assert model.score(X_test, y_test) >= 0.92
    assert roc_auc_score(wrong, model.suspicion_) >= 0.96
    assert abs(model.suspicion_.mean() - wrong.mean()) <= 0.03
    assert plain.fit(X, y).score(X_test, y_test) <= 0.91


@pytest.mark.parametrize(("model", "plain", "at_most"), [(*PAIRS[0], 0.945), (*PAIRS[1], 0.92)])
@every_seed
def test_three_gaussian_classes_are_learnt_in_spite_of_noise(model, plain, at_most, seed):
    X, y, _, X_test, y_test = three_classes(seed)
    model.fit(X, y)
    assert np.abs(model.noise_transition_ - THREE).max() <= 0.07
    assert model.score(X_test, y_test) >= 0.96
    assert plain.fit(X, y).score(X_test, y_test) <= at_most


@each_pair
@every_seed
def test_where_no_label_is_wrong_little_is_suspected(model, plain, seed):
    X, y, _, X_test, y_test = two_classes(seed, transition=np.eye(2))
    model.fit(X, y)
    assert np.diag(model.noise_transition_).min() >= 0.985
    assert abs(model.score(X_test, y_test) - plain.fit(X, y).score(X_test, y_test)) <= 0.005
