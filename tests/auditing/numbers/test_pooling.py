import numpy as np
import pytest
from scipy.optimize import nnls

from errata.auditing.numbers._finding import huber_weights, pool_predictions


def predictions(n=300, seed=0):
    random = np.random.default_rng(seed)
    truth = random.normal(size=n)
    return np.stack([truth + s * random.normal(size=n) for s in (0.3, 0.6, 2.0)]), truth


def test_without_a_bend_and_a_ridge_weights_are_those_of_least_squares():
    told, truth = predictions()
    weight = np.random.default_rng(1).uniform(0.1, 1, len(truth))
    found = huber_weights(told.T, truth, weight, delta=1e6, ridge=0)
    expected = nnls(np.sqrt(weight)[:, None] * told.T, np.sqrt(weight) * truth)[0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)


def test_wrong_targets_hardly_move_the_weights():
    told, truth = predictions(2000)
    noisy = truth.copy()
    noisy[:200] = 50
    random = np.random.default_rng(0)
    _, clean = pool_predictions(told, truth, np.ones(2000), random)
    _, moved = pool_predictions(told, noisy, np.ones(2000), random)
    # Least squares gives the best model a weight off by more than one.
    np.testing.assert_allclose(moved, clean, rtol=0, atol=0.25)


def test_no_weight_is_negative_and_rows_without_targets_are_pooled():
    told, truth = predictions()
    told[2] = -truth
    predicted, weights = pool_predictions(told, truth[:200], np.ones(200), np.random.default_rng(0))
    assert (weights >= 0).all()
    assert weights[2] == 0
    assert predicted.shape == (300,)
    center = truth[:200].mean()
    expected = center + weights @ (told - center)
    np.testing.assert_allclose(predicted, expected, rtol=1e-12)


def test_a_model_without_any_error_gets_all_the_weight():
    told, truth = predictions()
    told[1] = truth
    predicted, _ = pool_predictions(told, truth, np.ones(300), np.random.default_rng(0))
    np.testing.assert_allclose(predicted, truth, rtol=0, atol=1e-2)


@pytest.mark.parametrize("seed", range(5))
def test_beside_a_perfect_model_the_search_does_not_stop_at_others_that_come_near(seed):
    random = np.random.default_rng(seed)
    truth = random.normal(size=150)
    off = np.array([4e-4, 2e-3, 1.5e-2, 1.7e-2, 1.2e-2, 5e-13, 0.1])
    told = truth[:, None] + off * random.standard_t(2, size=(150, 7))
    found = huber_weights(told, truth, np.ones(150), delta=1e-3)
    assert np.abs(told @ found - truth).max() < 1e-4
