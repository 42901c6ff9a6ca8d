import numpy as np
import pytest
from scipy.stats import gaussian_kde, norm, t

from errata.auditing.numbers._noise_model import (
    TargetDensity,
    TargetNoise,
    em_step,
    fit_noise,
    gross_scales,
    log_error_densities,
)


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
    density = TargetDensity.of(targets)
    expected = gaussian_kde(targets, density.width / targets.std(ddof=1)).logpdf([0.0, 1.5])
    found = density.log_density(np.array([0.0, 1.5]), np.zeros(2))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_the_density_of_repeated_targets_is_no_finer_than_right_residuals():
    targets, scale = np.repeat([0.0, 5.0], [300, 100]), np.array([2.0, 0.0])
    found = np.exp(TargetDensity.of(targets).log_density(np.zeros(2), scale))
    coarse = 0.75 * norm.pdf(0, scale=2) + 0.25 * norm.pdf(5, scale=2)
    fine = 0.75 * norm.pdf(0, scale=TargetDensity.of(targets).width)
    np.testing.assert_allclose(found, [coarse, fine], rtol=1e-3)


def test_the_density_of_others_is_as_fine_as_they_are_many():
    targets = np.random.default_rng(0).normal(size=300).round(2)  # some are equal, by rounding
    density = TargetDensity.of(targets)
    found = density.log_density(targets, np.full(300, 2.0))
    np.testing.assert_allclose(found, density.log_density(targets, np.zeros(300)), rtol=1e-12)


def test_the_density_of_many_targets_is_that_of_their_quantiles():
    targets = np.random.default_rng(0).normal(size=20_000)
    found = np.exp(TargetDensity.of(targets).log_density(np.linspace(-2, 2, 5), np.zeros(5)))
    np.testing.assert_allclose(found, norm.pdf(np.linspace(-2, 2, 5)), rtol=0.08)


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
