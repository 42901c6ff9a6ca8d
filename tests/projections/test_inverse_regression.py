import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from errata.projections import (
    LinearDiscriminantProjection,
    PrincipalHessianDirections,
    SlicedAverageVariance,
    SlicedInverseRegression,
)

ALL = [SlicedInverseRegression, SlicedAverageVariance, PrincipalHessianDirections]


def unit(v):
    return v / np.linalg.norm(v)


def wide_and_narrow(seed=0, n=600):
    """Two classes around one mean; one is three times as wide along (1, 1, 0, 0)."""
    random = np.random.RandomState(seed)
    y = np.arange(n) % 2
    X = random.normal(size=(n, 4))
    along = np.array([1, 1, 0, 0]) / np.sqrt(2)
    return X + np.outer(2 * y * (X @ along), along), y, along


def test_inverse_regression_spans_the_linear_discriminants():
    X, y = load_iris(return_X_y=True)
    sir = SlicedInverseRegression(shrinkage=0).fit(X, y).components_
    lda = LinearDiscriminantProjection(shrinkage=0).fit(X, y).components_
    for ours, theirs in zip(sir, lda, strict=True):
        assert abs(unit(ours) @ unit(theirs)) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("projection", ALL)
def test_projected_rows_are_white(projection):
    X, y = load_iris(return_X_y=True)
    Z = projection(shrinkage=0).fit_transform(X, y)
    assert_allclose(np.cov(Z.T, bias=True), np.eye(Z.shape[1]), atol=1e-8)


@pytest.mark.parametrize("projection", [SlicedAverageVariance, PrincipalHessianDirections])
def test_a_class_that_is_wider_is_found_where_means_say_nothing(projection):
    X, y, along = wide_and_narrow()
    first = projection(n_components=1).fit(X, y).components_[0]
    assert abs(unit(first) @ along) > 0.97
    assert projection().fit(X, y).components_.shape == (4, 4)


def test_hessian_directions_of_two_classes_are_ordered_by_absolute_eigenvalue():
    X, y, _ = wide_and_narrow()
    Z = X - X.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(Z.T, bias=True))
    Z = Z @ vectors / np.sqrt(values) @ vectors.T
    H = (Z * (y - y.mean())[:, None]).T @ Z / len(Z)
    expected = np.sort(np.abs(np.linalg.eigvalsh(H)))[::-1]
    found = PrincipalHessianDirections(shrinkage=0).fit(X, y).eigenvalues_
    assert_allclose(np.sqrt(found / 2), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("projection", ALL)
def test_fewer_rows_than_features_give_finite_rows_of_some_spread(projection):
    random = np.random.RandomState(0)
    X = random.normal(size=(9, 30))
    Z = projection().fit_transform(X, np.arange(9) % 3)
    assert np.all(np.isfinite(Z))
    assert np.all(Z.std(axis=0) > 1e-6)
    assert len(projection().fit(np.ones((4, 2)), [0, 0, 1, 1]).components_) == 1


def test_average_variance_does_not_prefer_directions_in_which_no_row_varies():
    X, y, along = wide_and_narrow()
    X = np.hstack([X, np.zeros((len(X), 2))])
    first = SlicedAverageVariance(n_components=1).fit(X, y).components_[0]
    assert abs(unit(first)[:4] @ along) > 0.97


def test_average_variance_weighs_classes_by_their_share():
    # Rows (±√u, ±√v), so that all means are 0 and spreads are u and v; the classes have 8, 4 and
    # 4 rows, in all both spreads are 1. Then Σ_k p_k (1 - u_k)² is 9/64 for the first axis and
    # (1/4 + 1/4) / 4 = 1/8 for the second. With classes alike it would be 9/64 and 1/6.
    signs = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    spreads = [[5 / 8, 1], [5 / 8, 1], [11 / 8, 1 / 2], [11 / 8, 3 / 2]]
    X = np.vstack([signs * np.sqrt(spread) for spread in spreads])
    found = SlicedAverageVariance(shrinkage=0).fit(X, np.repeat([0, 0, 1, 2], 4))
    assert_allclose(found.eigenvalues_, [9 / 64, 1 / 8], rtol=1e-9)
    assert_allclose(np.abs(found.components_), np.eye(2), atol=1e-9)
