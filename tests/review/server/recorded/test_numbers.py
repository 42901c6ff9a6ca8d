import json
import os
import subprocess
from urllib.parse import urlencode

import pytest

from errata.review import read_audited, review_summary
from review.review_cases import write_numbers_audit
from review.reviewing import Page, row_of, said

pytest.importorskip("starlette", reason="starlette is not installed")


@pytest.fixture
def homes(tmp_path):
    return write_numbers_audit(tmp_path / "homes.audit")


@pytest.fixture
def page(homes):
    with Page(homes) as page:
        yield page


def verdict(page, row):
    return page.decisions.verdicts()[f"key{row}.0"]


def test_a_card_shows_the_number_its_interval_and_the_slip(page):
    shown = page.get("/card/7").text
    for part in ("70.5", "7.05", "6.0 to 8.0", "x10", "Keep number", "Another number"):
        assert part in shown
    assert 'name="label"' not in shown  # nobody looks for single numbers


@pytest.mark.parametrize(
    ("kind", "typed", "kept", "state"),
    [
        ("suggestion", "", "7.05", "accepted the suggestion (7.05)"),
        ("label", "", "70.5", "kept the number (70.5)"),
        ("other", " 71 ", "71", "typed another number (71)"),
        ("other", "-7.125e1", "-71.25", "typed another number (-71.25)"),
        ("other", "70.50000000001", "70.5", "kept the number (70.5)"),
        ("other", "7.05", "7.05", "accepted the suggestion (7.05)"),
    ],
)
def test_verdicts_are_numbers(page, kind, typed, kept, state):
    assert said(page.decide(7, kind, **{"class": typed})) == f"Row 7: {state}."
    assert verdict(page, 7).class_text == kept


@pytest.mark.parametrize("typed", ["", "much", "nan", "inf", "1_0", "12,5", "1e999"])
def test_what_is_no_number_is_said_to_be_none(page, typed):
    refused = page.decide(7, "other", **{"class": typed})
    assert refused.status_code == 422
    assert refused.text == f"{typed!r} is no number; type one with digits, such as 12.5."
    assert not page.decisions.verdicts()


def test_to_a_plain_form_it_is_said_beside_the_card(page):
    given = urlencode({"row": 7, "kind": "other", "class": "much", "key": "k", "filter": ""})
    kind = {"content-type": "application/x-www-form-urlencoded", "accept": "text/html"}
    refused = page.ask("POST", "/decide", content=given, headers=kind)
    assert refused.status_code == 422
    assert row_of(refused) == 7
    assert said(refused).startswith("Not saved: 'much' is no number")


def test_undo_and_a_new_start(page):
    page.decide(7, "other", **{"class": "71"})
    page.decide(8, "label")
    page.post("/undo", {"key": "undo"})
    with Page.again(page) as page:
        assert verdict(page, 7).class_text == "71"
        assert verdict(page, 8).state == "seen"
        assert "typed another number: <b><bdi>71" in page.get("/card/7").text


def test_numbers_that_differ_by_rounding_are_right(page, homes):
    first = next(row for row, *_ in page.review.folder.numbers["piles"]["calibration"])
    page.decide(first, "label", filter="queue=calibration")
    page.decide(1 if first == 0 else 0, "suggestion")
    so_far = page.review.tally.progress()["so_far"]
    told = review_summary(page.decisions, read_audited(homes), homes)
    assert told["labels"] == {"wrong": 1, "right": 1}
    assert so_far["wrong"] == told["progress"]["numbers"]["so_far"]["wrong"] == 1
    assert "1 number wrong, 1 right" in told["sentences"][1]
    assert "of all numbers are wrong" in told["certificate"]["sentence"]
    assert "of all numbers are wrong" in page.get("/agreement").text


def test_blindly_nothing_but_a_field_is_shown(homes):
    with Page(homes, blind=True) as page:
        shown = page.get("/card/7").text
    assert "Which number is it?" in shown
    assert 'name="class"' in shown
    assert not any(part in shown for part in ("70.5", "7.05", "6.0 to 8.0", "x10"))


def test_all_rows_of_a_filter_at_once(page):
    waiting = len(page.review.standing.suspects)
    page.post("/bulk", {"kind": "suggestion", "count": waiting, "key": "b", "filter": ""})
    assert verdict(page, 3).class_text == "3.05"


def test_a_second_audit_is_one_of_numbers(homes, monkeypatch, tmp_path):
    commands = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: commands.append(command))
    table = tmp_path / "homes.csv"
    table.write_text("species\n1\n")
    path = homes / "audit.json"
    numbers = json.loads(path.read_text())
    path.write_text(json.dumps(numbers | {"about": numbers["about"] | {"table": str(table)}}))
    with Page(homes, table=table) as page:
        page.post("/reaudit", {})
        os.close(page.app.state.reaudit.log)
    assert commands[0][1:7] == ["-P", "-m", "errata.cli", "audit", str(table), "--target"]


def test_numbers_do_not_agree_by_chance(page, homes):
    page.decide(7, "label")
    page.decisions.record(next(page.decisions.events())._replace(reviewer="bob", key="b", id=None))
    told = review_summary(page.decisions, read_audited(homes), homes)["agreement"]
    assert [(pair["alike"], pair["kappa"]) for pair in told] == [(1, None)]
    shown = page.get("/agreement").text
    assert "bob" in shown
    assert "Kappa" not in shown
