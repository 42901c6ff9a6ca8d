from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binomtest, hypergeom, norm

from errata.audit_folder._components import find_quantiles
from errata.review.inference._anytime import Draws
from errata.review.inference._certificate import (
    _compute_chances,
    _compute_hypergeometric,
    at_least_wrong,
    at_most_wrong,
)
from errata.review.inference._progress import at_most, wilson


@pytest.mark.parametrize(("found", "n"), [(0, 5), (3, 7), (37, 41), (41, 41)])
def test_intervals_are_those_of_scipy(found, n):
    peer = binomtest(found, n).proportion_ci(method="wilson")
    np.testing.assert_allclose(wilson(found, n), (peer.low, peer.high), rtol=0, atol=1e-12)
    above = binomtest(found, n, alternative="less").proportion_ci(method="exact").high
    assert at_most(found, n) == pytest.approx(above, abs=1e-12)


def test_nothing_counted_leaves_everything_open():
    assert wilson(0, 0) == (0.0, 1.0)
    assert at_most(0, 0) == 1.0


def test_quantiles_of_a_mixture_are_those_of_its_parts():
    one = find_quantiles(np.ones(1), np.array([50.0]), np.array([25.0]), 1000, 0.9)
    np.testing.assert_allclose(one, norm(50, 5).interval(0.9), rtol=0, atol=1e-6)
    two = find_quantiles(np.array([0.5, 0.5]), np.array([10.0, 90.0]), np.zeros(2), 1000, 0.9)
    np.testing.assert_allclose(two, (10, 90), rtol=0, atol=1e-4)
    near_zero = find_quantiles(np.ones(1), np.array([1.0]), np.array([4.0]), 3, 0.9)
    np.testing.assert_allclose(near_zero, (0, 3), rtol=0, atol=1e-6)  # never beyond what there is


def drawn(*strata, least=None, most=None):
    """Rows, draws and wrong ones among these, of each stratum."""
    return Draws(*zip(*strata, strict=True), expected=(0.5, 0.5), least=least, most=most)


NOTHING = (0, 0, 0)


def test_draws_are_hypergeometric():
    found = _compute_hypergeometric(50, 8, np.array([0, 5, 45, 50]))
    expected = [hypergeom.pmf(np.arange(9), 50, wrong, 8) for wrong in (0, 5, 45, 50)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_the_chance_of_the_statistic_is_that_of_all_outcomes():
    draws = drawn((30, 5, 3), (70, 8, 1))
    split, total = np.array([4, 10]), 20
    observed = 30 * 3 / 5 + 70 * 1 / 8
    for wrong, found in zip(split, _compute_chances(draws, split, total), strict=True):
        expected = sum(
            hypergeom.pmf(a, 30, wrong, 5) * hypergeom.pmf(b, 70, total - wrong, 8)
            for a in range(6)
            for b in range(9)
            if 30 * a / 5 + 70 * b / 8 >= observed - 1e-9
        )
        assert found == pytest.approx(expected, abs=1e-12)


def chance_of(rows, n, wrong):
    """The probability of each number found in n draws, if so many are wrong; exactly."""
    ways = [comb(wrong, found) * comb(rows - wrong, n - found) for found in range(n + 1)]
    return [Fraction(way, comb(rows, n)) for way in ways]


def statistic(draws, found):
    """What is found, weighed by how many rows each draw stands for; exactly."""
    terms = zip(draws.rows, draws.drawn, found, strict=True)
    return sum(Fraction(rows * x, n) for rows, n, x in terms if n)


def is_possible(draws, total):
    """Whether some split of the total gives the statistic, or a larger one, often enough."""
    (least, most), (other_least, other_most) = draws.limits
    observed = statistic(draws, draws.wrong)
    for wrong in range(max(least, total - other_most), most + 1):
        if not other_least <= total - wrong <= other_most:
            continue
        splits = zip(draws.rows, draws.drawn, (wrong, total - wrong), strict=True)
        chances = product(*(enumerate(chance_of(*split)) for split in splits))
        as_large = sum(p * q for (a, p), (b, q) in chances if statistic(draws, (a, b)) >= observed)
        if as_large > Fraction(25, 1000):
            return True
    return False


SIZES = [
    ((6, 3), (9, 3)),
    ((7, 3), (21, 9)),
    ((20, 7), (5, 5)),
    ((9, 9), (11, 3)),
    ((8, 0), (9, 4)),
]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_bounds_are_those_of_the_definition_counted_out(sizes):
    for found in product(*(range(drawn + 1) for _, drawn in sizes)):
        draws = drawn(*((*size, wrong) for size, wrong in zip(sizes, found, strict=True)))
        totals = range(*(sum(ends) for ends in zip(*draws.limits, strict=True)))
        totals = range(totals.start, totals.stop + 1)
        least = next(total for total in totals if is_possible(draws, total))
        exchanged = draws.exchange()
        rows = sum(draws.rows)
        most = next(total for total in reversed(totals) if is_possible(exchanged, rows - total))
        assert (at_least_wrong(draws), at_most_wrong(draws)) == (least, most), found


@pytest.mark.parametrize("wrong", [0, 3, 40])
def test_of_one_large_stratum_it_is_clopper_and_pearson(wrong):
    alone = (1_000_000, 40, wrong)
    for draws in (drawn(NOTHING, alone), drawn(alone, NOTHING)):
        found = at_least_wrong(draws) / 1e6, at_most_wrong(draws) / 1e6
        np.testing.assert_allclose(found, binomtest(wrong, 40).proportion_ci(), rtol=0, atol=1e-4)


def test_without_draws_everything_is_possible():
    draws = drawn((10, 0, 0), (90, 0, 0), least=(2, 0), most=(9, 90))
    assert (at_least_wrong(draws), at_most_wrong(draws)) == (2, 99)


def test_what_is_certain_bounds_the_rest():
    draws = drawn((100, 0, 0), (900, 60, 0), least=(80, 0), most=(80, 900))
    assert at_least_wrong(draws) == 80
    assert 80 < at_most_wrong(draws) < 80 + 0.07 * 900


@pytest.mark.parametrize("wrong", [(0, 0), (60, 5), (50, 100), (10, 200)])
def test_the_interval_holds_the_truth_as_often_as_it_says(wrong):
    sizes = (100, 900)
    numbers = (10, 40)
    random = np.random.default_rng(0)

    @cache
    def holds(*found):
        draws = drawn(*zip(sizes, numbers, found, strict=True))
        return at_least_wrong(draws) <= sum(wrong) <= at_most_wrong(draws)

    reviews = [
        random.hypergeometric(k, n - k, m, 300).tolist()
        for n, m, k in zip(sizes, numbers, wrong, strict=True)
    ]
    assert np.mean([holds(*found) for found in zip(*reviews, strict=True)]) >= 0.95 - 0.025
