import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata._kernels import _perceptrons as plain

compiled = pytest.importorskip(
    "errata._kernels._perceptrons_numba", reason="numba is not installed"
)
TWINS = [plain, compiled]


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
    arguments = problem(seed, regression=regression, digits=digits)
    for ours, theirs in zip(
        plain.train_parallel(*arguments), compiled.train_parallel(*arguments), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("twin", TWINS)
def test_one_epoch_by_hand(twin):
    X = np.array([[1, 2, 1], [2, -1, 1], [-1, 0.5, 1], [-2, -1, 1]], dtype=float)
    y, W = np.array([1.0, 1, -1, -1]), np.array([[0.6, 0.8, 0], [0, 1, 0], [-0.6, 0, 0.8]])
    weights, gamma, losses = twin.train_parallel(X, y, np.ones(4), W, 0.5, 0.1, 1, 0, 0.5, False, W)
    expected = [[0.6, 0.8, 0], [0.33282012, 0.94299033, 0], [-0.21661214, 0.05415304, 0.97475465]]
    np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-8)
    assert gamma == pytest.approx(0.45, abs=1e-12)
    assert losses[0] == pytest.approx(4 * 2 / 4)  # two of four rows wrong, an error of 2 squared


@given(st.integers(0, 10_000))
@settings(deadline=None, max_examples=30)
def test_perceptrons_keep_length_one(seed):
    weights, gamma, _ = compiled.train_parallel(*problem(seed))
    np.testing.assert_allclose(np.linalg.norm(weights, axis=1), 1, rtol=1e-12)
    assert gamma >= plain.LEAST_GAMMA


@pytest.mark.parametrize("twin", TWINS)
def test_a_weight_of_two_is_two_rows(twin):
    X, y, c, W, *rest = problem(3)
    rest[2] = 1  # one epoch: more would let rounding decide on which side of gamma a row lies
    c[0] = 2.0
    twice = np.r_[0, np.arange(len(y))]
    ones = np.r_[1.0, 1.0, c[1:]]
    whole = twin.train_parallel(X, y, c, W, *rest)
    doubled = twin.train_parallel(X[twice], y[twice], ones, W, *rest)
    np.testing.assert_allclose(whole[0], doubled[0], rtol=0, atol=1e-14)
    assert whole[1] == pytest.approx(doubled[1], abs=1e-14)


@pytest.mark.parametrize("twin", TWINS)
def test_the_order_of_rows_does_not_matter(twin):
    X, y, c, W, *rest = problem(5)
    order = np.random.RandomState(0).permutation(len(y))
    straight = twin.train_parallel(X, y, c, W, *rest)
    shuffled = twin.train_parallel(X[order], y[order], c[order], W, *rest)
    np.testing.assert_allclose(straight[0], shuffled[0], rtol=0, atol=1e-10)


@pytest.mark.parametrize("twin", TWINS)
def test_a_perceptron_that_vanishes_is_renewed(twin):
    X, y = np.array([[1.0]]), np.array([-1.0])
    start, renewal = np.array([[1.0]]), np.array([[-1.0]])
    weights, _, _ = twin.train_parallel(
        X, y, np.ones(1), start, 0.05, 1.0, 1, 0, 0.5, False, renewal
    )
    np.testing.assert_array_equal(weights, renewal)
