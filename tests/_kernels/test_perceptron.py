import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Perceptron

from errata._kernels import _perceptrons, kernels


@st.composite
def problems(draw):
    """Small whole numbers: sums of them are exact, so both twins must agree to the bit."""
    seed = draw(st.integers(0, 2**31 - 1))
    n, d, k, m, epochs = (draw(st.integers(1, top)) for top in (12, 4, 3, 3, 4))
    rng = np.random.RandomState(seed)
    coprime = [a for a in range(1, n + 1) if math.gcd(a, n) == 1]
    return (
        rng.randint(-4, 5, size=(n, d)).astype(float),
        rng.randint(k, size=n),
        rng.randint(n, size=(m, n)),
        np.arange(k),
        rng.choice(coprime, size=(m, epochs)),
        rng.randint(n, size=(m, epochs)),
        draw(st.integers(1, 6)),
        draw(st.sampled_from([-np.inf, 1e-3, 0.5])),
        draw(st.integers(1, 3)),
    )


@given(problems())
@settings(max_examples=40)
def test_the_compiled_twin_equals_the_plain_one(problem):
    fast = pytest.importorskip(
        "errata._kernels._perceptrons_numba", reason="numba is not installed"
    )
    for ours, plain in zip(
        fast.train_pool(*problem), _perceptrons.train_pool(*problem), strict=True
    ):
        np.testing.assert_array_equal(ours, plain)


@pytest.mark.parametrize("twin", ["plain", "fastest"])
def test_one_epoch_in_the_given_order_is_scikit_learns_perceptron(twin):
    # Without shuffling, scikit-learn visits the rows from first to last; so do multiplier 1 and
    # offset 0.
    rng = np.random.RandomState(0)
    X, codes = rng.normal(size=(40, 3)), rng.randint(2, size=40)
    train = (_perceptrons if twin == "plain" else kernels("perceptrons")).train_pool
    for epochs in (1, 4):
        one = np.ones((1, 1), dtype=int)
        weights, biases = train(
            X, codes, np.arange(40)[None, :], np.array([1]), one, 0 * one, epochs, -np.inf, 5
        )
        theirs = Perceptron(max_iter=epochs, tol=None, shuffle=False).fit(X, codes)
        np.testing.assert_allclose(weights[0], theirs.coef_, rtol=0, atol=1e-12)
        np.testing.assert_allclose(biases[0], theirs.intercept_, rtol=0, atol=1e-12)


def test_training_stops_where_scikit_learns_does():
    rng = np.random.RandomState(1)
    X = rng.normal(size=(60, 4))
    codes = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(int)
    one = np.ones((1, 1), dtype=int)
    weights, _ = kernels("perceptrons").train_pool(
        X, codes, np.arange(60)[None, :], np.array([1]), one, 0 * one, 1000, 1e-3, 5
    )
    theirs = Perceptron(shuffle=False).fit(X, codes)
    assert 5 < theirs.n_iter_ < 1000
    np.testing.assert_allclose(weights[0], theirs.coef_, rtol=0, atol=1e-10)


def test_separable_classes_are_separated():
    X = np.array([[0.0, 0], [0, 1], [3, 3], [4, 3]])
    codes = np.array([0, 0, 1, 1])
    one = np.ones((1, 1), dtype=int)
    weights, biases = kernels("perceptrons").train_pool(
        X, codes, np.arange(4)[None, :], np.array([1]), one, 0 * one, 50, -np.inf, 5
    )
    assert ((X @ weights[0, 0] + biases[0, 0] > 0) == (codes == 1)).all()
