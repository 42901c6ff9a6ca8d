import numpy as np
import pytest
from scipy.stats import gaussian_kde, norm, t

from errata.auditing.numbers._models import TargetData, robust_scale
from errata.auditing.numbers._noise_model import (
    LEAST_TOLD_SKEW,
    TARGET_RATES,
    TargetNoise,
    TargetPosterior,
    average_hypotheses,
    em_step,
    find_ends,
    fit_kernels,
    fit_local_scales,
    fit_noise,
    gross_scales,
    log_density,
    log_error_densities,
    log_within,
    skew_scales,
    widen_scales,
)
from errata.metrics import expected_calibration_error
from strategies import SEEDS


def drawn(n=2000, rate=0.1, seed=0):
    random = np.random.default_rng(seed)
    wrong = random.random(n) < rate
    z = np.where(wrong, 8 * random.normal(size=n), random.standard_t(10, size=n))
    return z, wrong


def test_densities_are_those_of_scipy():
    z, _ = drawn(50)
    scales, log_swap = np.array([3.0, 6.0]), np.full(50, -2.0)
    z = np.clip(z, -6, 6)
    densities = log_error_densities(z, scales, log_swap)
    expected = [norm.logpdf(z, scale=3), norm.logpdf(z, scale=6), log_swap]
    np.testing.assert_allclose(densities, expected, rtol=1e-10)
    noise = TargetNoise(4.0, 1.3, 0.1, np.array([0.5, 0.2, 0.3]))
    np.testing.assert_allclose(noise.log_right(z), t.logpdf(z, 4, scale=1.3), rtol=1e-10)
    mixed = np.log(noise.mixture @ np.exp(expected))
    np.testing.assert_allclose(noise.log_wrong(densities), mixed, rtol=1e-10)


def test_widths_of_errors_reach_beyond_the_largest_residual():
    assert gross_scales(np.array([2.0])).tolist() == [3]
    assert gross_scales(np.array([-7.0, 1.0])).tolist() == [3, 6, 12]
    assert len(gross_scales(np.array([1e9]))) == 8


def test_the_density_of_few_targets_is_a_kernel_density():
    targets = np.random.default_rng(0).normal(size=200)
    centers, width = fit_kernels(targets)
    expected = gaussian_kde(targets, width / targets.std(ddof=1)).logpdf([0.0, 1.5])
    found = log_density(np.array([0.0, 1.5]), np.zeros(2), centers, width)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_the_density_of_repeated_targets_is_no_finer_than_right_residuals():
    targets, scale = np.repeat([0.0, 5.0], [300, 100]), np.array([2.0, 0.0])
    centers, width = fit_kernels(targets)
    found = np.exp(log_density(np.zeros(2), scale, centers, width))
    coarse = 0.75 * norm.pdf(0, scale=2) + 0.25 * norm.pdf(5, scale=2)
    fine = 0.75 * norm.pdf(0, scale=width)
    np.testing.assert_allclose(found, [coarse, fine], rtol=1e-3)


def test_the_density_of_others_is_as_fine_as_they_are_many():
    targets = np.random.default_rng(0).normal(size=300).round(2)  # some are equal, by rounding
    kernels = fit_kernels(targets)
    found = log_density(targets, np.full(300, 2.0), *kernels)
    np.testing.assert_allclose(found, log_density(targets, np.zeros(300), *kernels), rtol=1e-12)


def test_the_density_of_many_targets_is_that_of_their_quantiles():
    targets = np.random.default_rng(0).normal(size=20_000)
    found = log_density(np.linspace(-2, 2, 5), np.zeros(5), *fit_kernels(targets))
    np.testing.assert_allclose(np.exp(found), norm.pdf(np.linspace(-2, 2, 5)), rtol=0.08)


@pytest.mark.parametrize("tail", [3.0, 30.0])
def test_steps_never_lower_the_likelihood(tail):
    z, _ = drawn()
    densities = log_error_densities(z, gross_scales(z), norm.logpdf(z, scale=10))
    kinds = len(densities)
    noise, reached = TargetNoise(tail, 3.0, 0.4, np.full(kinds, 1 / kinds)), []
    for _ in range(40):
        noise, value = em_step(z, densities, noise)
        reached.append(value)
    assert np.diff(reached).min() >= -1e-8


