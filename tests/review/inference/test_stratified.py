from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import hypergeom

from errata.review.inference._intervals import (
    Stratum,
    _chances,
    _hypergeometric,
    at_least_wrong,
    at_most_wrong,
    clopper_pearson,
)


def stratum(rows, drawn, wrong):
    return Stratum(rows, drawn, wrong, wrong, rows - drawn + wrong)


NOTHING = Stratum(0, 0, 0, 0, 0)


def test_draws_are_hypergeometric():
    found = _hypergeometric(stratum(50, 8, 2), np.array([0, 5, 45, 50]))
    expected = [hypergeom.pmf(np.arange(9), 50, wrong, 8) for wrong in (0, 5, 45, 50)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_the_chance_of_the_statistic_is_that_of_all_outcomes():
    first, second = stratum(30, 5, 3), stratum(70, 8, 1)
    split, total = np.array([4, 10]), 20
    observed = 30 * 3 / 5 + 70 * 1 / 8
    for wrong, found in zip(split, _chances(first, second, split, total), strict=True):
        expected = sum(
            hypergeom.pmf(a, 30, wrong, 5) * hypergeom.pmf(b, 70, total - wrong, 8)
            for a in range(6)
            for b in range(9)
            if 30 * a / 5 + 70 * b / 8 >= observed - 1e-9
        )
        assert found == pytest.approx(expected, abs=1e-12)


def chance_of(stratum, wrong):
    """The probability of each number found, if so many are wrong; exactly."""
    ways = [
        comb(wrong, found) * comb(stratum.rows - wrong, stratum.drawn - found)
        for found in range(stratum.drawn + 1)
    ]
    return [Fraction(way, comb(stratum.rows, stratum.drawn)) for way in ways]


def statistic(strata, found):
    """What is found, weighed by how many rows each draw stands for; exactly."""
    terms = zip(strata, found, strict=True)
    return sum(Fraction(s.rows * x, s.drawn) for s, x in terms if s.drawn)


def is_possible(strata, total):
    """Whether some split of the total gives the statistic, or a larger one, often enough."""
    first, second = strata
    observed = statistic(strata, (first.wrong, second.wrong))
    for wrong in range(max(first.least, total - second.most), first.most + 1):
        if not second.least <= total - wrong <= second.most:
            continue
        chances = product(
            enumerate(chance_of(first, wrong)), enumerate(chance_of(second, total - wrong))
        )
        as_large = sum(p * q for (a, p), (b, q) in chances if statistic(strata, (a, b)) >= observed)
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
        strata = [stratum(*size, wrong) for size, wrong in zip(sizes, found, strict=True)]
        totals = range(sum(s.least for s in strata), sum(s.most for s in strata) + 1)
        least = next(total for total in totals if is_possible(strata, total))
        turned = [s.turned() for s in strata]
        rows = sum(s.rows for s in strata)
        most = next(total for total in reversed(totals) if is_possible(turned, rows - total))
        assert (at_least_wrong(strata), at_most_wrong(strata)) == (least, most), found


@pytest.mark.parametrize("wrong", [0, 3, 40])
def test_of_one_large_stratum_it_is_clopper_and_pearson(wrong):
    strata = [NOTHING, stratum(1_000_000, 40, wrong)]
    found = at_least_wrong(strata) / 1e6, at_most_wrong(strata) / 1e6
    np.testing.assert_allclose(found, clopper_pearson(wrong, 40), rtol=0, atol=1e-4)
    found = at_least_wrong(strata[::-1]) / 1e6, at_most_wrong(strata[::-1]) / 1e6
    np.testing.assert_allclose(found, clopper_pearson(wrong, 40), rtol=0, atol=1e-4)


def test_without_draws_everything_is_possible():
    strata = [Stratum(10, 0, 0, 2, 9), Stratum(90, 0, 0, 0, 90)]
    assert (at_least_wrong(strata), at_most_wrong(strata)) == (2, 99)


def test_what_is_certain_bounds_the_rest():
    decided = Stratum(100, 0, 0, 80, 80)
    clean = stratum(900, 60, 0)
    assert at_least_wrong([decided, clean]) == 80
    assert 80 < at_most_wrong([decided, clean]) < 80 + 0.07 * 900


@pytest.mark.parametrize("wrong", [(0, 0), (60, 5), (50, 100), (10, 200)])
def test_the_interval_holds_the_truth_as_often_as_it_says(wrong):
    sizes, drawn, random = (100, 900), (10, 40), np.random.default_rng(0)

    @cache
    def holds(*found):
        strata = list(map(stratum, sizes, drawn, found))
        return at_least_wrong(strata) <= sum(wrong) <= at_most_wrong(strata)

    draws = [
        random.hypergeometric(k, n - k, m, 300).tolist()
        for n, m, k in zip(sizes, drawn, wrong, strict=True)
    ]
    assert np.mean([holds(*found) for found in zip(*draws, strict=True)]) >= 0.95 - 0.025
