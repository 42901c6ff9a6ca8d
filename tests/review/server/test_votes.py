import re

import numpy as np
import pytest

import errata
from review.reviewing import Page
from vote_cases import PETS, crowd, measured

pytest.importorskip("starlette", reason="starlette is not installed")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("votes")
    votes, truth = crowd()
    errata.audit_votes(votes, classes=[*PETS, "fish"], random_state=0).save(folder / "a.audit")
    errata.audit_votes(votes, X=measured(truth), random_state=0).save(folder / "b.audit")
    return folder


@pytest.fixture
def row(saved):
    return int(np.argmax(errata.VoteAudit.load(saved / "a.audit").p_wrong))


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.text))


def test_a_card_shows_who_voted_what(saved, row):
    audit = errata.VoteAudit.load(saved / "a.audit")
    example = next(each for each in audit.examples if each["row"] == row)
    with Page(saved / "a.audit") as page:
        shown = text_of(page.get(f"/card/{row}"))
    assert f"Item {row}" in shown
    assert "Who voted what, and how often each is right" in shown
    for side in example["votes"]:
        assert f"{side['label']} {side['count']} vote" in shown
        assert all(name in shown for name, _ in side["by"])
    assert "Rows most like it" not in shown  # without a table there is nothing to compare


def test_blindly_the_votes_are_not_shown(saved, row):
    with Page(saved / "a.audit", blind=True) as page:
        assert "Who voted what" not in page.get(f"/card/{row}").text


def test_with_a_table_items_like_it_are_shown(saved, row):
    with Page(saved / "b.audit") as page:
        shown = text_of(page.get(f"/card/{row}"))
    assert "Rows most like it" in shown
    assert "column 0" in shown


def test_all_classes_of_the_votes_can_be_chosen(saved, row):
    with Page(saved / "a.audit") as page:
        assert page.review.folder.recorded.classes == [*PETS.tolist(), "fish"]
        done = page.decide(row, kind=None, **{"class": "fish"})
        assert done.status_code < 400, done.text
    cleaned = errata.VoteAudit.load(saved / "a.audit").clean(decisions=saved / "a.decisions")
    assert cleaned.labels[row] == "fish"


def test_votes_are_not_audited_again_with_decisions(saved):
    with Page(saved / "a.audit") as page:
        refused = page.post("/reaudit", {})
    assert refused.status_code == 422
    assert "an audit of votes takes no decisions" in refused.text
