import numpy as np
import pytest

from errata.ensemble import (
    AveBoostClassifier,
    DiscreteAdaBoostClassifier,
    MadaBoostClassifier,
    ORBoostClassifier,
)
from errata.ensemble.boosting._adaboost import Distribution, compute_samme_weight

VOTING = [
    DiscreteAdaBoostClassifier,
    MadaBoostClassifier,
    AveBoostClassifier,
    ORBoostClassifier,
]


def test_coefficients_of_samme():
    alphas = [compute_samme_weight(error, 3) for error in (0.1, 0.5, 2 / 3)]
    np.testing.assert_allclose(alphas, [2.890372, 0.693147, 0], rtol=0, atol=1e-6)
    assert compute_samme_weight(0.2, 2) == pytest.approx(0.5 * np.log(4), abs=1e-15)


def test_adaboost_gives_a_wrong_row_half_the_weight():
    # One of five rows is wrong: e = 0.2, a = log 4.
    step = 2 * compute_samme_weight(0.2, 2)
    assert step == pytest.approx(1.386294, abs=1e-6)
    moved = Distribution(np.full(5, 0.2), np.zeros(5, int)).after(np.array([1, 0, 0, 0, 0]), step)
    np.testing.assert_allclose(moved, [0.5, *[0.125] * 4], rtol=0, atol=1e-12)


def test_a_row_without_weight_never_gets_any():
    distribution = Distribution(np.array([0.0, 0.5, 0.5]), np.zeros(3, int))
    moved = distribution.after(np.array([1, 1, 0]), np.log(3))
    np.testing.assert_allclose(moved, [0, 0.75, 0.25], rtol=0, atol=1e-12)


@pytest.mark.parametrize("booster", VOTING)
def test_the_first_round_is_the_same_for_all(booster):
    X, y = np.arange(10.0)[:, None], np.array([1, 1, 1, 0, 0, 0, 1, 1, 1, 0])
    model = booster(n_estimators=3).fit(X, y)
    assert model.estimator_errors_[0] == pytest.approx(0.3, abs=1e-12)
    assert model._terms[0].estimator.thresholds[0] == 2.5
