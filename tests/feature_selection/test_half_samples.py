import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator

from errata.feature_selection._path_display import draw_halves, score_halves


class Means(BaseEstimator):
    """A selector whose score of size m is the mean of column m, with two sizes."""

    def __init__(self, progress=None):
        self.progress = progress

    def fit(self, X, y):
        assert self.progress is None
        X = np.asarray(X)
        assert len(np.unique(X[:, 0])) == len(X) == len(y)
        self.scores_ = {1: X[:, 0].mean(), 2: X[:, 1].mean()}
        return self


class ClassMeans(Means):
    """The same for two classes, of which a sample must have as many rows."""

    def fit(self, X, y):
        self.classes_, sizes = np.unique(y, return_counts=True)
        assert sizes[0] == sizes[1]
        return super().fit(X, y)


def test_halves_spread_as_new_samples_would():
    X = np.random.RandomState(0).normal(scale=[1, 3], size=(200, 2))
    halves = score_halves(
        Means(progress=print), X, X[:, 0], [1, 2], 1000, random_state=0, n_jobs=None
    )
    # The deviation of 1000 numbers is known to 1 / sqrt(2000) = 2 %.
    truth = X.std(axis=0, ddof=1) / np.sqrt(200)
    np.testing.assert_allclose(halves.std(axis=0, ddof=1), truth, rtol=0.08)


def test_sizes_that_a_search_did_not_come_to_are_missing():
    X = np.arange(12.0).reshape(6, 2)
    halves = score_halves(Means(), X, X[:, 0], [2, 7], 3, random_state=0, n_jobs=None)
    assert np.isfinite(halves[:, 0]).all()
    assert np.isnan(halves[:, 1]).all()


def test_classes_keep_their_shares():
    y = np.repeat(["often", "rarely", "thrice", "once"], [20, 8, 3, 1])
    for rows in draw_halves(y, 10, random_state=0):
        assert len(set(rows)) == len(rows)
        drawn = dict(zip(*np.unique(y[rows], return_counts=True), strict=True))
        assert drawn == {"often": 10, "rarely": 4, "thrice": 2, "once": 1}


@pytest.mark.parametrize("table", [np.asarray, "DataFrame"])
def test_halves_of_classes_repeat_with_their_seed(table):
    if table == "DataFrame":
        table = pytest.importorskip("pandas", reason="pandas is not installed").DataFrame
    X, y = np.random.RandomState(0).normal(size=(32, 2)), np.repeat(["a", "b"], 16)
    selector = ClassMeans().fit(X, y)
    halves = score_halves(selector, table(X), y, [1], 4, random_state=0, n_jobs=None)
    with parallel_config("threading"):  # processes take long to start
        again = score_halves(selector, table(X), y, [1], 4, random_state=0, n_jobs=2)
    np.testing.assert_array_equal(halves, again)
    assert len(np.unique(halves)) == 4
