import numpy as np
import pytest

from errata.review.inference import (
    Certificate,
    Evidence,
    certificate_sentence,
    evidence_of,
    progress,
    sentences,
    update,
)
from errata.review.inference._progress import (
    bound_missed,
    count_to_go,
    describe_left,
    describe_pace,
    describe_so_far,
    describe_spot_check,
    describe_stop,
    describe_surprise,
    wilson,
)
from review.reviewed_tables import draw_table


def numbers(table, decided, **given):
    evidence = table.evidence(decided)
    now = update(table.components, evidence)
    undecided = np.setdiff1d(np.flatnonzero(table.flagged), decided)
    upcoming = now.p_wrong(table.p[undecided], True)
    return progress(now, evidence, np.sort(upcoming)[::-1], **given)


def so_far(wrong, decided, low, high, expected):
    told = {"wrong": wrong, "decided": decided, "low": low, "high": high, "expected": expected}
    return {"so_far": told}


def test_before_the_first_verdict_everything_is_left():
    table = draw_table("uniform")
    told = numbers(table, np.zeros(0, dtype=int))
    assert told["flagged"]["rows"] == table.flagged.sum()
    assert told["others"]["rows"] == (~table.flagged).sum()
    assert told["flagged"]["expected"] + told["others"]["expected"] == pytest.approx(
        table.p_wrong.sum()
    )
    assert not describe_surprise(told)
    assert told["so_far"]["decided"] == 0


@pytest.mark.parametrize("truth", ["none", "uniform", "boundary"])
def test_what_is_left_holds_the_truth_after_forty_verdicts(truth):
    covered = []
    for seed in range(20):
        table = draw_table(truth, random_state=seed)
        rows = np.random.default_rng(seed).choice(np.flatnonzero(table.p_wrong > 0.05), 40, False)
        told = numbers(table, rows)
        undecided = np.ones(len(table.wrong), dtype=bool)
        undecided[rows] = False
        for part, left in ((table.flagged, told["flagged"]), (~table.flagged, told["others"])):
            wrong = np.sum(table.wrong & part & undecided)
            covered.append(left["low"] - 1 <= wrong <= left["high"] + 1)
            assert left["rows"] == np.sum(part & undecided)
        found = np.sum(table.wrong[rows])
        assert told["rate"]["expected"] == pytest.approx(
            found + told["flagged"]["expected"] + told["others"]["expected"], abs=1e-6
        )
    assert np.mean(covered) >= 0.85


def test_rows_that_nobody_could_tell_are_not_left_but_may_be_wrong():
    table = draw_table("uniform")
    before = numbers(table, np.zeros(0, dtype=int))
    rows = np.r_[np.flatnonzero(table.flagged)[:3], np.flatnonzero(~table.flagged)[:2]]
    nobody_knows = np.ones(5, dtype=bool)
    of_rows = (table.p[rows], nobody_knows, table.flagged[rows], table.p_wrong[rows])
    passed = evidence_of(table.components, *of_rows, unsure=nobody_knows)
    after = progress(table.components, passed, np.zeros(0))
    assert before["flagged"]["rows"] - after["flagged"]["rows"] == 3
    assert before["others"]["rows"] - after["others"]["rows"] == 2
    gone = before["flagged"]["expected"] - after["flagged"]["expected"]
    assert gone == pytest.approx(
        table.components.p_wrong(table.p[rows[:3]], table.flagged[rows[:3]]).sum(), rel=1e-9
    )
    assert after["rate"] == pytest.approx(before["rate"], rel=1e-12)
    assert after["so_far"]["decided"] == 0
    taken_back = progress(table.components, passed.plus(passed, -1), np.zeros(0))
    assert taken_back["flagged"]["rows"] == before["flagged"]["rows"]


def test_a_list_that_is_worse_than_expected_is_noticed():
    table = draw_table("none")
    suspects = np.flatnonzero(table.flagged)
    told = numbers(table, suspects[:40])
    assert told["so_far"]["wrong"] == 0
    assert describe_surprise(told)
    assert told["so_far"]["expected"] == pytest.approx(table.p_wrong[suspects[:40]].mean())
    good = draw_table("boundary", weights=(0.0, 0.0, 1.0))
    assert not describe_surprise(numbers(good, np.flatnonzero(good.flagged)[:40]))


def test_the_pace_counts_rows_until_most_are_found():
    assert count_to_go(0, np.full(100, 0.5)) == 95
    assert count_to_go(95, np.full(10, 0.5)) == 0
    assert count_to_go(0, np.zeros(0)) == 0
    assert count_to_go(0, np.r_[np.ones(20), np.full(100, 0.01)]) == 20
    table = draw_table("uniform")
    told = progress(
        table.components, Evidence.empty(table.components), np.full(100, 0.5), seconds=6.0
    )
    assert told["pace"] == {"rows": 95, "minutes": 9.5}


@pytest.mark.parametrize(("stop_at", "stop"), [(0.1, False), (0.3, True)])
def test_it_is_time_to_stop_when_the_next_twenty_hold_too_little(stop_at, stop):
    table = draw_table("uniform")
    upcoming = np.r_[np.full(20, 0.2), np.full(20, 0.9)]
    told = progress(table.components, Evidence.empty(table.components), upcoming, stop_at=stop_at)
    assert told["next_wrong"] == pytest.approx(0.2)
    assert told["stop"] is stop


