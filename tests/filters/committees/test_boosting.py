import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine, make_blobs
from sklearn.tree import DecisionTreeClassifier

from errata._detector import find_favourite_other
from errata.datasets import make_twonorm
from errata.filters import BoostEdgeFilter, BoostWeightFilter
from errata.filters.committees._boosting import add_rounds
from errata.noise import flip_labels

STUMP = DecisionTreeClassifier(max_depth=2, random_state=0)


def naive(X, y, n_estimators=15):
    """AdaBoost as it is written down, with scikit-learn's trees: edge, total, weights."""
    n, n_classes = len(y), len(np.unique(y))
    weights, edge, total = np.full(n, 1 / n), np.zeros(n), 0.0
    for _ in range(n_estimators):
        tree = clone(STUMP).fit(X, y, sample_weight=n * weights)
        wrong = tree.predict(X) != y
        error = weights[wrong].sum()
        if error <= 0 or error >= 1 - 1 / n_classes:
            break
        a = np.log((1 - error) / error) + np.log(n_classes - 1)
        edge, total = edge + a * wrong, total + a
        weights = weights * np.exp(a * wrong)
        weights /= weights.sum()
    return edge, total, weights


def three_classes(n, random_state):
    return make_blobs(n, 6, centers=3, cluster_std=8.0, random_state=random_state)


def noisy(make=make_twonorm, n=600):
    X, y = make(n, random_state=0)
    return X, *flip_labels(y, 0.1, random_state=0)


def test_the_edge_of_a_row_that_is_wrong_in_rounds_one_and_three():
    right, wrong = np.array([1]), np.array([0])
    sums = add_rounds([(wrong, 1.0), (right, 0.5), (wrong, 0.25)], np.array([1]), 2)
    np.testing.assert_allclose(sums.wrong / sums.total, 0.714286, rtol=0, atol=1e-6)
    np.testing.assert_allclose(sums.towards, [[1.25, 0.5]])


@pytest.mark.parametrize("estimator", [None, STUMP], ids=["compiled", "scikit-learn"])
@pytest.mark.parametrize("make", [make_twonorm, three_classes])
def test_the_loop_is_the_one_that_is_written_down(make, estimator):
    X, y, _ = noisy(make)
    edge, total, weights = naive(X, y)
    found = BoostEdgeFilter(estimator).fit(X, y)
    relative = len(y) * weights
    by_weight = BoostWeightFilter(estimator).fit(X, y)
    np.testing.assert_allclose(found.suspicion_, edge / total, rtol=0, atol=1e-9)
    np.testing.assert_allclose(by_weight.suspicion_, relative / (1 + relative), rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", [BoostEdgeFilter, BoostWeightFilter])
def test_a_twentieth_at_most_is_flagged_and_only_what_some_round_got_wrong(kind):
    X, y, _ = noisy()
    filter_ = kind().fit(X, y)
    assert filter_.flagged_.sum() == 30
    assert filter_.suspicion_[filter_.flagged_].min() >= filter_.suspicion_[~filter_.flagged_].max()
    # One wrong label in two clusters: more would be allowed, one is found.
    X, y = np.r_[np.zeros(30), np.ones(30)][:, None], np.repeat([0, 1], 30)
    X = X * 10 + np.random.RandomState(0).normal(size=(60, 1))
    y[5] = 1
    few = kind(n_estimators=1).fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(few.flagged_), [5])
    assert kind(n_estimators=1, contamination=0.05).fit(X, y).flagged_.sum() == 3


def test_both_order_the_rows_alike():
    X, y, _ = noisy()
    edge, weight = (kind().fit(X, y).suspicion_ for kind in (BoostEdgeFilter, BoostWeightFilter))
    order = np.argsort(edge, kind="stable")
    assert (np.diff(weight[order]) >= -1e-12).all()


def test_no_better_than_guessing_suspects_nobody():
    X, y = np.ones((20, 1)), np.repeat([0, 1], 10)
    for kind in (BoostEdgeFilter, BoostWeightFilter):
        filter_ = kind().fit(X, y)
        np.testing.assert_array_equal(filter_.suspicion_, 0.0)
        assert not filter_.flagged_.any()


def test_the_class_that_the_rounds_like_best_is_suggested():
    X, truth = load_wine(return_X_y=True)
    y, flipped = flip_labels(truth, 0.1, random_state=0)
    filter_ = BoostEdgeFilter().fit(X, y)
    assert (filter_.suggested_ != y)[filter_.flagged_].all()
    found = filter_.flagged_ & flipped
    assert found.sum() >= 5
    assert (filter_.suggested_ == truth)[found].all()


def test_no_class_is_suggested_that_no_round_names():
    sums = add_rounds([(np.array([0, 2]), 1.0), (np.array([0, 1]), 0.5)], np.array([0, 1]), 3)
    np.testing.assert_array_equal(find_favourite_other(sums.towards, np.array([0, 1])), [0, 2])


def test_wrong_parameters_are_named():
    X, y, _ = noisy()
    with pytest.raises(ValueError, match="n_estimators=0 must be a whole number at least 1"):
        BoostEdgeFilter(n_estimators=0).fit(X, y)
