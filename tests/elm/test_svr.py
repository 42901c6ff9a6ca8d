import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from errata.elm import ELMSVR
from errata.elm import _svm as module


def test_both_solvers_agree_on_targets_far_from_zero():
    X = np.random.RandomState(0).normal(size=(120, 2))
    y = 1000 + np.sin(2 * X[:, 0])
    gram = ELMSVR(kernel="finite", n_hidden=60, C=10, solver="gram", tol=1e-6, random_state=0)
    linear = clone(gram).set_params(solver="linear", tol=1e-4, max_iter=1_000_000)
    np.testing.assert_allclose(
        linear.fit(X, y).predict(X), gram.fit(X, y).predict(X), rtol=0, atol=0.01
    )


@pytest.mark.parametrize(("C", "expected"), [(1.0, "linear"), (3.0, "gram")])
@pytest.mark.parametrize("unit", [1.0, 1000.0])
def test_the_unit_of_the_target_does_not_change_the_solver(monkeypatch, C, expected, unit):
    monkeypatch.setattr(module, "GRAM_ROWS", 40)
    X = np.random.RandomState(0).normal(size=(100, 2))
    y = unit * scale_to_one(np.sin(2 * X[:, 0]))
    model = ELMSVR(kernel="finite", n_hidden=20, C=C * unit, epsilon=0.1 * unit, random_state=0)
    assert model.fit(X, y).solver_ == expected


def test_a_constant_target_is_predicted():
    X = np.random.RandomState(0).normal(size=(20, 2))
    for solver in ("auto", "gram", "linear"):
        model = ELMSVR(kernel="finite", n_hidden=5, solver=solver, random_state=0)
        np.testing.assert_allclose(model.fit(X, np.full(20, 7.0)).predict(X), 7, rtol=0, atol=1e-9)


def scale_to_one(y):
    return y / y.std()


def sinc_error(weight_scale):
    """Best error over C on the sinc function, the protocol of check U1."""
    random = np.random.default_rng(0)
    x = random.uniform(-10, 10, size=(300, 1))
    y = np.sinc(x[:, 0] / np.pi) + random.normal(scale=0.1, size=300)
    grid = np.linspace(-10, 10, 500)[:, None]
    scaler = StandardScaler().fit(x)

    def error(C):
        model = ELMSVR(weight_scale=weight_scale, C=C, epsilon=0.1).fit(scaler.transform(x), y)
        truth = np.sinc(grid[:, 0] / np.pi)
        return np.sqrt(np.mean((model.predict(scaler.transform(grid)) - truth) ** 2))

    return min(error(C) for C in (1, 10, 100, 1000))


@pytest.mark.parametrize("weight_scale", [1, 10, 100])
def test_the_scale_does_not_matter_on_sinc_once_large_enough(weight_scale):  # U1
    assert sinc_error(weight_scale) <= 0.03


def test_too_small_a_scale_cannot_follow_sinc():  # U1
    assert sinc_error(0.1) > 0.15
