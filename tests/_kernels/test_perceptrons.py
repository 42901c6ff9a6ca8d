import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Perceptron

from errata._kernels import _perceptrons as plain
from errata._kernels import kernels


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
    for ours, theirs in zip(fast.train_pool(*problem), plain.train_pool(*problem), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("twin", ["plain", "fastest"])
def test_one_epoch_in_the_given_order_is_scikit_learns_perceptron(twin):
    # Without shuffling, scikit-learn visits the rows from first to last; so do multiplier 1 and
    # offset 0.
    rng = np.random.RandomState(0)
    X, codes = rng.normal(size=(40, 3)), rng.randint(2, size=40)
    train = (plain if twin == "plain" else kernels("perceptrons")).train_pool
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


@pytest.fixture(params=["plain", "compiled"], scope="module")
def loops(request):
    if request.param == "plain":
        return plain
    return pytest.importorskip(
        "errata._kernels._perceptrons_numba", reason="numba is not installed"
    )


def problem(seed, *, regression=False, digits=3):
    """Rows, targets, weights and unit perceptrons, some activations tied or zero."""
    random = np.random.RandomState(seed)
    n, p, h = random.randint(3, 30), random.randint(1, 5), random.choice([1, 3, 5])
    X = np.round(random.normal(size=(n, p)), digits)
    targets = random.uniform(-1, 1, n) if regression else np.sign(random.normal(size=n))
    W = random.normal(size=(2, h, p))
    start, renewal = W / np.linalg.norm(W, axis=2, keepdims=True)
    rule = (h, 0.1, True) if regression else (0, 0.5, False)
    return X, targets, random.uniform(0, 2, n), start, 0.05, 0.01, 20, *rule, renewal


@given(st.integers(0, 10_000), st.booleans(), st.integers(0, 3))
@settings(deadline=None, max_examples=60)
def test_twins_agree(seed, regression, digits):
    fast = pytest.importorskip(
        "errata._kernels._perceptrons_numba", reason="numba is not installed"
    )
    arguments = problem(seed, regression=regression, digits=digits)
    for ours, theirs in zip(
        plain.train_parallel(*arguments), fast.train_parallel(*arguments), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


@given(st.integers(0, 10_000), st.booleans())
@settings(deadline=None, max_examples=40)
def test_online_twins_agree(seed, regression):
    fast = pytest.importorskip(
        "errata._kernels._perceptrons_numba", reason="numba is not installed"
    )
    X, *rest = problem(seed, regression=regression)
    orders = np.array([np.random.RandomState(s).permutation(len(X)) for s in range(3)])
    for ours, theirs in zip(
        plain.train_parallel_online(X, *rest, orders),
        fast.train_parallel_online(X, *rest, orders),
        strict=True,
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


def test_online_training_of_one_row_is_a_batch_of_it(loops):
    X, y, c, W, *rest = problem(7)
    one = X[:1], y[:1], c[:1], W, *rest
    online = loops.train_parallel_online(*one, np.zeros((1, 1), dtype=int))
    for ours, theirs in zip(online, loops.train_parallel(*one), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_online_rows_see_what_rows_before_them_moved(loops):
    # Two copies of a row on the wrong side, one perceptron: after the first the second is right,
    # inside the margin; a batch moves by both at once.
    X, y, W = np.array([[1.0], [1.0]]), np.array([1.0, 1.0]), np.array([[-1.0]])
    arguments = X, y, np.ones(2), W, 0.05, 1.02, 1, 0, 0.5, False, W
    weights, gamma, losses = loops.train_parallel_online(*arguments, np.array([[0, 1]]))
    np.testing.assert_array_equal(weights, [[1.0]])
    # -1 + 1.02 = 0.02 is right and nearer than 0.05: gamma falls to its least.
    assert gamma == plain.LEAST_GAMMA
    assert losses[0] == pytest.approx(2.0)  # one of two rows, an error of 2 squared
    assert loops.train_parallel(*arguments)[2][0] == pytest.approx(4.0)


def test_one_epoch_by_hand(loops):
    X = np.array([[1, 2, 1], [2, -1, 1], [-1, 0.5, 1], [-2, -1, 1]], dtype=float)
    y, W = np.array([1.0, 1, -1, -1]), np.array([[0.6, 0.8, 0], [0, 1, 0], [-0.6, 0, 0.8]])
    weights, gamma, losses = loops.train_parallel(
        X, y, np.ones(4), W, 0.5, 0.1, 1, 0, 0.5, False, W
    )
    expected = [[0.6, 0.8, 0], [0.33282012, 0.94299033, 0], [-0.21661214, 0.05415304, 0.97475465]]
    np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-8)
    assert gamma == pytest.approx(0.45, abs=1e-12)
    assert losses[0] == pytest.approx(4 * 2 / 4)  # two of four rows wrong, an error of 2 squared


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=30)
def test_perceptrons_keep_length_one(seed):
    weights, gamma, _ = kernels("perceptrons").train_parallel(*problem(seed))
    np.testing.assert_allclose(np.linalg.norm(weights, axis=1), 1, rtol=1e-12)
    assert gamma >= plain.LEAST_GAMMA


def test_a_weight_of_two_is_two_rows(loops):
    X, y, c, W, *rest = problem(3)
    rest[2] = 1  # one epoch: more would let rounding decide on which side of gamma a row lies
    c[0] = 2.0
    twice = np.r_[0, np.arange(len(y))]
    ones = np.r_[1.0, 1.0, c[1:]]
    whole = loops.train_parallel(X, y, c, W, *rest)
    doubled = loops.train_parallel(X[twice], y[twice], ones, W, *rest)
    np.testing.assert_allclose(whole[0], doubled[0], rtol=0, atol=1e-14)
    assert whole[1] == pytest.approx(doubled[1], abs=1e-14)


def test_the_order_of_rows_does_not_matter(loops):
    X, y, c, W, *rest = problem(5)
    order = np.random.RandomState(0).permutation(len(y))
    straight = loops.train_parallel(X, y, c, W, *rest)
    shuffled = loops.train_parallel(X[order], y[order], c[order], W, *rest)
    np.testing.assert_allclose(straight[0], shuffled[0], rtol=0, atol=1e-10)


def test_a_perceptron_that_vanishes_is_renewed(loops):
    X, y = np.array([[1.0]]), np.array([-1.0])
    start, renewal = np.array([[1.0]]), np.array([[-1.0]])
    weights, _, _ = loops.train_parallel(
        X, y, np.ones(1), start, 0.05, 1.0, 1, 0, 0.5, False, renewal
    )
    np.testing.assert_array_equal(weights, renewal)


def test_the_plain_twin_steps_in_when_numba_is_missing(monkeypatch):
    monkeypatch.setattr("errata._kernels.find_spec", lambda name: None)
    assert kernels("perceptrons").__name__ == "errata._kernels._perceptrons"


def test_the_plain_twin_serves_where_little_is_to_do():
    assert kernels("perceptrons", compiled=False).__name__ == "errata._kernels._perceptrons"