def test_the_fit_finds_what_residuals_were_drawn_from():
    z, wrong = drawn(4000)
    noise = fit_noise(z, log_error_densities(z, gross_scales(z), norm.logpdf(z, scale=8)), 10.0)
    assert noise.sigma == pytest.approx(1, abs=0.06)
    assert noise.rate == pytest.approx(wrong.mean(), abs=0.03)


def test_steps_end_where_the_rate_is_most_probable():
    z, _ = drawn(40)
    densities = log_error_densities(z, gross_scales(z), norm.logpdf(z, scale=10))
    noise = fit_noise(z, densities, 10.0)
    for _ in range(300):
        noise, best = em_step(z, densities, noise)
    for factor in (0.95, 1.05):
        assert em_step(z, densities, noise._replace(rate=factor * noise.rate))[1] < best


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
    residuals = random.normal(size=600) * np.where(wide, 3.0, 1.0)
    (whole, half), power, _ = scales_of(residuals, X, seed)
    assert 0.5 < power < 2  # sizes are believed about as they are predicted
    assert np.median(whole[wide]) / np.median(whole[~wide]) > 1.6
    assert np.median(half[wide]) / np.median(half[~wide]) > 1.2


@pytest.mark.parametrize("seed", SEEDS)
def test_even_noise_has_one_scale(seed):
    random = np.random.default_rng(seed)
    (_, half), _, _ = scales_of(random.normal(size=600), random.normal(size=(600, 5)), seed)
    assert np.log(half).std() < 0.1


def test_residuals_over_either_scale_have_a_robust_scale_of_one():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    residuals = random.normal(size=300) * np.exp(X[:, 0])
    scales, _, _ = scales_of(residuals, X, 0)
    for scale in scales:
        np.testing.assert_allclose(robust_scale(residuals / scale), 1, rtol=1e-6)


def test_an_error_does_not_widen_its_own_scale():
    # What is learnt from is clipped and out of bag, so one size of error is like another.
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    residuals = random.normal(size=300)
    scales = []
    for error in (5.0, 500.0):
        residuals[3] = error
        scales.append(scales_of(residuals.copy(), X, 0)[0][0, 3])
    np.testing.assert_allclose(scales[0], scales[1], rtol=0.02)


@pytest.mark.parametrize("side", [1, -1])
def test_the_skew_of_most_residuals_is_seen_and_errors_are_not(side):
    random = np.random.default_rng(0)
    X = random.normal(size=(600, 3))
    waiting = random.exponential(size=600)
    _, _, skew = scales_of(side * (waiting - np.median(waiting)), X, 0)
    assert side * skew > LEAST_TOLD_SKEW
    residuals = np.random.default_rng(1).normal(size=600)
    assert scales_of(residuals, X, 0)[2] == 0
    residuals[:60] = side * random.uniform(5, 10, size=60)
    assert scales_of(residuals, X, 0)[2] == 0


@pytest.mark.parametrize(("n", "told"), [(60, False), (600, True)])
def test_a_skew_that_may_be_chance_in_few_rows_is_none(n, told):
    # Quantiles of exponential noise: the same skew of about 0.27 in both.
    random = np.random.default_rng(0)
    waiting = -np.log(1 - (np.arange(n) + 0.5) / n)
    residuals = random.permutation(waiting - np.log(2))
    assert (scales_of(residuals, random.normal(size=(n, 3)), 0)[2] > 0) == told


def test_a_skewed_scale_is_wider_on_one_side():
    scales = np.array([[2.0, 2.0, 2.0], [1.0, 1.0, 1.0]])
    whole, half = skew_scales(scales, 0.5, np.array([-1.0, 4.0]))  # the third row has no target
    np.testing.assert_allclose(whole, [2 * np.exp(-0.5), 2 * np.exp(0.5), 2], rtol=1e-12)
    np.testing.assert_allclose(half, whole / 2, rtol=1e-12)


