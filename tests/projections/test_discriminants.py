import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.preprocessing import scale

from errata.projections import HybridDiscriminantProjection, LinearDiscriminantProjection
from strategies import seeds


def up_to_sign(Z):
    return Z * np.sign(Z[np.abs(Z).argmax(axis=0), np.arange(Z.shape[1])])


def standard(Z):
    return up_to_sign(Z / Z.std(axis=0))


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("shrinkage", [0, 1e-3, 0.5])
def test_linear_discriminants_are_those_of_scikit_learn(load, shrinkage):
    X, y = load(return_X_y=True)
    X = scale(X)
    theirs = LinearDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage).fit(X, y).transform(X)
    ours = LinearDiscriminantProjection(shrinkage=shrinkage).fit_transform(X, y)
    assert_allclose(standard(ours), standard(theirs), rtol=1e-6, atol=1e-6)


@given(seeds, st.integers(2, 4), st.integers(2, 6))
def test_and_so_on_any_clouds(seed, n_classes, d):
    random = np.random.RandomState(seed)
    y = np.arange(40) % n_classes
    X = random.normal(size=(40, d)) + random.normal(scale=2, size=(n_classes, d))[y]
    X -= X.mean(axis=0)  # theirs does not centre with this solver
    theirs = LinearDiscriminantAnalysis(solver="eigen", shrinkage=1e-3).fit(X, y).transform(X)
    ours = LinearDiscriminantProjection().fit_transform(X, y)
    assert ours.shape == theirs.shape
    assert_allclose(standard(ours), standard(theirs), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("shrinkage", [0, 1e-3])
def test_hybrid_ends_are_linear_discriminants_and_principal_components(shrinkage):
    X, y = load_iris(return_X_y=True)
    lda = LinearDiscriminantProjection(shrinkage=shrinkage).fit_transform(X, y)
    hybrid = HybridDiscriminantProjection(principal=0, sphere=0, shrinkage=shrinkage)
    assert_allclose(hybrid.fit_transform(X, y), lda, atol=1e-8)
    hybrid.set_params(principal=1, sphere=1)
    pca = PCA().fit_transform(X)
    assert_allclose(up_to_sign(hybrid.fit_transform(X, y)), up_to_sign(pca), atol=1e-8)


def test_no_more_directions_than_classes_less_one_however_many_are_asked_for():
    X, y = load_iris(return_X_y=True)
    assert LinearDiscriminantProjection(n_components=4).fit_transform(X, y).shape == (150, 2)
    assert LinearDiscriminantProjection().fit_transform(X[:100], y[:100]).shape == (100, 1)
    assert HybridDiscriminantProjection().fit_transform(X[:100], y[:100]).shape == (100, 4)


def test_fewer_rows_than_features_and_classes_without_scatter_are_no_trouble():
    random = np.random.RandomState(0)
    X, y = random.normal(size=(6, 20)), np.array([0, 0, 0, 1, 1, 1])
    Z = LinearDiscriminantProjection().fit_transform(X, y)
    assert Z[y == 0].max() < Z[y == 1].min() or Z[y == 0].min() > Z[y == 1].max()
    assert np.ptp(LinearDiscriminantProjection().fit_transform(X[[0, 0, 3, 3]], y[1:5])) > 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 0}, "n_components=0 must be a whole number at least 1"),
        ({"shrinkage": 2}, "shrinkage=2 must be a number between 0 and 1"),
        ({"principal": -1}, "principal=-1 must be a number between 0 and 1"),
        ({"sphere": "all"}, "sphere='all' must be a number between 0 and 1"),
    ],
)
def test_parameters_that_make_no_sense_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        HybridDiscriminantProjection(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_one_class_cannot_be_told_apart():
    with pytest.raises(ValueError, match="y holds one class only"):
        LinearDiscriminantProjection().fit([[0.0], [1.0]], ["a", "a"])
