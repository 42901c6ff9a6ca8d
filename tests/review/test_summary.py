import json

import numpy as np
import pytest

from decision_cases import said
from errata.audit_folder import OTHERS, SUSPECTS
from errata.review import Audited, Decisions, review_summary
from errata.review.inference import gather_components
from errata.tables import write_table

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

N = 40
FLAGGED = np.arange(N) < 10
P = np.where(FLAGGED, 0.8, 0.05)
AUDITED = Audited(
    fingerprint="5f0c",
    table="pets.csv",
    columns=["pet"],
    keys=[f"row.{row}" for row in range(N)],
    labels=["cat"] * N,
    suggested=["dog"] * N,
    p_wrong=P,
    p_suggested=P,
    flagged=FLAGGED,
    suspicion=P,
)
CALIBRATION = [[3, 0.4, SUSPECTS], [12, 0.1, OTHERS], [7, 0.4, SUSPECTS]]


@pytest.fixture
def folder(tmp_path):
    """What an audit of recordings leaves: nothing about single rows."""
    (tmp_path / "audit.json").write_text("{}")
    return tmp_path


@pytest.fixture
def decisions(tmp_path):
    with Decisions(tmp_path / "pets.decisions") as opened:
        yield opened


def with_components(folder, spot=(30, 20, 25, 35)):
    p = P[:, None].astype(np.float32)
    components = gather_components(["uniform"], np.ones(1), p, FLAGGED, P.sum())
    piles = {"calibration": CALIBRATION, "spot": list(spot)}
    numbers = {"components": components.as_dict(), "piles": piles}
    (folder / "audit.json").write_text(json.dumps(numbers))
    write_table(folder / "components.parquet", {"0": p[:, 0]})
    return folder


def spot_of(decisions, folder):
    numbers = review_summary(decisions, AUDITED, folder)["progress"]["numbers"]
    return tuple(numbers["spot"].values())


def test_rows_and_reviewers_are_counted(decisions, folder):
    decisions.record_all([said("suggestion", row) for row in range(3)])
    decisions.record(said("label", 3))
    decisions.record(said("unusable", 4))
    decisions.record(said("skip", 5, "bob"))
    decisions.record(said("label", 0, "bob"))
    told = review_summary(decisions, AUDITED, folder)
    assert told["events"] == 7
    assert told["reviewers"] == {"ann": 5, "bob": 2}
    assert told["rows"] == {"decided": 3, "disputed": 1, "skipped": 1, "unusable": 1}
    assert told["labels"] == {"wrong": 2, "right": 1}
    assert told["flagged"] == {"rows": 10, "undecided": 6}
    assert told["disputed"] == [0]
    assert told["progress"] is None
    json.dumps(told, allow_nan=False)


def test_a_class_for_a_row_without_a_label_says_nothing_about_labels(decisions, folder):
    decisions.record_all([said("suggestion", row) for row in range(3)])
    blank = AUDITED._replace(labels=[None, *AUDITED.labels[1:]])
    told = review_summary(decisions, blank, with_components(folder))
    assert told["rows"] == {"decided": 3}
    assert told["labels"] == {"wrong": 2, "right": 0}
    assert told["sentences"][1] == "3 rows decided: 2 labels wrong, 0 right, 1 missing."
    assert told["progress"]["numbers"]["so_far"]["decided"] == 2


def test_progress_is_told_in_numbers_and_sentences(decisions, folder):
    decisions.record_all([said("suggestion", row) for row in range(6)])
    decisions.record(said("label", 6))
    told = review_summary(decisions, AUDITED, with_components(folder))["progress"]
    so_far = told["numbers"]["so_far"]
    assert (so_far["wrong"], so_far["decided"]) == (6, 7)
    np.testing.assert_allclose(so_far["expected"], 0.8, rtol=1e-12, atol=0)
    assert told["numbers"]["flagged"]["rows"] == 3
    assert told["sentences"]["so_far"].startswith("6 of 7 were wrong (86%")
    json.dumps(told, allow_nan=False)


def test_suspects_that_nobody_could_tell_are_not_left(decisions, folder):
    decisions.record_all([said("ambiguous", 0), said("unusable", 1), said("skip", 2)])
    told = review_summary(decisions, AUDITED, with_components(folder))["progress"]
    assert told["numbers"]["flagged"]["rows"] == 8
    assert told["sentences"]["left"].startswith("expected among 8 unreviewed suspects: ")


def test_nothing_is_expected_where_the_columns_tell_nothing(decisions, folder):
    decisions.record(said("label", 6))
    numbers = json.loads((with_components(folder) / "audit.json").read_text())
    (folder / "audit.json").write_text(json.dumps(numbers | {"has_skill": False}))
    assert review_summary(decisions, AUDITED, folder)["progress"] is None


def test_the_spot_check_counts_as_far_as_it_went(decisions, folder):
    decisions.record(said("label", 30, queue="spot"))
    decisions.record(said("suggestion", 20, queue="spot"))
    decisions.record(said("label", 25, queue="all"))  # further down: not drawn yet
    assert spot_of(decisions, with_components(folder))[:2] == (1, 2)


