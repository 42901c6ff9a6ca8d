from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import binomtest, hypergeom, norm

from decision_cases import said
from errata.audit_folder._components import find_quantiles
from errata.review.inference import GoldAnswers, certificate_sentence, certify, draw_piles
from errata.review.inference._anytime import Draws, rate_at_most
from errata.review.inference._certificate import (
    _compute_chances,
    _compute_hypergeometric,
    allow_for_slips,
    at_least_wrong,
    at_most_wrong,
    read_answers,
)
from errata.review.inference._progress import at_most, wilson


class Case:
    """A table of 1,000 rows with 100 suspects, of which a part is wrong, as are 2 % of the rest."""

    def __init__(self, precision=0.8, seed=0):
        random = np.random.default_rng(seed)
        self.suspicion = np.where(np.arange(1000) < 100, 0.9, 0.01) + 1e-6 * random.random(1000)
        self.flagged = self.suspicion > 0.5
        self.wrong = random.random(1000) < np.where(self.flagged, precision, 0.02)
        self.piles = draw_piles(self.flagged, random)
        self.calibration = [row for row, _, _ in self.piles["calibration"]]

    def certify(self, rows, unknown=(), **given):
        verdicts = {int(row): bool(self.wrong[row]) for row in rows} | dict.fromkeys(unknown)
        return certify(self.piles, self.suspicion, self.flagged, verdicts, **given)


def test_nothing_is_certain_before_the_first_verdict():
    found = Case().certify([])
    assert (found.low, found.high, found.verdicts, found.listed) == (0.0, 1.0, 0, 0)


def test_more_verdicts_narrow_the_interval_around_the_truth():
    case = Case()
    reviews = [case.calibration[:20], case.calibration, case.calibration + case.piles["spot"]]
    found = [case.certify(rows) for rows in reviews]
    widths = [certificate.high - certificate.low for certificate in found]
    assert widths[0] > widths[1] > widths[2]
    assert [certificate.verdicts for certificate in found] == [20, 40, 340]
    assert all(c.low <= case.wrong.mean() <= c.high for c in found)
    assert all(c.low <= c.rate <= c.high for c in found)


def test_a_whole_table_decided_leaves_no_doubt():
    case = Case()
    found = case.certify(range(1000))
    assert found.low == found.rate == found.high == pytest.approx(case.wrong.mean())


def test_rows_that_were_known_before_are_right():
    case = Case()
    known = np.arange(1000) >= 500
    piles = draw_piles(case.flagged, np.random.default_rng(1), known=known)
    rows = [row for row, _, _ in piles["calibration"]] + piles["spot"]
    verdicts = {row: bool(case.wrong[row]) for row in rows}
    found = certify(piles, case.suspicion, case.flagged, verdicts, known=known)
    assert found.low <= np.mean(case.wrong & ~known) <= found.high < 0.2


def test_rows_without_a_label_are_no_part_of_the_noise_rate():
    case = Case()
    blank = np.arange(1000) >= 500
    piles = draw_piles(case.flagged, np.random.default_rng(1), known=blank)
    verdicts = {row: bool(case.wrong[row]) for row in range(500)}
    found = certify(piles, case.suspicion, case.flagged, verdicts, unlabelled=blank)
    assert found.low == found.high == pytest.approx(case.wrong[:500].mean(), rel=1e-12)


def test_only_rows_from_the_top_of_a_pile_are_a_sample():
    case = Case()
    gap = [row for row in case.calibration if row != case.calibration[0]]
    assert case.certify(gap).verdicts < len(gap)


def test_the_spot_pile_counts_when_the_calibration_pile_is_done():
    # Who could choose between two orders might look ahead in both.
    case = Case()
    assert case.certify(case.piles["spot"][:50]).verdicts == 0
    assert case.certify(case.calibration[:39] + case.piles["spot"][:50]).verdicts == 39
    assert case.certify(case.calibration + case.piles["spot"][:50]).verdicts == 90


