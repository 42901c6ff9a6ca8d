import numpy as np
from numpy.testing import assert_allclose
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_wine

from errata.projections import PartialLeastSquaresProjection


def test_it_is_scikit_learns_towards_indicators():
    X, y = load_wine(return_X_y=True)
    names = np.array(["red", "white", "rosé"])[y]
    theirs = PLSRegression(3).fit(X, names[:, None] == np.unique(names)).transform(X)
    assert_allclose(PartialLeastSquaresProjection(3).fit_transform(X, names), theirs, atol=1e-9)


def test_no_more_directions_than_rows_allow_and_ten_unless_asked():
    random = np.random.RandomState(0)
    X, y = random.normal(size=(30, 20)), np.arange(30) % 2
    assert PartialLeastSquaresProjection().fit_transform(X, y).shape == (30, 10)
    assert PartialLeastSquaresProjection(15).fit_transform(X, y).shape == (30, 15)
    assert PartialLeastSquaresProjection(15).fit_transform(X[:4], y[:4]).shape == (4, 3)


def test_labels_explained_in_full_are_no_trouble():
    X = np.array([[0.0, 1.0], [0.0, 2.0], [1.0, 1.0], [1.0, 2.0]])
    assert np.all(np.isfinite(PartialLeastSquaresProjection().fit_transform(X, [0, 0, 1, 1])))
