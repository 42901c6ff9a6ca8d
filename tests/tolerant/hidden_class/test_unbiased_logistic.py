import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from errata.tolerant import UnbiasedLogisticRegression
from errata.tolerant.hidden_class._logistic import compute_unbiased_loss, invert_transition
from strategies import SEEDS, seeds
from tolerant.gaussian_classes import EM8, TWO, three_classes, two_classes


def test_targets_by_hand():
    np.testing.assert_allclose(invert_transition(TWO), [[1.5, -0.5], [-1 / 6, 7 / 6]], rtol=1e-12)


def test_the_unbiased_hinge_by_hand():
    hinge = np.array([1.5, 0.5])  # of the classes -1 and +1, at a score of 0.5
    of_labels = invert_transition(TWO) @ hinge
    np.testing.assert_allclose(of_labels, [2, 1 / 3], rtol=1e-12)
    np.testing.assert_allclose(TWO @ of_labels, hinge, rtol=1e-12)


@given(seeds, st.integers(2, 5))
def test_over_the_labels_of_a_class_the_loss_is_that_of_the_class(seed, n_classes):
    random = np.random.default_rng(seed)
    T = 0.6 * np.eye(n_classes) + 0.4 * random.dirichlet(np.ones(n_classes), n_classes)
    log_proba = np.tile(log_softmax(random.normal(size=n_classes)), (n_classes, 1))
    of_labels, _ = compute_unbiased_loss(log_proba, invert_transition(T))
    np.testing.assert_allclose(T @ of_labels, -log_proba[0], rtol=1e-9)


@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_without_noise_it_is_logistic_regression(make):
    X, y, *_ = make(0, n=300, n_test=10)
    model = UnbiasedLogisticRegression(0.0).fit(X, y)
    plain = LogisticRegression(tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=0, atol=1e-5)
    np.testing.assert_array_equal(model.suspicion_, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_known_matrix_is_made_up_for(seed):
    X, y, classes, X_test, y_test = two_classes(seed)
    model = UnbiasedLogisticRegression(TWO).fit(X, y)
    assert model.score(X_test, y_test) >= 0.92
    assert abs(model.suspicion_.mean() - (y != classes).mean()) <= 0.03
    np.testing.assert_array_equal(model.noise_transition_, TWO)


def test_a_singular_matrix_is_refused():
    with pytest.raises(ValueError, match="the transition matrix is singular"):
        UnbiasedLogisticRegression([[0.5, 0.5], [0.5, 0.5]]).fit(*EM8)


def test_too_few_steps_are_reported():
    with pytest.warns(ConvergenceWarning, match="had not settled after 1 steps"):
        UnbiasedLogisticRegression(0.1, max_iter=1).fit(*EM8)