def test_a_number_of_verdicts_fixed_in_advance_proves_more_and_nothing_before():
    case = Case()
    early = case.certify(case.calibration[:30], fixed=40)
    assert (early.verdicts, early.fixed) == (30, 40)
    assert early.low == np.mean(case.wrong[case.calibration[:30]]) * 30 / 1000  # those seen
    assert early.high > 0.97
    right = [row for row in case.piles["spot"] if not case.wrong[row]][:20]
    fixed = case.certify(case.calibration + right, fixed=40)
    same = case.certify(case.calibration, fixed=40)
    assert (fixed.low, fixed.high) == (same.low, same.high)
    assert fixed.low <= case.wrong.mean() <= fixed.high


def test_it_tells_how_many_more_verdicts_and_whether_the_audit_foretold_them():
    case = Case()
    assert case.certify(case.calibration[:19]).more is None
    few = case.certify(case.calibration)
    many = case.certify(case.calibration + case.piles["spot"])
    assert few.agrees
    assert many.more < few.more
    everything = {"p_wrong": np.where(case.flagged, 0.01, 0.99)}
    assert not case.certify(case.calibration + case.piles["spot"], **everything).agrees


def test_rows_that_nobody_could_tell_widen_the_interval():
    case = Case()
    sure = case.certify(case.calibration)
    others = [row for row in case.calibration if not case.flagged[row]][:5]
    unsure = case.certify(set(case.calibration) - set(others), unknown=others)
    assert unsure.verdicts == sure.verdicts
    assert unsure.high > sure.high
    assert unsure.low <= sure.low


def test_the_list_is_certified_if_it_is_good_and_only_then():
    good, bad = Case(precision=1.0), Case(precision=0.1)
    assert good.certify(good.calibration).listed == 100
    # Ten draws of ten are wrong; the whole list has 16/31 of alpha (with all of it, 71 rows).
    assert good.certify(good.calibration).list_low == 0.66
    assert bad.certify(bad.calibration).listed == 0
    assert good.certify(good.calibration, precision=0.99).listed == 0


def test_more_verdicts_of_an_even_list_certify_more_of_it():
    # The longest list must not get shorter by luck among its first rows.
    mean = {}
    for verdicts in (20, 40, 100):
        lengths = []
        for seed in range(20):
            case = Case(precision=0.75, seed=seed)
            piles = {"calibration": [[row, 0, ""] for row in np.flatnonzero(case.flagged)]}
            np.random.default_rng(seed).shuffle(piles["calibration"])
            case.piles = piles | {"spot": []}
            rows = [row for row, *_ in piles["calibration"][:verdicts]]
            lengths.append(case.certify(rows).listed)
        mean[verdicts] = np.mean(lengths)
    assert mean[20] + 10 < mean[40]
    assert mean[40] + 10 < mean[100] == 100  # all are decided


def test_certified_lists_are_as_precise_as_certified():
    held = []
    for seed in range(200):
        case = Case(precision=0.45, seed=seed)
        listed = case.certify(case.calibration).listed
        top = np.argsort(-case.suspicion)[:listed]
        held.append(not listed or case.wrong[top].mean() >= 0.5)
    assert np.mean(held) >= 0.95


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


def test_a_rate_is_hardly_ever_above_its_bound_for_who_stops_when_it_is():
    trials = 60
    bounds = np.array(
        [[rate_at_most(min(x, n), n) for x in range(trials + 1)] for n in range(trials + 1)]
    )
    for rate in (0.02, 0.1, 0.5):
        happened = np.random.default_rng(0).random((2000, trials)) < rate
        found = happened.cumsum(axis=1)
        ever = (bounds[np.arange(1, trials + 1), found] < rate).any(axis=1)
        assert ever.mean() < 0.05


