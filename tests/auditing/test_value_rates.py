"""Rates by value: against a posterior written out, and rows drawn from what it assumes."""

import numpy as np
import pytest
from scipy.special import expit, logit

from errata.auditing import NoiseRate
from errata.auditing.results._rates_by import (
    RATES,
    _posterior,
    _sum_by_rate,
    chance_to_stand_out,
    value_rates,
)


def drawn(rates, rows, seed, separation=3.0):
    """Codes, whether labels are wrong, and p_wrong as if all values were equally noisy."""
    random = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(rates)), rows)
    wrong = random.random(len(codes)) < np.take(rates, codes)
    score = random.normal(separation * wrong)
    log_ratio = separation * score - separation**2 / 2
    centre = wrong.mean()
    for _ in range(50):  # the rate that all rows together suggest
        p_wrong = expit(log_ratio + logit(centre))
        centre = p_wrong.mean()
    return codes, wrong, p_wrong


def test_what_rows_tell_is_summed_up_over_the_rows_of_a_value():
    p_wrong, codes = np.array([0.9, 0.2, 0.05]), np.array([0, 1, 0])
    odds = p_wrong / (1 - p_wrong) / (0.1 / 0.9)
    j = 200
    rate = RATES[j]
    either = 1 - rate + rate * odds
    p = rate * odds / either
    likelihood, mean, variances = _sum_by_rate(codes, p_wrong, 0.1)
    np.testing.assert_allclose(
        np.exp(likelihood[:, j]), [either[0] * either[2], either[1]], rtol=1e-10
    )
    np.testing.assert_allclose(mean[:, j], [(p[0] + p[2]) / 2, p[1]], rtol=1e-10)
    variance = p * (1 - p)
    np.testing.assert_allclose(
        variances[:, j], [(variance[0] + variance[2]) / 4, variance[1]], rtol=1e-10
    )


def test_where_rows_are_sure_the_rate_is_their_fraction():
    codes = np.repeat([0, 1], 50)
    wrong = np.arange(100) % np.where(codes == 0, 10, 2) == 0
    p_wrong = np.where(wrong, 1 - 1e-5, 1e-5)
    found = value_rates(codes, p_wrong, NoiseRate(p_wrong.mean(), *[p_wrong.mean()] * 2))
    np.testing.assert_allclose(found, [[0.1] * 3, [0.5] * 3], atol=0.002)


def test_without_rows_to_tell_the_posterior_is_the_prior():
    found = _posterior(np.zeros((3, len(RATES))), 0.1)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(found @ RATES, 0.1, atol=0.01)


def test_rates_are_those_that_rows_were_drawn_with():
    rates = np.array([0.02, 0.05, 0.1, 0.4])
    codes, wrong, p_wrong = drawn(rates, 1_500, 0)
    truth = np.bincount(codes, weights=wrong) / 1_500
    found = value_rates(codes, p_wrong, NoiseRate(p_wrong.mean(), *[p_wrong.mean()] * 2))
    np.testing.assert_allclose(found[:, 0], truth, atol=0.02)
    naive = np.bincount(codes, weights=p_wrong) / 1_500
    assert np.abs(found[:, 0] - truth).sum() < 0.6 * np.abs(naive - truth).sum()


def test_intervals_hold_the_truth():
    inside = []
    for seed in range(25):
        codes, wrong, p_wrong = drawn(np.array([0.03, 0.1, 0.1, 0.3]), 200, seed, 2.5)
        rate = NoiseRate(p_wrong.mean(), *[p_wrong.mean()] * 2)
        found = value_rates(codes, p_wrong, rate)
        truth = np.bincount(codes, weights=wrong) / 200
        inside.append((found[:, 1] <= truth) & (truth <= found[:, 2]))
    assert 0.85 <= np.mean(inside) <= 0.99


def test_intervals_know_how_far_the_rate_of_all_may_be_off():
    codes, _, p_wrong = drawn(np.array([0.1, 0.1]), 500, 0)
    centre = p_wrong.mean()
    narrow = value_rates(codes, p_wrong, NoiseRate(centre, centre, centre))
    wide = value_rates(codes, p_wrong, NoiseRate(centre, centre / 3, 3 * centre))
    assert (wide[:, 1] < narrow[:, 1]).all()
    assert (wide[:, 2] > narrow[:, 2]).all()
    assert (wide[:, 1] <= centre / 2).all()
    assert (wide[:, 2] >= 2 * centre).all()
    np.testing.assert_allclose(wide[:, 0], narrow[:, 0], rtol=1e-12)


def test_chance_is_that_of_permutations_within_strata():
    random = np.random.default_rng(3)
    strata = random.integers(3, size=300)
    codes = np.where(strata == 2, 0, random.integers(4, size=300))
    p_wrong = random.beta(0.4, 2, size=300) + 0.1 * (codes == 1) + 0.2 * (strata == 2)
    found = chance_to_stand_out(codes, p_wrong, strata)
    sums = []
    for _ in range(4_000):
        shuffled = codes.copy()
        for stratum in range(3):
            rows = np.flatnonzero(strata == stratum)
            shuffled[rows] = codes[random.permutation(rows)]
        sums.append(np.bincount(shuffled, weights=p_wrong, minlength=4))
    by_chance = np.mean(sums >= np.bincount(codes, weights=p_wrong) - 1e-9, axis=0)
    np.testing.assert_allclose(found, np.minimum(4 * by_chance, 1), atol=0.05)


@pytest.mark.parametrize("rates", [[0.1] * 6, [0.02] * 6])
def test_values_that_are_alike_seldom_stand_out(rates):
    chances = []
    for seed in range(60):
        codes, _, p_wrong = drawn(np.array(rates), 100, seed)
        chances.append(chance_to_stand_out(codes, p_wrong, np.zeros_like(codes)).min())
    assert np.mean(np.array(chances) < 0.05) <= 0.1
