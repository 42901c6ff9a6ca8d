import numpy as np
import pytest

from errata.review.inference import no_evidence, progress, undecidable, update
from errata.review.inference._intervals import wilson
from errata.review.inference._progress import Pace, SoFar, pace_of, so_far, spot_bound
from review.reviewed_tables import draw_table


def numbers(table, decided, **given):
    evidence = table.evidence(decided)
    now = update(table.components, evidence)
    undecided = np.setdiff1d(np.flatnonzero(table.flagged), decided)
    upcoming = now.p_wrong(table.p[undecided])
    return progress(table.components, evidence, np.sort(upcoming)[::-1], **given)


def test_before_the_first_verdict_everything_is_left():
    table = draw_table("uniform")
    told = numbers(table, np.zeros(0, dtype=int))
    assert told.flagged.rows == table.flagged.sum()
    assert told.others.rows == (~table.flagged).sum()
    assert told.flagged.expected + told.others.expected == pytest.approx(table.p_wrong.sum())
    assert told.so_far.as_promised
    assert told.so_far.decided == 0


@pytest.mark.parametrize("truth", ["none", "uniform", "boundary"])
def test_what_is_left_holds_the_truth_after_forty_verdicts(truth):
    covered = []
    for seed in range(20):
        table = draw_table(truth, random_state=seed)
        rows = np.random.default_rng(seed).choice(np.flatnonzero(table.p_wrong > 0.05), 40, False)
        told = numbers(table, rows)
        undecided = np.ones(len(table.wrong), dtype=bool)
        undecided[rows] = False
        for part, left in ((table.flagged, told.flagged), (~table.flagged, told.others)):
            wrong = np.sum(table.wrong & part & undecided)
            covered.append(left.low - 1 <= wrong <= left.high + 1)
            assert left.rows == np.sum(part & undecided)
        found = np.sum(table.wrong[rows])
        assert told.rate.expected == pytest.approx(
            found + told.flagged.expected + told.others.expected, abs=1e-6
        )
    assert np.mean(covered) >= 0.85


def test_rows_that_nobody_could_tell_are_not_left_but_may_be_wrong():
    table = draw_table("uniform")
    before = numbers(table, np.zeros(0, dtype=int))
    rows = np.r_[np.flatnonzero(table.flagged)[:3], np.flatnonzero(~table.flagged)[:2]]
    passed = undecidable(table.components, table.p[rows], table.flagged[rows])
    after = progress(table.components, passed, np.zeros(0))
    assert before.flagged.rows - after.flagged.rows == 3
    assert before.others.rows - after.others.rows == 2
    gone = before.flagged.expected - after.flagged.expected
    assert gone == pytest.approx(table.components.p_wrong(table.p[rows[:3]]).sum(), rel=1e-9)
    assert after.rate == before.rate
    assert after.so_far.decided == 0
    taken_back = progress(table.components, passed.plus(passed, -1), np.zeros(0))
    assert taken_back.flagged.rows == before.flagged.rows


def test_a_list_that_breaks_its_promise_is_noticed():
    table = draw_table("none")
    suspects = np.flatnonzero(table.flagged)
    told = so_far(table.evidence(suspects[:40]))
    assert told.wrong == 0
    assert not told.as_promised
    assert told.promised == pytest.approx(table.p_wrong[suspects[:40]].mean())
    good = draw_table("boundary", weights=(0.0, 0.0, 1.0))
    assert so_far(good.evidence(np.flatnonzero(good.flagged)[:40])).as_promised


def test_the_pace_counts_rows_until_most_are_found():
    assert pace_of(0, np.full(100, 0.5), 6.0) == Pace(95, 9.5)
    assert pace_of(95, np.full(10, 0.5), None) == Pace(0, None)
    assert pace_of(0, np.zeros(0), None) == Pace(0, None)
    assert pace_of(0, np.r_[np.ones(20), np.full(100, 0.01)], None).rows == 20


@pytest.mark.parametrize(("stop_at", "stop"), [(0.1, False), (0.3, True)])
def test_it_is_time_to_stop_when_the_next_twenty_hold_too_little(stop_at, stop):
    table = draw_table("uniform")
    upcoming = np.r_[np.full(20, 0.2), np.full(20, 0.9)]
    told = progress(table.components, no_evidence(table.components), upcoming, stop_at=stop_at)
    assert told.next_wrong == pytest.approx(0.2)
    assert told.stop is stop


def test_without_suspects_left_it_is_time_to_stop():
    table = draw_table("uniform")
    told = progress(table.components, no_evidence(table.components), np.zeros(0))
    assert told.stop
    assert told.next_wrong is None


def test_a_spot_check_bounds_what_was_missed():
    spot = spot_bound(1610, 0, 60)
    assert spot.at_most == pytest.approx(1 - 0.05 ** (1 / 60))
    assert spot.missed == 78
    assert spot_bound(10, 0, 0).missed == 10


def test_rows_of_a_spot_check_that_nobody_could_tell_may_be_wrong():
    assert spot_bound(1610, 1, 60, unsure=2).at_most == spot_bound(1610, 3, 60).at_most


@pytest.mark.parametrize("decided", [20, 40])
def test_a_promise_that_is_right_is_seldom_doubted_in_the_order_of_suspicion(decided):
    p = np.linspace(0.97, 0.52, 40)[:decided]
    wrong = (np.random.default_rng(0).random((4000, decided)) < p).sum(axis=1)
    found = [SoFar(int(w), decided, *wilson(int(w), decided), p.mean()) for w in wrong]
    assert np.mean([not told.as_promised for told in found]) < 0.06
