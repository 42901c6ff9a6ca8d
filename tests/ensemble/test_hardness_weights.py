import numpy as np
import pytest
from sklearn.preprocessing import scale

from errata.datasets import make_twonorm
from errata.ensemble import (
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
    RobustBoostClassifier,
    selection_probabilities,
)
from errata.ensemble._bags import measure_hardness
from errata.hardness import InstanceHardness, NeighborDisagreement, k_disagreeing_neighbors
from errata.noise import flip_labels

BOOSTERS = [
    DiscreteAdaBoostClassifier,
    LogitBoostClassifier,
    GentleBoostClassifier,
    RobustBoostClassifier,
]


def noisy_twonorm(n=200, level=0.2, seed=0):
    X, y = make_twonorm(n, random_state=seed)
    return X, *flip_labels(y, level, random_state=seed)


def measured(hardness, X, y, **options):
    classes, codes = np.unique(y, return_inverse=True)
    return measure_hardness(
        hardness, X, codes, classes, random=np.random.RandomState(0), **options
    )[0]


def test_hardness_comes_from_neighbours_a_detector_or_a_function():
    X, y, _ = noisy_twonorm()
    by_neighbours = k_disagreeing_neighbors(X, y, 3)
    np.testing.assert_array_equal(measured("kdn", X, y, n_neighbors=3), by_neighbours)
    np.testing.assert_array_equal(
        measured(NeighborDisagreement(n_neighbors=3), X, y), by_neighbours
    )
    np.testing.assert_array_equal(measured(lambda X, y: y == y[0], X, y), y == y[0])
    assert measured(InstanceHardness(), X, y).min() >= 0


@pytest.mark.parametrize(
    ("hardness", "sentence"),
    [
        ("neighbours", "hardness='neighbours' is not known; choose from kdn"),
        (lambda X, y: y[:3], "hardness must be one number per row, 200"),
        (lambda X, y: 2.0 * np.ones(len(y)), "hardness must lie between 0 and 1"),
    ],
)
def test_what_is_no_hardness_gets_a_sentence(hardness, sentence):
    X, y, _ = noisy_twonorm()
    with pytest.raises(ValueError, match=sentence):
        DiscreteAdaBoostClassifier(n_estimators=2, hardness=hardness).fit(X, y)


@pytest.mark.parametrize("booster", BOOSTERS)
def test_a_booster_with_hardness_starts_from_selection_probabilities(booster):
    X, y, _ = noisy_twonorm()
    p = selection_probabilities(k_disagreeing_neighbors(X, y, 5))
    eased = booster(n_estimators=10, hardness="kdn").fit(X, y)
    told = booster(n_estimators=10).fit(X, y, sample_weight=p)
    np.testing.assert_allclose(eased.start_weights_, p, rtol=1e-12)
    np.testing.assert_allclose(eased.decision_function(X), told.decision_function(X), rtol=1e-9)
    first = next(eased.staged_data_weights(X, y, eased.start_weights_))
    if booster is DiscreteAdaBoostClassifier:
        np.testing.assert_allclose(first, p, rtol=1e-12)


@pytest.mark.parametrize("booster", [DiscreteAdaBoostClassifier, GentleBoostClassifier])
def test_starting_from_hardness_helps_under_noise(booster):
    gains = []
    for seed in range(4):
        X, y, _ = noisy_twonorm(seed=seed)
        X_test, y_test = make_twonorm(2000, random_state=100 + seed)
        X, X_test = scale(X), scale(X_test)
        plain, eased = booster().fit(X, y), booster(hardness="kdn").fit(X, y)
        gains.append(eased.score(X_test, y_test) - plain.score(X_test, y_test))
    assert np.mean(gains) > 0.01
