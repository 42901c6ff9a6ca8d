"""What a card offers and says, by what was decided so far."""

import re

import pytest

from errata.review.server._stage import build_card
from errata.review.server._standing import RowFilter


def card_of(page, row):
    return build_card(page.review, page.review.folder.place(row), RowFilter("suspects"))


@pytest.mark.parametrize(("kind", "is_doubted"), [("label", False), ("suggestion", True)])
def test_the_likelier_answer_is_offered_first(page, kind, is_doubted):
    place = page.review.folder.place(39)
    assert page.review.tally.p_wrong(place) == pytest.approx(0.53, abs=0.01)  # by the audit
    for row in range(15):
        page.decide(row, kind)
    assert (page.review.tally.p_wrong(place) > 0.6) == is_doubted
    assert card_of(page, 39)["is_doubted"] == is_doubted
    offered = re.findall(r'value="(\w+)" class="button"', page.get("/card/39").text)
    assert offered == ["suggestion" if is_doubted else "label"]


def test_classes_follow_the_chance_of_the_label(page):
    for row in range(15):
        page.decide(row, "label")
    card = card_of(page, 39)
    label = next(each for each in card["classes"] if each["name"] == card["label"])
    p_wrong = page.review.tally.p_wrong(page.review.folder.place(39))
    assert label["width"] == pytest.approx(100 * (1 - p_wrong), abs=0.1)
    assert card["classes"][0] == label


def test_what_is_unusual_comes_before_what_models_say(page):
    first = card_of(page, 0)["reasons"]
    assert first[0] == "Unusual for cat: weight is 31, usually 4."
    assert "predict" in first[-1]
    assert "predict" in card_of(page, 1)["reasons"][-1]


def test_the_bar_counts_what_waits_now(page):
    assert '<li data-of="suspects">40</li>' in page.get("/").text
    text = page.decide(0).text
    assert '<li data-of="suspects">39</li>' in text
    assert '<li data-of="disputed" hidden>0</li>' in text


def test_calibration_says_why_and_leads_there(page):
    assert "40 rows drawn by lot</a> tell errors from classes that overlap" in page.get("/").text
    assert "These rows are drawn by lot" in page.get("/?queue=calibration").text
