import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.sparse import csr_matrix
from scipy.special import log_softmax
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from errata.tolerant import RobustLogisticRegression, UnbiasedLogisticRegression
from strategies import SEEDS
from tolerant.gaussian_classes import EM8, TWO, three_classes, two_classes

T = np.array([[0.9, 0.1], [0.2, 0.8]])


def test_a_known_matrix_by_hand():
    model = RobustLogisticRegression(transition=T, learn_transition=False).fit(*EM8)
    assert model.coef_[0, 0] == pytest.approx(0.727461, abs=1e-5)
    assert model.intercept_[0] == pytest.approx(0.475958, abs=1e-5)
    assert model.objective_ == pytest.approx([-4.526615], abs=1e-5)
    assert model.n_iter_ == 1


def test_a_learnt_matrix_by_hand():
    model = RobustLogisticRegression(tol=1e-12, max_iter=2000).fit(*EM8)
    assert model.coef_[0, 0] == pytest.approx(0.6909, abs=1e-3)
    assert model.intercept_[0] == pytest.approx(0.3052, abs=1e-3)
    expected = [[0.8786, 0.1214], [0.1700, 0.8300]]
    np.testing.assert_allclose(model.noise_transition_, expected, atol=1e-3)
    assert -model.objective_[-1] == pytest.approx(6.60006, abs=1e-3)
    suspicion = [0.0320, 0.0619, 0.0852, 0.1771, 0.0513, 0.0368, 0.5112, 0.0134]
    np.testing.assert_allclose(model.suspicion_, suspicion, atol=1e-3)
    assert np.flatnonzero(model.flagged_).tolist() == [6]


def test_without_noise_eight_rows_are_fitted_as_by_scikit_learn():
    model = RobustLogisticRegression(transition=np.eye(2), learn_transition=False).fit(*EM8)
    assert model.coef_[0, 0] == pytest.approx(0.559732, abs=1e-5)
    assert model.intercept_[0] == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("make", [two_classes, three_classes])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_without_noise_it_is_logistic_regression(make, fit_intercept):
    X, y, *_ = make(0, n=300, n_test=10)
    weights = np.random.default_rng(0).uniform(0.5, 2, 300)
    settings = {"C": 0.5, "fit_intercept": fit_intercept}
    model = RobustLogisticRegression(
        transition=np.eye(y.max() + 1), learn_transition=False, **settings
    ).fit(X, y, weights)
    plain = LogisticRegression(tol=1e-10, **settings).fit(X, y, weights)
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=0, atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=0, atol=1e-5)
    np.testing.assert_allclose(
        model.decision_function(X), plain.decision_function(X), rtol=0, atol=1e-4
    )


def test_sparse_rows_are_as_good():
    X, y, *_ = three_classes(0, n=300, n_test=10)
    dense, sparse = (
        RobustLogisticRegression().fit(X, y),
        RobustLogisticRegression().fit(csr_matrix(X), y),
    )
    np.testing.assert_allclose(sparse.suspicion_, dense.suspicion_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        sparse.predict_proba(csr_matrix(X)), dense.predict_proba(X), rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_known_matrix_is_made_up_for(seed):
    X, y, _, X_test, y_test = two_classes(seed)
    forward = RobustLogisticRegression(transition=TWO, learn_transition=False).fit(X, y)
    assert forward.score(X_test, y_test) >= 0.92


@pytest.mark.parametrize("C", [0, -1, "1"])
def test_a_penalty_that_is_none_gets_a_sentence(C):
    with pytest.raises(ValueError, match=r"C=.* must be a finite number above 0"):
        RobustLogisticRegression(C).fit(*EM8)


@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_without_noise_it_is_logistic_regression_by_the_unbiased_loss(make):
    X, y, *_ = make(0, n=300, n_test=10)
    model = UnbiasedLogisticRegression(0.0).fit(X, y)
    plain = LogisticRegression(tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=0, atol=1e-5)
    np.testing.assert_array_equal(model.suspicion_, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_known_matrix_is_made_up_for_by_the_unbiased_loss(seed):
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


def compute_objective(theta, X, y, weights, transition, l2, backward=False):
    """Weighted loss of the labels, and half the penalty on the coefficients, as in the papers."""
    beta = theta.reshape(-1, X.shape[1] + 1)
    eta = X @ beta[:, 1:].T + beta[:, 0]
    eta = np.hstack([np.zeros_like(eta), eta]) if len(beta) == 1 else eta
    log_proba = log_softmax(eta, axis=1)
    if backward:
        losses = -(np.linalg.inv(transition)[y] * log_proba).sum(axis=1)
    else:
        losses = -np.log((np.exp(log_proba) * transition.T[y]).sum(axis=1))
    return weights @ losses + l2 / 2 * (beta[:, 1:] ** 2).sum()


def test_the_objective_by_hand():
    value = compute_objective(np.array([-0.2, 0.5]), *EM8, np.ones(8), T, 1.0)
    assert value == pytest.approx(4.717104, abs=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("backward", [True, False])
def test_coefficients_are_where_the_objective_is_flat(n_classes, fit_intercept, backward):
    random = np.random.default_rng(0)
    X, y, weights = random.normal(size=(60, 2)), np.arange(60) % n_classes, random.uniform(0, 2, 60)
    X[:, 0] += y
    transition = 0.7 * np.eye(n_classes) + 0.3 * random.dirichlet(np.ones(n_classes), n_classes)
    how = {"C": 1 / 0.7, "fit_intercept": fit_intercept, "transition": transition}
    if backward:
        model = UnbiasedLogisticRegression(**how, tol=1e-8)
    else:
        model = RobustLogisticRegression(**how, learn_transition=False)
    model.fit(X, y, sample_weight=weights)
    beta = np.column_stack([model.intercept_, model.coef_])
    slope = approx_fprime(
        beta.ravel(), compute_objective, 1e-6, X, y, weights, transition, 0.7, backward
    ).reshape(beta.shape)
    if not fit_intercept:
        np.testing.assert_array_equal(model.intercept_, 0)
        slope[:, 0] = 0
    np.testing.assert_allclose(slope, 0, rtol=0, atol=1e-3)
