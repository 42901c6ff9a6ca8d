import numpy as np
import pytest

from errata.auditing.numbers._models import TargetData, robust_scale
from errata.auditing.numbers._noise_model import LocalScales, fit_local_scales
from errata.auditing.numbers._settings import LEAST_TOLD_SKEW
from strategies import SEEDS


def scales_of(residuals, X, seed):
    random = np.random.default_rng(seed + 100)
    pooled = random.normal(size=len(X))
    told = pooled + 0.1 * random.normal(size=(3, len(X)))
    data = TargetData(X, residuals, random_state=seed)
    return fit_local_scales(data, told, pooled, residuals, np.ones(len(X)))


@pytest.mark.parametrize("seed", SEEDS)
def test_noise_that_is_wider_in_half_of_the_rows_is_seen(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(600, 5))
    wide = X[:, 0] > 0
    found = scales_of(random.normal(size=600) * np.where(wide, 3.0, 1.0), X, seed)
    assert 0.5 < found.power < 2  # sizes are believed about as they are predicted
    assert np.median(found.whole[wide]) / np.median(found.whole[~wide]) > 1.6
    assert np.median(found.half[wide]) / np.median(found.half[~wide]) > 1.2


@pytest.mark.parametrize("seed", SEEDS)
def test_even_noise_has_one_scale(seed):
    random = np.random.default_rng(seed)
    found = scales_of(random.normal(size=600), random.normal(size=(600, 5)), seed)
    assert np.log(found.half).std() < 0.1


def test_residuals_over_either_scale_have_a_robust_scale_of_one():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    residuals = random.normal(size=300) * np.exp(X[:, 0])
    found = scales_of(residuals, X, 0)
    for scale in (found.whole, found.half):
        np.testing.assert_allclose(robust_scale(residuals / scale), 1, rtol=1e-6)


def test_an_error_does_not_widen_its_own_scale():
    # What is learnt from is clipped and out of bag, so one size of error is like another.
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    residuals = random.normal(size=300)
    scales = []
    for error in (5.0, 500.0):
        residuals[3] = error
        scales.append(scales_of(residuals.copy(), X, 0).whole[3])
    np.testing.assert_allclose(scales[0], scales[1], rtol=0.02)


@pytest.mark.parametrize("side", [1, -1])
def test_the_skew_of_most_residuals_is_seen_and_errors_are_not(side):
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 3))
    waiting = random.exponential(size=600)
    found = scales_of(side * (waiting - np.median(waiting)), X, 0)
    assert side * found.skew > LEAST_TOLD_SKEW
    residuals = np.random.default_rng(1).normal(size=600)
    assert scales_of(residuals, X, 0).skew == 0
    residuals[:60] = side * random.uniform(5, 10, size=60)
    assert scales_of(residuals, X, 0).skew == 0


@pytest.mark.parametrize(("n", "told"), [(60, False), (600, True)])
def test_a_skew_that_may_be_chance_in_few_rows_is_none(n, told):
    # Quantiles of exponential noise: the same skew of about 0.27 in both.
    random = np.random.default_rng(0)
    waiting = -np.log(1 - (np.arange(n) + 0.5) / n)
    residuals = random.permutation(waiting - np.log(2))
    assert (scales_of(residuals, random.normal(size=(n, 3)), 0).skew > 0) == told


def test_a_skewed_scale_is_wider_on_one_side():
    scales = LocalScales(np.full(3, 2.0), np.ones(3), 0.0, 0.5)
    found = scales.skewed(np.array([-1.0, 4.0]))  # the third row has no target
    np.testing.assert_allclose(found.whole, [2 * np.exp(-0.5), 2 * np.exp(0.5), 2], rtol=1e-12)
    np.testing.assert_allclose(found.half, found.whole / 2, rtol=1e-12)
