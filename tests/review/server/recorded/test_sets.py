import re

import pytest

from errata.review import read_audited, review_summary
from review.review_cases import write_sets_audit
from review.reviewing import Page, said

pytest.importorskip("starlette", reason="starlette is not installed")


@pytest.fixture
def pets(tmp_path):
    return write_sets_audit(tmp_path / "pets.audit")


@pytest.fixture
def page(pets):
    with Page(pets) as page:
        yield page


def verdict(page, row):
    return page.decisions.verdicts()[f"key{row}.0"]


def test_a_card_shows_labels_with_the_doubted_first(page):
    shown = page.get("/card/0").text  # a cat that looks like a dog
    names = ["cat", "dog", "owl", "old"]
    places = [shown.index(f'value="&#34;{name}&#34;"') for name in names]
    assert places == sorted(places)
    assert shown.count(" checked") == 2
    assert "wrongly set?" in shown
    assert "missing?" in shown
    assert "+ dog, \N{MINUS SIGN} cat" in shown


@pytest.mark.parametrize(
    ("kind", "given", "kept", "told"),
    [
        ("suggestion", [], '["dog", "old"]', "accepted the suggestion (dog; old)"),
        ("label", ['"owl"'], '["cat", "old"]', "kept the labels (cat; old)"),
        ("other", ['"old"', '"cat"'], '["cat", "old"]', "kept the labels (cat; old)"),
        ("other", ['"dog"', "old"], '["dog", "old"]', "accepted the suggestion (dog; old)"),
        ("other", ['"dog"', " owl ", '"dog"'], '["dog", "owl"]', "chose other labels (dog; owl)"),
        ("other", [""], "[]", "chose other labels ((none))"),
    ],
)
def test_the_verdict_is_the_set_of_labels(page, kind, given, kept, told):
    assert said(page.decide(0, kind, **{"class": given})) == f"Row 0: {told}."
    assert verdict(page, 0).class_text == kept


def test_labels_that_are_not_there_are_refused(page):
    refused = page.decide(0, "other", **{"class": ['"dog"', "ant"]})
    assert (refused.status_code, refused.text) == (422, "there is no label 'ant' in this table.")


def test_undo_and_a_new_start(page):
    page.decide(0, "other", **{"class": []})
    page.decide(1, "label")
    page.post("/undo", {"key": "undo"})
    with Page.again(page) as page:
        assert verdict(page, 0).class_text == "[]"
        assert verdict(page, 1).state == "seen"


def test_filters_ask_for_rows_with_a_label(page):
    page.decide(0, "suggestion")
    rows = {}
    for query in ("label=cat", "suggested=cat", "class=dog", "class=cat"):
        listed = page.get(f"/rows?queue=all&{query}").text
        rows[query] = set(map(int, re.findall(r'href="/card/(\d+)', listed)))
    assert {0, 3} <= rows["label=cat"]
    assert 1 not in rows["label=cat"]
    assert "<h1>120 rows</h1>" in page.get("/rows?queue=all&label=old").text
    assert 2 in rows["suggested=cat"]
    assert 0 not in rows["suggested=cat"]
    assert rows["class=dog"] == {0}
    assert rows["class=cat"] == set()


def test_a_row_is_wrong_when_any_label_is(page, pets):
    page.decide(0, "suggestion")
    page.decide(1, "label")
    told = review_summary(page.decisions, read_audited(pets), pets)
    assert told["labels"] == {"wrong": 1, "right": 1}
    assert "1 set of labels wrong, 1 right" in told["sentences"][1]
    assert page.review.tally.progress()["so_far"]["wrong"] == 1


def test_blindly_no_label_is_set(pets):
    with Page(pets, blind=True) as page:
        shown = page.get("/card/0").text
    assert "Which labels does it have?" in shown
    assert " checked" not in shown
    assert "missing?" not in shown


def test_a_second_audit_is_refused_in_a_sentence(page):
    refused = page.post("/reaudit", {})
    assert refused.status_code == 422
    assert "an audit of several labels per row takes no decisions" in refused.text
