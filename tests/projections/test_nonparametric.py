import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from errata.datasets import make_xor
from errata.projections import (
    LinearDiscriminantProjection,
    NonparametricDiscriminantProjection,
    NonparametricWeightedProjection,
    _linear,
)
from strategies import seeds


def cloud(seed, n=18, n_classes=3, d=3):
    random = np.random.RandomState(seed)
    return random.normal(size=(n, d)), np.append(np.arange(n_classes), np.arange(n - n_classes) % 2)


def slow_nda_between(X, y, k, power):
    """Fukunaga and Mantock's matrix, row by row."""
    S = np.zeros((X.shape[1],) * 2)
    for row, (x, own) in enumerate(zip(X, y, strict=True)):
        peers = np.sort(np.linalg.norm(np.delete(X, row, 0)[np.delete(y, row) == own] - x, axis=1))
        for other in set(y) - {own}:
            among = X[y == other]
            near = np.argsort(np.linalg.norm(among - x, axis=1))[:k]
            b = np.linalg.norm(among[near[-1]] - x) ** power
            a = peers[:k][-1] ** power if len(peers) else b
            difference = x - among[near].mean(axis=0)
            S += min(a, b) / (a + b) * np.outer(difference, difference) / len(X)
    return S


def slow_local_mean(x, others):
    weight = 1 / np.linalg.norm(others - x, axis=1)
    return weight @ others / weight.sum()


def slow_nwfe(X, y):
    """Kuo and Landgrebe's two matrices, class by class and row by row."""
    scatters = np.zeros((2, X.shape[1], X.shape[1]))
    for i in set(y):
        rows = X[y == i]
        for j in set(y):
            others = X[y == j]
            if i == j and len(rows) == 1:
                continue
            means = [
                slow_local_mean(x, np.delete(others, r, 0) if i == j else others)
                for r, x in enumerate(rows)
            ]
            differences = rows - means
            weight = 1 / np.linalg.norm(differences, axis=1)
            for w, difference in zip(weight / weight.sum(), differences, strict=True):
                scatters[int(i == j)] += w * np.outer(difference, difference) / len(X)
    return scatters


@given(seeds, st.integers(1, 4), st.sampled_from([0.0, 1.0, 2.0]))
def test_nda_is_the_published_sum(seed, k, power):
    X, y = cloud(seed)
    between, _ = NonparametricDiscriminantProjection(n_neighbors=k, power=power)._scatters(X, y)
    assert_allclose(between, slow_nda_between(X, y, k, power), rtol=1e-9, atol=1e-12)


@given(seeds)
def test_nwfe_is_the_published_sum(seed):
    X, y = cloud(seed)
    between, within = NonparametricWeightedProjection(diagonal=0)._scatters(X, y)
    slow_between, slow_within = slow_nwfe(X, y)
    assert_allclose(between, slow_between, rtol=1e-7, atol=1e-10)
    assert_allclose(within, slow_within, rtol=1e-7, atol=1e-10)


def test_nwfe_in_blocks_is_the_same(monkeypatch):
    X, y = cloud(0, n=50)
    whole = NonparametricWeightedProjection()._scatters(X, y)
    monkeypatch.setattr(_linear, "_BLOCK", 100)
    assert_allclose(NonparametricWeightedProjection()._scatters(X, y), whole, atol=1e-12)


def test_nwfe_moves_towards_its_diagonal():
    X, y = cloud(0)
    plain = NonparametricWeightedProjection(diagonal=0)._scatters(X, y)[1]
    half = NonparametricWeightedProjection()._scatters(X, y)[1]
    assert_allclose(half, (plain + np.diag(np.diag(plain))) / 2, atol=1e-12)


def test_all_neighbours_and_no_weights_make_nda_of_two_classes_linear():
    X, y = make_xor(100, random_state=0)
    X = X + 3 * y[:, None]  # means apart, so that there is a direction to find
    nda = NonparametricDiscriminantProjection(1, n_neighbors=100, power=0).fit(X, y)
    lda = LinearDiscriminantProjection(1).fit(X, y)
    a, b = nda.components_[0], lda.components_[0]
    assert abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b) > 0.95


@pytest.mark.parametrize(
    "projection", [NonparametricDiscriminantProjection(), NonparametricWeightedProjection()]
)
def test_duplicates_lone_rows_and_many_features_are_no_trouble(projection):
    random = np.random.RandomState(0)
    X = random.normal(size=(8, 12))[[0, 0, 1, 2, 3, 3, 4, 5]]
    Z = projection.fit(X, [0, 1, 0, 1, 0, 0, 1, 2]).transform(X)
    assert np.all(np.isfinite(Z))
    assert Z.shape[1] > 2  # more than classes less one


def test_neighbours_and_power_are_checked():
    with pytest.raises(ValueError, match="n_neighbors=0 must be a whole number"):
        NonparametricDiscriminantProjection(n_neighbors=0).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="power=-1 must be a number"):
        NonparametricDiscriminantProjection(power=-1).fit([[0.0], [1.0]], [0, 1])