def test_suspects_say_nothing_of_what_was_missed(decisions, folder):
    for row in (30, 2, 20):
        decisions.record(said("suggestion", row, queue="spot"))
    assert spot_of(decisions, with_components(folder, spot=(30, 2, 20)))[:2] == (2, 2)


def test_a_spot_check_ends_at_a_gap(decisions, folder):
    decisions.record(said("label", 30, queue="spot"))
    decisions.record(said("suggestion", 25, queue="spot"))  # 20 is before it
    assert spot_of(decisions, with_components(folder))[:2] == (0, 1)


def test_rows_of_a_spot_check_that_nobody_could_tell_may_be_wrong(decisions, folder):
    decisions.record(said("label", 30, queue="spot"))
    decisions.record(said("ambiguous", 20, queue="spot"))
    wrong, decided, at_most, missed, unsure = spot_of(decisions, with_components(folder))
    assert (wrong, decided, unsure) == (0, 2, 1)
    np.testing.assert_allclose(at_most, 0.95**0.5, rtol=1e-9, atol=0)
    assert missed == 29


def test_draws_for_another_audit_are_none_for_this_one(decisions, folder):
    decisions.record(said("label", 30, queue="spot", audit="0ld"))
    decisions.record(said("suggestion", 3, queue="calibration", audit="0ld"))
    assert spot_of(decisions, with_components(folder))[1] == 0
    assert review_summary(decisions, AUDITED, folder)["certificate"] is None


def test_rows_drawn_by_lot_prove_something(decisions, folder):
    with_components(folder)
    decisions.record(said("suggestion", 3, queue="calibration"))
    decisions.record(said("label", 12, queue="calibration"))
    told = review_summary(decisions, AUDITED, folder)
    proven = told["certificate"]
    assert proven["numbers"]["verdicts"] == 2
    assert 0 < proven["numbers"]["low"] < proven["numbers"]["high"] < 1
    assert "(95% confidence, valid whenever you stop; 2 rows drawn" in told["sentences"][-1]
    fixed = review_summary(decisions, AUDITED, folder, fixed=2)["certificate"]["numbers"]
    assert fixed["fixed"] == 2
    json.dumps(told, allow_nan=False)


def test_a_row_of_a_pile_that_was_reached_by_suspicion_is_no_draw(decisions, folder):
    with_components(folder)
    decisions.record(said("suggestion", 3))
    assert review_summary(decisions, AUDITED, folder)["certificate"] is None
    decisions.record(said("label", 12, queue="calibration"))
    decisions.record(said("suggestion", 7))
    proven = review_summary(decisions, AUDITED, folder)["certificate"]
    assert proven["numbers"]["verdicts"] == 2  # 3 was above 12, 7 is below


def test_who_could_not_say_widens_what_is_proven(decisions, folder):
    with_components(folder)
    decisions.record(said("label", 3, queue="calibration"))
    narrow = review_summary(decisions, AUDITED, folder)["certificate"]["numbers"]
    decisions.record(said("ambiguous", 3, queue="calibration"))
    wide = review_summary(decisions, AUDITED, folder)["certificate"]["numbers"]
    assert wide["low"] <= narrow["low"]
    assert wide["high"] > narrow["high"]


def test_rows_that_were_certain_before_are_no_evidence(decisions, folder):
    with_components(folder)
    before = review_summary(decisions, AUDITED, folder)["progress"]["numbers"]
    decisions.record_all([said("label", row) for row in range(20, 30)])
    known = AUDITED._replace(known=(np.arange(N) >= 20) & (np.arange(N) < 30))
    after = review_summary(decisions, known, folder)["progress"]["numbers"]
    assert after == before
    assert review_summary(decisions, AUDITED, folder)["progress"]["numbers"] != before


def test_gold_rows_tell_how_often_a_reviewer_is_right(decisions, folder):
    with_components(folder)
    known = AUDITED._replace(known=np.arange(N) >= 36)
    decisions.record(said("label", 3, queue="calibration"))
    decisions.record_all([said("label", row, queue="gold") for row in (36, 37)])
    decisions.record(said("suggestion", 38, queue="gold"))
    told = review_summary(decisions, known, folder)
    assert told["rows"] == {"decided": 1}
    assert told["reviewers"] == {"ann": 1}
    numbers = told["gold"][0]["numbers"]
    assert (numbers["rows"], numbers["right"], numbers["alarms"]) == (3, 2, 1)
    assert told["sentences"][3].startswith("ann was right on 2 of 3 gold rows (")
    assert "allowing for slips as in 3 gold rows" in told["certificate"]["sentence"]
    decisions.record(said("label", 12, "bob", queue="calibration"))
    told = review_summary(decisions, known, folder)
    assert "allowing" not in told["certificate"]["sentence"]  # bob was not tested
