import numpy as np
import pytest
from scipy.stats import norm, t

from errata.auditing.numbers._noise_model import (
    LocalScales,
    ScaleHypotheses,
    TargetNoise,
    average_hypotheses,
    compute_posterior,
    log_error_densities,
)
from errata.auditing.numbers._settings import TARGET_RATES
from errata.metrics import expected_calibration_error


def test_one_hypothesis_gives_the_ratio_of_densities():
    z = np.linspace(-9, 9, 25)
    noise = TargetNoise(6.0, 1.2, 0.1, np.array([0.25, 0.75]))
    swap = np.log(0.05) * np.ones(25)
    weights = np.zeros((1, len(TARGET_RATES)))
    weights[0, 30] = 1
    rate = TARGET_RATES[30]
    densities = log_error_densities(z, np.array([12.0]), swap)
    rows = average_hypotheses(ScaleHypotheses([noise], weights), z, densities, np.full(25, 2.0))
    wrong = rate * (0.25 * norm.pdf(z, scale=12) + 0.75 * 0.05)
    right = (1 - rate) * t.pdf(z, 6, scale=1.2)
    np.testing.assert_allclose(rows.p_wrong, wrong / (wrong + right), rtol=1e-9)
    np.testing.assert_allclose(rows.suspicion, np.log(wrong / right), rtol=1e-9)
    np.testing.assert_allclose(rows.swap_share, rate * 0.75 * 0.05 / wrong, rtol=1e-9)
    either = np.log((wrong + right) / 2)  # a residual is two z
    np.testing.assert_allclose(rows.log_density, either, rtol=1e-9)
    np.testing.assert_allclose(rows.spread, 2.4, rtol=1e-12)
    np.testing.assert_allclose(rows.reach, 2.4 * t.ppf(0.95, 6), rtol=1e-12)


def test_residuals_drawn_from_the_model_are_judged_right():
    random = np.random.default_rng(0)
    wrong = random.random(4000) < 0.1
    z = np.where(wrong, 8 * random.normal(size=4000), random.standard_t(10, size=4000))
    every = np.ones(4000, dtype=bool)
    scales = LocalScales(np.ones(4000), np.ones(4000), 0.0)
    targets = 20 * random.normal(size=4000)
    found = compute_posterior(z, targets, scales, every, every, random)
    p_wrong = found.p_wrong
    assert p_wrong.mean() == pytest.approx(wrong.mean(), abs=0.03)
    assert expected_calibration_error(wrong, p_wrong) < 0.03
    for hypotheses in found.hypotheses:
        assert hypotheses.weights.sum() == pytest.approx(1)


def test_suspicion_goes_on_where_probability_has_reached_one():
    random = np.random.default_rng(0)
    z = np.r_[random.normal(size=300), 100.0, 1e4, 1e8]
    every, one = np.ones(303, dtype=bool), np.ones(303)
    scales = LocalScales(one, one, 0.0)
    rows = compute_posterior(z, z, scales, every, every, random)
    assert rows.p_wrong[300:].min() > 0.999
    assert np.all(np.diff(rows.suspicion[300:]) > 1)


@pytest.mark.parametrize("tail", [np.inf, 4])
def test_right_residuals_alone_leave_it_open_whether_any_is_wrong(tail):
    random = np.random.default_rng(0)
    z = random.normal(size=500) if tail == np.inf else random.standard_t(tail, size=500)
    scales, every = LocalScales(np.ones(500), np.ones(500), 0.0), np.ones(500, dtype=bool)
    found = compute_posterior(z, 10 * random.normal(size=500), scales, every, every, random)
    assert max(hypotheses.p_errors for hypotheses in found.hypotheses) < 0.5
    z[:3] = 30
    found = compute_posterior(z, 10 * random.normal(size=500), scales, every, every, random)
    assert min(hypotheses.p_errors for hypotheses in found.hypotheses) > 0.99
    assert found.p_wrong[:3].min() > 0.9


def test_targets_that_are_known_do_not_speak_for_noise():
    random = np.random.default_rng(0)
    z = np.r_[random.normal(size=400), 10 * random.normal(size=100)]
    one, every = np.ones(500), np.ones(500, dtype=bool)
    scales = LocalScales(one, one, 0.0)
    doubtful = np.arange(500) < 400
    found = compute_posterior(z, 30 * z, scales, every, doubtful, random)
    all_of_them = compute_posterior(z, 30 * z, scales, every, every, random)
    rate = [p.hypotheses[0].weights.sum(axis=0) @ TARGET_RATES for p in (found, all_of_them)]
    assert rate[0] < 0.02 < 0.1 < rate[1]