def test_answers_are_counted_by_what_was_shown_and_what_was_certain():
    gold = {
        ("row.0", "ann"): said("label", row=0),  # a cat shown as a cat
        ("row.1", "ann"): said("suggestion", row=1),
        ("row.2", "ann"): said("suggestion", row=2),  # a dog shown as a cat
        ("row.3", "ann"): said("label", row=3),
        ("row.4", "ann"): said("other", row=4),
        ("row.5", "ann"): said("ambiguous", row=5),
        ("row.6", "ann"): said("label", row=6),  # not certain any more
        ("row.0", "bob"): said("label", row=0, reviewer="bob"),
    }
    certain = {f"row.{row}": '"cat"' if row < 2 else '"dog"' for row in range(6)}
    ann, bob = read_answers(gold, certain)
    assert ann == GoldAnswers("ann", 2, shown_right=2, shown_wrong=3, alarms=1, misses=1)
    assert (bob.reviewer, bob.rows, bob.right) == ("bob", 1, 1)


def test_the_bounds_are_widened_by_the_worst_reviewer():
    sure = GoldAnswers("ann", 1000, 500, 500)
    slips = GoldAnswers("bob", 900, 500, 500, alarms=50, misses=50)
    low, high = allow_for_slips(0.3, 0.4, [slips])
    alarms, misses = slips.slips_at_most(0.01)
    assert 0.1 < alarms == misses < 0.16
    assert low == pytest.approx((0.3 - alarms) / (1 - alarms))
    assert high == pytest.approx(0.4 / (1 - misses))
    both = allow_for_slips(0.3, 0.4, [sure, slips])
    assert both[0] < low < allow_for_slips(0.3, 0.4, [sure])[0] < 0.3
    assert both[1] > high > allow_for_slips(0.3, 0.4, [sure])[1] > 0.4
    assert allow_for_slips(0.3, 0.4, [GoldAnswers("ann", 3, shown_right=3)])[1] == 1.0


def test_a_certificate_tells_what_slips_would_do_to_it():
    flagged = np.arange(1000) < 100
    p = np.where(flagged, 0.9, 0.01)
    piles = draw_piles(flagged, np.random.default_rng(0))
    verdicts = {row: bool(flagged[row]) for row, *_ in piles["calibration"]}
    plain = certify(piles, p, flagged, verdicts)
    told = certify(piles, p, flagged, verdicts, answers=[GoldAnswers("ann", 20, 10, 10)])
    assert (told.low, told.high, told.gold) == (plain.low, plain.high, 20)
    assert told.low_with_slips < plain.low < plain.high < told.high_with_slips
    assert plain.low_with_slips is None
    said = "allowing for slips as in 20 gold rows, 0 to"
    assert said in certificate_sentence(told)
    assert said not in certificate_sentence(plain)
    fixed = certify(piles, p, flagged, verdicts, answers=[GoldAnswers("ann", 20, 10, 10)], fixed=40)
    assert fixed.low_with_slips < fixed.low < fixed.high < fixed.high_with_slips


@pytest.mark.parametrize(("alarm", "miss"), [(0.2, 0.0), (0.02, 0.6)])
def test_the_truth_is_hardly_ever_excluded_though_verdicts_are_wrong(alarm, miss):
    excluded = np.zeros(2)
    reviews = 30
    for seed in range(reviews):
        random = np.random.default_rng(seed)
        p = np.where(np.arange(1500) < 300, 0.8, 0.02)
        wrong = random.random(1500) < p
        called = np.where(wrong, random.random(1500) >= miss, random.random(1500) < alarm)
        piles = draw_piles(p > 0.5, random)
        rows = [row for row, *_ in piles["calibration"]] + piles["spot"]
        alarms = (random.random(100) < alarm).cumsum()
        misses = (random.random(100) < miss).cumsum()
        ever = np.zeros(2, dtype=bool)
        for n in (40, 120, 340):
            half = n // 10
            slips = int(alarms[half - 1]), int(misses[half - 1])
            answers = GoldAnswers("ann", 2 * half - sum(slips), half, half, *slips)
            verdicts = {row: bool(called[row]) for row in rows[:n]}
            found = certify(piles, p, p > 0.5, verdicts, answers=[answers])
            ever[0] |= not found.low <= wrong.mean() <= found.high
            ever[1] |= not found.low_with_slips <= wrong.mean() <= found.high_with_slips
        excluded += ever
    assert excluded[0] > 0.1 * reviews  # what the reviewer calls wrong is something else
    assert excluded[1] <= 0.05 * reviews
