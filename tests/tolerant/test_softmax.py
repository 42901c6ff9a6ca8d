import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import check_grad
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression

from errata.tolerant._softmax import (
    WeightedSoftmax,
    compute_log_proba,
    compute_scores,
    take_label_log_proba,
)
from strategies import seeds


def random_task(seed, n_classes, l2, n=40, d=3):
    random = np.random.RandomState(seed)
    codes = np.append(np.arange(n_classes), random.randint(n_classes, size=n - n_classes))
    return WeightedSoftmax(
        random.standard_normal((n, d)), codes, random.uniform(size=n), n_classes, l2
    )


def start(task):
    return np.zeros((1 if task.n_classes == 2 else task.n_classes, task.X.shape[1] + 1))


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("l2", [1e-3, 1.0])
def test_b9_both_solvers_find_what_scikit_learn_finds(load, l2):
    X, y = load(return_X_y=True)  # on wine and cancer the units of the columns differ by 1e5
    weights = np.random.RandomState(0).uniform(0.2, 1, len(y))
    task = WeightedSoftmax(X, y, weights, y.max() + 1, l2)
    other = LogisticRegression(C=1 / l2, solver="newton-cholesky", tol=1e-9, max_iter=1000)
    other.fit(X, y, sample_weight=weights)
    top, _ = task.compute_value_and_slope(np.column_stack([other.intercept_, other.coef_]))
    newton, quasi_newton = (
        task.fit_by_newton(start(task)),
        task.fit_by_quasi_newton(start(task)),
    )
    largest = np.abs(other.coef_).max()
    np.testing.assert_allclose(newton[:, 1:], other.coef_, rtol=0, atol=1e-6 * largest)
    assert task.compute_value_and_slope(newton)[0] >= top - 1e-12 * abs(top)
    # L-BFGS stops with a small slope, which on flat hills may be a step away from the top.
    assert task.compute_value_and_slope(quasi_newton)[0] >= top - 1e-6 * abs(top)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_slope_is_that_of_the_value(n_classes):
    task = random_task(0, n_classes, 0.3)
    beta = np.random.RandomState(1).standard_normal(start(task).shape)

    def value(flat):
        return task.compute_value_and_slope(flat.reshape(beta.shape))[0]

    def slope(flat):
        return task.compute_value_and_slope(flat.reshape(beta.shape))[1].ravel()

    assert check_grad(value, slope, beta.ravel()) < 1e-5
    # And the curvature, along directions in which classes differ, that of the slope.
    direction = np.random.RandomState(2).standard_normal(beta.shape)
    direction -= direction.mean(axis=0) if n_classes > 2 else 0
    h = 1e-6
    change = slope((beta - h * direction).ravel()) - slope((beta + h * direction).ravel())
    expected = change / (2 * h)
    found = task.compute_curvature(beta) @ direction.ravel()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)


@given(seeds)
def test_probabilities_sum_to_one_and_those_of_labels_are_among_them(seed):
    for n_classes in (2, 4):
        task = random_task(seed, n_classes, 0.1)
        eta = compute_scores(
            task.X, 30 * np.random.RandomState(seed).standard_normal(start(task).shape)
        )
        log_proba = compute_log_proba(eta)
        assert log_proba.shape == (40, n_classes)
        np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1, rtol=1e-12)
        own = log_proba[np.arange(40), task.codes]
        np.testing.assert_array_equal(take_label_log_proba(eta, task.codes), own)


def test_far_scores_do_not_overflow():
    log_proba = compute_log_proba(np.array([[1e6], [-1e6]]))
    np.testing.assert_array_equal(log_proba, [[-1e6, 0], [0, -1e6]])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("max_newton_params", [2000, 0])
def test_b12_separable_classes_without_a_penalty_are_stopped_and_told(
    n_classes, max_newton_params, monkeypatch
):
    monkeypatch.setattr("errata.tolerant._softmax.MAX_NEWTON_PARAMS", max_newton_params)
    codes = np.arange(30) % n_classes
    X = 10.0 * np.eye(n_classes)[codes] + np.random.RandomState(0).standard_normal((30, n_classes))
    task = WeightedSoftmax(X, codes, np.ones(30), n_classes, 0.0)
    beta = task.fit()
    assert np.all(np.isfinite(beta))
    assert task.is_separated(beta)
    penalised = WeightedSoftmax(X, codes, np.ones(30), n_classes, 1e-3)
    assert not penalised.is_separated(penalised.fit())
    wrong = WeightedSoftmax(X, np.where(np.arange(30) == 0, 1, codes), np.ones(30), n_classes, 0.0)
    assert not wrong.is_separated(wrong.fit())


def test_a_row_far_out_does_not_pass_for_separation():
    # One honest row with a huge score, and overlapping classes: the maximum is finite.
    x = np.append(np.tile([-1.0, 1.0], 10), 500.0)
    codes = np.append(np.tile([0, 1, 1, 0, 0, 1, 0, 1, 0, 1], 2), 1)
    task = WeightedSoftmax(x[:, None], codes, np.ones(21), 2, 0.0)
    beta = task.fit()
    assert np.abs(compute_scores(task.X, beta)).max() > 30
    assert not task.is_separated(beta)
    np.testing.assert_allclose(task.compute_value_and_slope(beta)[1], 0, rtol=0, atol=1e-8)


def test_dependent_columns_without_a_penalty_still_find_the_top():
    task = random_task(3, 2, 0.0)
    doubled = WeightedSoftmax(np.hstack([task.X, task.X]), task.codes, task.weights, 2, 0.0)
    value = task.compute_value_and_slope(task.fit())[0]
    found = doubled.compute_value_and_slope(doubled.fit())[0]
    assert found == pytest.approx(value, rel=1e-10)


def test_many_coefficients_are_left_to_the_quasi_newton_solver(monkeypatch):
    task = random_task(0, 3, 0.5)
    expected = task.fit()
    monkeypatch.setattr("errata.tolerant._softmax.MAX_NEWTON_PARAMS", 5)
    found = task.fit()
    assert not np.array_equal(found, expected)
    np.testing.assert_allclose(
        compute_log_proba(compute_scores(task.X, found)),
        compute_log_proba(compute_scores(task.X, expected)),
        rtol=0,
        atol=1e-6,
    )


@pytest.mark.parametrize("constant", [0.0, 0.3, 7.0, -1e5 / 3])
@pytest.mark.parametrize("max_newton_params", [2000, 0])
def test_a_constant_column_changes_nothing(max_newton_params, constant, monkeypatch):
    monkeypatch.setattr("errata.tolerant._softmax.MAX_NEWTON_PARAMS", max_newton_params)
    task = random_task(1, 3, 0.0)
    X = np.column_stack([task.X, np.full(len(task.X), constant)])
    found = WeightedSoftmax(X, task.codes, task.weights, 3, 0.0).fit()
    np.testing.assert_allclose(
        compute_log_proba(compute_scores(X, found)),
        compute_log_proba(compute_scores(task.X, task.fit())),
        rtol=0,
        atol=1e-5,
    )