def test_without_suspects_left_it_is_time_to_stop():
    table = draw_table("uniform")
    told = progress(table.components, Evidence.empty(table.components), np.zeros(0))
    assert told["stop"]
    assert told["next_wrong"] is None


def test_a_spot_check_bounds_what_was_missed():
    spot = bound_missed(1610, 0, 60)
    assert spot["at_most"] == pytest.approx(1 - 0.05 ** (1 / 60))
    assert spot["missed"] == 78
    assert bound_missed(10, 0, 0)["missed"] == 10


def test_rows_of_a_spot_check_that_nobody_could_tell_may_be_wrong():
    assert bound_missed(1610, 1, 60, unsure=2)["at_most"] == bound_missed(1610, 3, 60)["at_most"]


@pytest.mark.parametrize("decided", [20, 40])
def test_what_is_rightly_expected_is_seldom_doubted_in_the_order_of_suspicion(decided):
    p = np.linspace(0.97, 0.52, 40)[:decided]
    wrong = (np.random.default_rng(0).random((4000, decided)) < p).sum(axis=1)
    found = [so_far(int(w), decided, *wilson(int(w), decided), p.mean()) for w in wrong]
    assert np.mean([bool(describe_surprise(told)) for told in found]) < 0.06


@pytest.fixture
def told():
    table = draw_table("uniform")
    return progress(table.components, Evidence.empty(table.components), np.full(3, 0.01))


def test_every_part_of_the_page_has_its_sentence(told):
    said = sentences(told)
    assert said["so_far"] == "no suspect is decided yet"
    assert said["warning"] == said["spot"] == ""
    assert said["stop"] == "only 1.0% of the next are expected to be wrong: time to stop"
    assert said["pace"] == "about 95% found after 3 more"


def test_one_is_not_many():
    assert describe_so_far(so_far(1, 1, 0.2, 1.0, 0.9)).startswith("1 of 1 was wrong (100%, 20 to")
    assert describe_so_far(so_far(0, 1, 0.0, 0.79, 0.66)).startswith("0 of 1 was wrong (0%, 0 to")
    two = describe_spot_check({"spot": bound_missed(90, 2, 60)})
    assert two.startswith("2 of 60 spot-checked were wrong: at most")
    unsure = describe_spot_check({"spot": bound_missed(90, 0, 60, 3)})
    assert unsure.startswith("none of 60 spot-checked was wrong, 3 may be: at most 13%")
    short = describe_pace({"pace": {"rows": 3, "minutes": 0.2}})
    assert short == "about 95% found after 3 more, 1 minute"
    assert describe_pace({"pace": {"rows": 0, "minutes": None}}) == ""


def test_a_surprise_is_told_which_way():
    assert describe_surprise(so_far(5, 10, 0.3, 0.7, 0.5)) == ""
    assert describe_surprise(so_far(1, 10, 0.1, 0.4, 0.5)).startswith("fewer were wrong than")
    assert describe_surprise(so_far(9, 10, 0.6, 0.9, 0.5)).startswith("more were wrong than")


NONE_LEFT = {"rows": 0, "expected": 0.0, "low": 0.0, "high": 0.0}


def test_a_spot_check_gives_what_is_left_an_interval(told):
    others = {"rows": 900, "expected": 9.4, "low": 2.2, "high": 15.1}
    checked = told | {"others": others, "spot": bound_missed(900, 0, 60)}
    assert describe_left(checked).endswith("among the 900 not flagged: 9 (2 to 16)")
    done = checked | {"flagged": NONE_LEFT}
    assert describe_left(done) == "expected among the 900 not flagged: 9 (2 to 16)"


def test_the_end_of_the_list_is_told(told):
    assert describe_stop(told | {"next_wrong": None}) == "every suspect is decided"
    assert describe_stop(told | {"stop": False}) == ""


def test_suspects_that_nobody_could_tell_are_suspects(told):
    done = told | {"flagged": NONE_LEFT, "stop": True, "next_wrong": None}
    assert sentences(done)["so_far"] == "no suspect is decided yet"
    assert sentences(done)["stop"] == "every suspect is decided"


def test_a_certificate_says_what_is_proven_and_no_more():
    narrow = Certificate(0.1, 0.0569, 0.1601, 40, 0.5, 0, 10, 0.1)
    assert "5.6 to 17% of all labels" in certificate_sentence(narrow)
    nothing = Certificate(0.5, 0.0, 1.0, 0, 0.5, 0, 0, 0.0)
    assert certificate_sentence(nothing) == ""
    no_list = Certificate(0.05, 0.0, 0.1, 20, 0.5, 0, 5, 0.1)
    assert certificate_sentence(no_list) == (
        "0 to 10% of all labels are wrong (95% confidence, valid whenever you stop; 20 rows drawn "
        "by lot)"
    )
    fixed = no_list._replace(fixed=20, agrees=False)
    assert "for the 20 verdicts that were fixed in advance" in certificate_sentence(fixed)
    assert certificate_sentence(fixed).endswith("disagree, so it is wider than it could be")
    early = no_list._replace(fixed=40)
    assert certificate_sentence(early) == (
        "20 rows drawn by lot: nothing is proven before 40, as was fixed"
    )


def test_without_suspects_none_is_said_to_be_decided(told):
    none = told | {"flagged": NONE_LEFT, "suspects": 0, "stop": True, "next_wrong": None}
    said = sentences(none)
    assert said["so_far"] == "no row is flagged"
    assert said["stop"] == ""
    assert said["left"].startswith("expected among the ")