def test_one_hypothesis_gives_the_ratio_of_densities():
    z = np.linspace(-9, 9, 25)
    noise = TargetNoise(6.0, 1.2, 0.1, np.array([0.25, 0.75]))
    swap = np.log(0.05) * np.ones(25)
    weights = np.zeros((1, len(TARGET_RATES)))
    weights[0, 30] = 1
    rate = TARGET_RATES[30]
    densities = log_error_densities(z, np.array([12.0]), swap)
    found = average_hypotheses([noise], weights, z, densities, np.full(25, 2.0))
    p_if_any, suspicion, swap_share, spread, reach, log_density = found
    wrong = rate * (0.25 * norm.pdf(z, scale=12) + 0.75 * 0.05)
    right = (1 - rate) * t.pdf(z, 6, scale=1.2)
    np.testing.assert_allclose(p_if_any, wrong / (wrong + right), rtol=1e-9)
    np.testing.assert_allclose(suspicion, np.log(wrong / right), rtol=1e-9)
    np.testing.assert_allclose(swap_share, rate * 0.75 * 0.05 / wrong, rtol=1e-9)
    either = np.log((wrong + right) / 2)  # a residual is two z
    np.testing.assert_allclose(log_density, either, rtol=1e-9)
    np.testing.assert_allclose(spread, 2.4, rtol=1e-12)
    np.testing.assert_allclose(reach, 2.4 * t.ppf(0.95, 6), rtol=1e-12)


def test_residuals_drawn_from_the_model_are_judged_right():
    random = np.random.default_rng(0)
    wrong = random.random(4000) < 0.1
    z = np.where(wrong, 8 * random.normal(size=4000), random.standard_t(10, size=4000))
    every = np.ones(4000, dtype=bool)
    scales = np.ones((2, 4000))
    targets = 20 * random.normal(size=4000)
    found = TargetPosterior(z, targets, scales, every, every, random)
    p_wrong = found.p_wrong
    assert p_wrong.mean() == pytest.approx(wrong.mean(), abs=0.03)
    assert expected_calibration_error(wrong, p_wrong) < 0.03
    np.testing.assert_allclose(found.rates.sum(axis=1), 1)


def test_suspicion_goes_on_where_probability_has_reached_one():
    random = np.random.default_rng(0)
    z = np.r_[random.normal(size=300), 100.0, 1e4, 1e8]
    every = np.ones(303, dtype=bool)
    rows = TargetPosterior(z, z, np.ones((2, 303)), every, every, random)
    assert rows.p_wrong[300:].min() > 0.999
    assert np.all(np.diff(rows.suspicion[300:]) > 1)


@pytest.mark.parametrize("tail", [np.inf, 4])
def test_right_residuals_alone_leave_it_open_whether_any_is_wrong(tail):
    random = np.random.default_rng(0)
    z = random.normal(size=500) if tail == np.inf else random.standard_t(tail, size=500)
    scales = np.ones((2, 500))
    every = np.ones(500, dtype=bool)
    found = TargetPosterior(z, 10 * random.normal(size=500), scales, every, every, random)
    assert found.rates[:, 0].min() > 0.5
    z[:3] = 30
    found = TargetPosterior(z, 10 * random.normal(size=500), scales, every, every, random)
    assert found.rates[:, 0].max() < 0.01
    assert found.p_wrong[:3].min() > 0.9


def cut_off(n=600, at=0.3):
    """Normal noise; only targets below the end were recorded."""
    random = np.random.default_rng(0)
    predicted = random.normal(size=4 * n)
    targets = predicted + random.normal(size=4 * n)
    kept = np.flatnonzero(targets < at)[:n]
    return targets[kept], (targets - predicted)[kept]


