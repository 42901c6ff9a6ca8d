import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tolerant import (
    ReinforcedLinearRegression,
    ReinforcedLogisticRegression,
    ReinforcedPCA,
    _softmax,
)
from errata.tolerant.reinforced import _loop
from errata.tolerant.reinforced._loop import compute_triangle
from strategies import seeds


@pytest.fixture
def block_rows(monkeypatch):
    def set_to(rows):
        monkeypatch.setattr(_loop, "BLOCK_ROWS", rows)
        monkeypatch.setattr(_softmax, "BLOCK_ROWS", rows)

    return set_to


@given(seeds, st.integers(1, 40), st.integers(1, 6), st.booleans())
def test_it_holds_the_weighted_moments(seed, n, d, ones):
    random = np.random.RandomState(seed)
    X, y, weights = (
        random.standard_normal((n, d)),
        random.standard_normal(n),
        random.uniform(size=n),
    )
    R = compute_triangle([X, y], weights, ones=ones)
    Z = np.column_stack([np.ones((n, int(ones))), X, y])
    np.testing.assert_allclose(R.T @ R, Z.T @ (weights[:, None] * Z), rtol=0, atol=1e-12)
    assert R.shape == (min(n, Z.shape[1]), Z.shape[1])
    np.testing.assert_allclose(R, np.triu(R), rtol=0, atol=1e-13)


def test_the_corner_below_the_ones_belongs_to_centred_columns():
    random = np.random.RandomState(0)
    X, weights = random.standard_normal((30, 3)) + 1e4, random.uniform(size=30)
    R = compute_triangle([X], weights)
    mean = np.average(X, axis=0, weights=weights)
    np.testing.assert_allclose(R[0, 1:] / R[0, 0], mean, rtol=1e-13)
    scatter = (X - mean).T @ (weights[:, None] * (X - mean))
    np.testing.assert_allclose(R[1:, 1:].T @ R[1:, 1:], scatter, rtol=0, atol=1e-9)


@pytest.mark.parametrize("rows", [9, 50, 101])
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_b11_any_blocks_give_the_same_results(block_rows, rows, penalty):
    random = np.random.RandomState(0)
    X = random.standard_normal((200, 4)) * [1, 10, 2, 1] + 5
    y = X @ [1, -1, 2, 0] + random.standard_normal(200)
    y[:5] += 30
    many = np.digitize(X[:, 0] + random.standard_normal(200), [4.5, 5.5])

    def results():
        line = ReinforcedLinearRegression(reinforcement_penalty=penalty).fit(X, y)
        axes = ReinforcedPCA(2, reinforcement_penalty=penalty).fit(X)
        two = ReinforcedLogisticRegression(reinforcement_penalty=penalty).fit(X, many > 0)
        three = ReinforcedLogisticRegression(reinforcement_penalty=penalty, C=10).fit(X, many)
        return [
            *(line.coef_, line.weights_, axes.components_, axes.noise_variance_, axes.weights_),
            *(two.coef_, two.weights_, three.coef_, three.weights_),
        ]

    whole = results()
    block_rows(rows)
    for ours, expected in zip(results(), whole, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-9, atol=1e-9)
