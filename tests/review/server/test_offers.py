"""What a card offers and says, by what was decided so far."""

import re

import pytest


def reasons_for(page, row):
    (listed,) = re.findall("<h2>Why</h2><ul>(.*?)</ul>", page.get(f"/card/{row}").text)
    return re.findall("<li>(.*?)</li>", listed)


@pytest.mark.parametrize(("kind", "is_doubted"), [("label", False), ("suggestion", True)])
def test_the_likelier_answer_is_offered_first(page, kind, is_doubted):
    place = page.review.folder.place(39)
    assert page.review.tally.p_wrong(place) == pytest.approx(0.53, abs=0.01)  # by the audit
    for row in range(15):
        page.decide(row, kind)
    assert (page.review.tally.p_wrong(place) > 0.6) == is_doubted
    offered = re.findall(r'value="(suggestion|label)" class="(button)?"', page.get("/card/39").text)
    answers = ["suggestion", "label"] if is_doubted else ["label", "suggestion"]
    assert [answer for answer, _ in offered] == answers
    assert [bool(style) for _, style in offered] == [True, False]


def test_classes_follow_the_chance_of_the_label(page):
    for row in range(15):
        page.decide(row, "label")
    text = page.get("/card/39").text
    label = re.search("<dd><bdi>(.*?)</bdi>", text)[1]
    widths = re.findall(r'<bdi>([^<]*)</bdi></span>.*?height="4"/><rect width="([\d.]+)"', text)
    p_wrong = page.review.tally.p_wrong(page.review.folder.place(39))
    assert widths[0][0] == label
    assert float(widths[0][1]) == pytest.approx(100 * (1 - p_wrong), abs=0.1)


def test_what_is_unusual_comes_before_what_models_say(page):
    first = reasons_for(page, 0)
    assert first[0] == "Unusual for cat: weight is 31, usually 4."
    assert "predict" in first[-1]
    assert "predict" in reasons_for(page, 1)[-1]


def test_the_bar_counts_what_waits_now(page):
    assert '<li data-of="suspects">40</li>' in page.get("/").text
    text = page.decide(0).text
    assert '<li data-of="suspects">39</li>' in text
    assert '<li data-of="disputed" hidden>0</li>' in text


def test_calibration_says_why_and_leads_there(page):
    assert "40 rows drawn by lot</a> tell errors from classes that overlap" in page.get("/").text
    assert "These rows are drawn by lot" in page.get("/?queue=calibration").text