def test_right_targets_are_dense_where_they_are_cut_off():
    targets, residuals = cut_off()
    every = np.ones(len(targets), dtype=bool)
    scales = np.full((2, len(targets)), 0.9)
    rates = []
    for ends in ((-np.inf, np.inf), find_ends(targets, np.array([0.3]), 1e-3)):
        random = np.random.default_rng(0)
        found = TargetPosterior(residuals, targets, scales, every, every, random, ends)
        rates.append(found.rates.mean(axis=0) @ np.r_[0, TARGET_RATES])
    assert rates[0] > 0.05
    assert rates[1] < 0.02


def test_ends_are_beside_a_repeated_value_or_half_a_step_beyond_levels():
    targets = np.array([1.0, 2.0, 4.0])
    inf = np.inf
    assert find_ends(targets, np.empty(0), 1e-3) == (-inf, inf)
    assert find_ends(targets, np.array([3.0]), 1e-3) == (-inf, inf)
    assert find_ends(targets, np.array([5.0]), 1e-3) == (-inf, 4)
    assert find_ends(targets, np.array([0.0, 5.0]), 1e-3) == (1, 4)
    assert find_ends(targets, np.empty(0), 0.5) == (0.5, 4.5)


def test_a_right_target_lies_between_the_ends_as_often_as_residuals_let_it():
    targets = np.array([0.0, 1.0, 9.0])
    residuals = np.array([0.0, -1.0, 8.0])
    told = np.exp(log_within(targets, residuals, np.array([1.0, 2.0, 1.0]), (-np.inf, 1.0)))
    np.testing.assert_allclose(told, [t.cdf(1, 5), t.cdf(-0.5, 5), 1], rtol=1e-12)
    assert (log_within(targets, residuals, np.ones(3), (-np.inf, np.inf)) == 0).all()


def test_targets_that_are_known_do_not_speak_for_noise():
    random = np.random.default_rng(0)
    z = np.r_[random.normal(size=400), 10 * random.normal(size=100)]
    every = np.ones(500, dtype=bool)
    scales = np.ones((2, 500))
    doubtful = np.arange(500) < 400
    found = TargetPosterior(z, 30 * z, scales, every, doubtful, random)
    all_of_them = TargetPosterior(z, 30 * z, scales, every, every, random)
    rate = [p.rates[0, 1:] @ TARGET_RATES for p in (found, all_of_them)]
    assert rate[0] < 0.02 < 0.1 < rate[1]


def test_skew_below_the_rounding_step_is_none():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    waiting = -np.log(1 - (np.arange(300) + 0.5) / 300)
    residuals = 0.01 * random.permutation(waiting - np.log(2))
    found = {}
    for smallest in (0.001, 1.0):
        data = TargetData(X, residuals, smallest_scale=smallest)
        found[smallest] = fit_local_scales(data, X.T, X[:, 0], residuals, np.ones(300))
    _, _, skew = found[0.001]
    assert skew > 0
    scales, _, skew = found[1.0]
    assert skew == 0
    assert scales.min(axis=1).tolist() == [1.0, 1.0]


def test_the_narrow_side_of_skewed_noise_is_no_narrower_than_rounding():
    sided = skew_scales(np.full((2, 2), 2.0), 1.0, np.array([1.0, -1.0]), smallest=1.5)
    np.testing.assert_allclose(sided, [[2 * np.e, 1.5]] * 2, rtol=1e-12)


def test_scales_widen_where_trees_are_apart_and_residuals_bear_it_out():
    random = np.random.default_rng(0)
    apart = np.where(np.arange(300) < 30, 8.0, 0.1)
    even = np.ones((2, 300))
    right = random.normal(size=300)
    every = np.ones(300)
    assert widen_scales(even, apart, right, every) is even
    wider = widen_scales(even, apart, right * np.where(apart > 1, 6.0, 1.0), every)
    assert (wider[:, :30] > 2.5 * wider[:, 30:].mean()).all()
    # One row bears out whatever is noise.
    few = np.r_[3.0, random.normal(size=39)]
    few[1:] /= robust_scale(few[1:])
    ones = np.ones((2, 40))
    assert widen_scales(ones, apart[29:69], few, np.ones(40)) is ones
