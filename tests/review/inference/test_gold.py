import numpy as np
import pytest

from decision_cases import said
from errata.review.inference import GoldAnswers, certificate_sentence, certify, draw_piles
from errata.review.inference._anytime import rate_at_most
from errata.review.inference._certificate import allow_for_slips, read_answers


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
