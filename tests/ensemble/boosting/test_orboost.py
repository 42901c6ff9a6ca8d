import numpy as np
import pytest
from sklearn.datasets import make_blobs

from errata.ensemble import DiscreteAdaBoostClassifier, ORBoostClassifier
from errata.ensemble.boosting._tempered import DroppingDistribution
from errata.noise import flip_labels


def noisy(n_classes=2, rate=0.03):
    X, y = make_blobs(200, centers=n_classes, cluster_std=1, random_state=3)
    return X, *flip_labels(y, rate, random_state=0)


def test_a_row_of_twice_the_mean_weight_is_dropped():
    # One of five rows is wrong: AdaBoost gives it 0.5, more than 2 / 5.
    distribution = DroppingDistribution(np.full(5, 0.2), np.zeros(5, int), 2.0)
    moved = distribution.after(np.array([1, 0, 0, 0, 0]), np.log(4))
    np.testing.assert_allclose(moved, [0, *[0.25] * 4], rtol=0, atol=1e-12)
    again = distribution.after(np.array([1, 1, 0, 0, 0]), np.log(4))  # it does not come back
    np.testing.assert_allclose(again, [0, 0, *[1 / 3] * 3], rtol=0, atol=1e-12)
    assert distribution.dropped.tolist() == [True, True, False, False, False]


def test_no_class_is_dropped_as_a_whole():
    distribution = DroppingDistribution(np.full(5, 0.2), np.array([1, 0, 0, 0, 0]), 2.0)
    assert distribution.after(np.zeros(5, int), np.log(4)) is None
    assert not distribution.dropped.any()
    X, y = np.zeros((6, 1)), np.array([0, 0, 0, 0, 0, 1])
    X[2, 0] = 1  # so that the one row of class 1 can only be voted down
    assert ORBoostClassifier(weight_cap=1).fit(X, y).dropped_.sum() == 0


def test_without_a_cap_it_is_adaboost():
    X, labels, _ = noisy()
    model = ORBoostClassifier(weight_cap=np.inf).fit(X, labels, np.arange(200) % 3)
    plain = DiscreteAdaBoostClassifier(n_estimators=50).fit(X, labels, np.arange(200) % 3)
    np.testing.assert_allclose(
        model.decision_function(X), plain.decision_function(X), rtol=0, atol=1e-12
    )
    assert not model.flagged_.any()
    weights = [list(m.staged_data_weights(X, labels, np.arange(200) % 3)) for m in (model, plain)]
    np.testing.assert_allclose(*weights, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_dropped_rows_are_flagged_and_mostly_wrong(n_classes):
    X, labels, flipped = noisy(n_classes)
    model = ORBoostClassifier().fit(X, labels)
    np.testing.assert_array_equal(model.flagged_, model.dropped_)
    assert model.dropped_.sum() >= 4
    assert flipped[model.dropped_].mean() > 0.8
    *_, last = model.staged_data_weights(X, labels)
    assert set(np.flatnonzero(last == 0)) <= set(np.flatnonzero(model.dropped_))
    other = ORBoostClassifier(contamination=0.1).fit(X, labels)
    np.testing.assert_array_equal(other.dropped_, model.dropped_)
    assert other.flagged_.sum() == 20


def test_rows_without_weight_are_not_dropped_and_weights_are_repetitions():
    X, labels, _ = noisy()
    counts = np.arange(200) % 3
    weighted = ORBoostClassifier(weight_cap=5).fit(X, labels, counts)
    repeated = ORBoostClassifier(weight_cap=5).fit(
        np.repeat(X, counts, axis=0), np.repeat(labels, counts)
    )
    assert weighted.dropped_.any()
    np.testing.assert_array_equal(np.repeat(weighted.dropped_, counts), repeated.dropped_)
    assert not weighted.dropped_[counts == 0].any()


@pytest.mark.parametrize("cap", [0.5, "10", None])
def test_a_cap_is_a_number_of_at_least_one(cap):
    with pytest.raises(ValueError, match=r"weight_cap=.* must be a number between 1 and inf"):
        ORBoostClassifier(weight_cap=cap).fit([[0], [1]], [0, 1])
