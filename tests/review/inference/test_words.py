import numpy as np
import pytest

from errata.review.inference import (
    Certificate,
    certificate_sentence,
    no_evidence,
    progress,
    sentences,
)
from errata.review.inference._progress import (
    Left,
    Pace,
    SoFar,
    Spot,
    left_sentence,
    pace_sentence,
    so_far_sentence,
    spot_sentence,
    stop_sentence,
    warning_sentence,
)
from review.reviewed_tables import draw_table


@pytest.fixture
def told():
    table = draw_table("uniform")
    return progress(table.components, no_evidence(table.components), np.full(3, 0.01))


def test_every_part_of_the_page_has_its_sentence(told):
    said = sentences(told)
    assert said["so_far"] == "no suspect is decided yet"
    assert said["warning"] == said["spot"] == ""
    assert said["stop"] == "only 1.0% of the next are expected to be wrong: time to stop"
    assert said["pace"] == "about 95% found after 3 more"


def test_one_is_not_many():
    assert so_far_sentence(SoFar(1, 1, 0.2, 1.0, 0.9)).startswith("1 of 1 was wrong (100%, 20 to")
    assert so_far_sentence(SoFar(0, 1, 0.0, 0.79, 0.66)).startswith("0 of 1 was wrong (0%, 0 to")
    assert spot_sentence(Spot(2, 60, 0.1, 9)).startswith("2 of 60 spot-checked were wrong: at most")
    unsure = spot_sentence(Spot(0, 60, 0.1, 9, 3))
    assert unsure.startswith("none of 60 spot-checked was wrong, 3 may be: at most 10%")
    assert pace_sentence(Pace(3, 0.2)) == "about 95% found after 3 more, 1 minute"
    assert pace_sentence(Pace(0, None)) == ""


def test_a_broken_promise_is_told_which_way():
    assert warning_sentence(SoFar(5, 10, 0.3, 0.7, 0.5)) == ""
    assert warning_sentence(SoFar(1, 10, 0.1, 0.4, 0.5)).startswith("fewer were wrong than")
    assert warning_sentence(SoFar(9, 10, 0.6, 0.9, 0.5)).startswith("more were wrong than")


def test_a_spot_check_gives_what_is_left_an_interval(told):
    checked = told._replace(others=Left(900, 9.4, 2.2, 15.1), spot=Spot(0, 60, 0.05, 45))
    assert left_sentence(checked).endswith("among the 900 not flagged: 9 (2 to 16)")
    done = checked._replace(flagged=Left(0, 0.0, 0.0, 0.0))
    assert left_sentence(done) == "expected among the 900 not flagged: 9 (2 to 16)"


def test_the_end_of_the_list_is_told(told):
    assert stop_sentence(told._replace(next_wrong=None)) == "every suspect is decided"
    assert stop_sentence(told._replace(stop=False)) == ""


def test_suspects_that_nobody_could_tell_are_suspects(told):
    done = told._replace(flagged=Left(0, 0.0, 0.0, 0.0), stop=True, next_wrong=None)
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
    none = told._replace(flagged=Left(0, 0.0, 0, 0), suspects=0, stop=True, next_wrong=None)
    said = sentences(none)
    assert said["so_far"] == "no row is flagged"
    assert said["stop"] == ""
    assert said["left"].startswith("expected among the ")
