import re

import numpy as np
import pytest

import errata
from auditing.vote_cases import crowd
from errata.report import render

pytest.importorskip("jinja2", reason="jinja2 is not installed")


@pytest.fixture(scope="module")
def summary():
    audit = errata.audit_votes(crowd()[0], random_state=0, title="pets.csv")
    audit._about["clean"] = "errata clean pets.audit -o items.csv"
    return audit.summary()


@pytest.fixture(scope="module")
def page(summary):
    return render(summary)


def text_of(page):
    body = re.sub(r"<(script|style).*?</\1>", " ", page, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body))


def test_the_page_speaks_of_items_votes_and_annotators(page, summary):
    text = text_of(page)
    assert "120 items · 600 votes · 8 annotators · 3 classes" in text
    assert f"Of 120 majority labels about {summary['noise_rate']['count']}" in text
    for heading in ("Annotators", "What all annotators confuse", "Which items to ask about next"):
        assert heading in text
    assert "writes the items with their label" in text
    assert "Items to look at" in text


def test_every_annotator_has_a_dot_within_its_interval(page, summary):
    assert page.count('class="dot"') == 8
    place = r'left:([\d.]+)%;width:([\d.]+)%"></span><span class="dot" style="left:([\d.]+)%'
    places = [[*map(float, found)] for found in re.findall(place, page)]
    assert [dot for _, _, dot in places] == [
        round(100 * w["accuracy"], 1) for w in summary["workers"]
    ]
    assert all(start <= dot <= start + length + 0.1 for start, length, dot in places)
    guessing = sum(worker["guessing"] for worker in summary["workers"])
    assert page.count('<tr class="guessing">') == guessing > 0


def test_names_of_annotators_are_escaped(summary):
    workers = [summary["workers"][0] | {"worker": "<script>alert(1)</script>"}]
    assert "<script>alert(1)" not in render(summary | {"workers": workers})


def test_the_data_of_the_page_holds_who_voted_what(page, summary):
    assert '"row":"item"' in page
    voter = summary["examples"][0]["votes"][0]["by"][0][0]
    assert f'["{voter}",' in page


def test_without_skill_the_page_says_what_may_help():
    votes = np.random.default_rng(3).integers(3, size=(150, 4))
    text = text_of(errata.audit_votes(votes, random_state=0).to_html())
    assert "These labels cannot be judged" in text
    assert "More votes: items that several annotators saw" in text
    assert "Items to look at" not in text
    assert "may be guessing" not in text  # of votes that tell nothing, nobody knows
