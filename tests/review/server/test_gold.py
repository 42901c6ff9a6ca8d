"""Rows that test the reviewer, and a second reader."""

import re

import numpy as np
import pytest

import errata
from decision_cases import said as event
from review.review_cases import write_audit
from review.reviewing import Page, row_of, said

GOLD = range(90, 120)


@pytest.fixture
def tested(tmp_path):
    return write_audit(tmp_path / "pets.audit", gold=len(GOLD))


@pytest.fixture
def page(tested):
    with Page(tested, gold=0.2) as page:
        yield page


def gold_of(page, queue="suspects"):
    return [row for row in page.rows_in(queue) if row in GOLD]


def test_a_fifth_of_each_queue_tests_where_the_list_would_have_it(page, tested):
    with Page(tested.rename(tested.with_name("other.audit"))) as plain:
        for queue in ("suspects", "calibration", "spot", "all"):
            mixed = page.rows_in(queue)
            others = plain.rows_in(queue)
            assert [row for row in mixed if row not in GOLD] == others
            wanted = round(0.25 * len(others))
            assert len(gold_of(page, queue)) == min(wanted, 15 if queue != "all" else 30)
    assert all(row % 2 == 0 for row in gold_of(page, "suspects"))  # those that look like suspects
    assert all(row % 2 for row in gold_of(page, "spot"))
    rows = page.rows_in("suspects")
    p = page.review.folder.p_wrong[[page.review.folder.place(row) for row in rows]]
    at = np.flatnonzero(np.array(rows) >= 90)[0]
    assert p[at] == 0.9
    assert abs(p[at] - p[at - 1]) < 0.5


def test_the_places_are_the_same_after_a_new_start_and_others_for_others(tested):
    orders = []
    for name in ("ann", "ann", "bob"):
        with Page(tested, gold=0.2, reviewer=name) as page:
            orders.append(page.rows_in("suspects"))
    assert orders[0] == orders[1] != orders[2]


def test_a_card_does_not_tell_that_it_tests(page):
    gold = gold_of(page)[0]
    plain = page.get("/card/3").text
    shown = page.get(f"/card/{gold}").text
    tags = [
        re.findall(r"<(\w+)", text.partition('class="card-body"')[2]) for text in (plain, shown)
    ]
    assert tags[0] == tags[1]
    assert "gold" not in shown
    assert "90%" in shown
    label, suggested = re.findall(r"<dd><bdi>(\w+)</bdi>", shown)[:2]
    certain = page.review.folder.certain[f"key{gold}.0"]
    assert f'"{suggested}"' == certain != f'"{label}"'


def test_an_answer_is_kept_as_a_test_and_decides_nothing(page, tested):
    gold = gold_of(page)[0]
    before = page.review.tally.progress()
    answer = page.decide(gold, "suggestion")
    assert said(answer).startswith(f"Row {gold}: accepted the suggestion")
    assert page.review.state(page.review.folder.place(gold)) == "decided"
    assert page.decisions.verdicts() == {}
    assert page.review.tally.progress() == before
    last = list(page.decisions.events())[-1]
    assert (last.queue, last.row, last.class_text) == ("gold", gold, last.suggested)
    assert gold not in page.rows_waiting("suspects")
    page.post("/undo", {"key": "u", "filter": ""}, headers={"errata-part": "stage"})
    assert page.review.state(page.review.folder.place(gold)) == "unseen"
    assert dict(page.decisions.tests()) == {}


def test_cleaning_knows_nothing_of_tests(page):
    gold = gold_of(page)[0]
    page.decide(gold, "label")
    keys = page.review.folder.keys
    assert not len(errata.review.resolve(page.decisions, keys).rows)


def test_numbers_are_told_with_every_tenth_event(page):
    told = []
    rows = [row for row in page.rows_in("suspects") if row not in GOLD]
    for row in rows[:20]:
        answer = page.decide(row)
        told.append(re.search(r"<b>So far</b> ([^<]*)</p>", answer.text)[1])
    assert len(set(told)) == 3
    assert told[9] == told[18] == "10 of 10 were wrong (100%, 72 to &gt;99%); expected 92%"


def test_how_often_a_reviewer_is_right_stands_beside_the_name(page):
    gold = gold_of(page, "all")
    for row in gold[:20]:
        page.decide(row, "suggestion" if row % 2 == 0 else "label")
    right = "right on 20 of 20 gold rows (79 to 100%)"
    assert right in re.search(r'class="who".*?</span>', page.get("/").text)[0]
    assert f"ann was {right}" in page.get("/agreement").text
    assert "gold" not in re.search(r'<article id="card".*?</article>', page.get("/").text, re.S)[0]


def test_rows_that_people_decided_are_no_test_any_more(tested):
    with Page(tested) as page:
        for row in GOLD:
            page.decisions.record(event("label", row, row_key=f"key{row}.0"))
    with Page(tested, gold=0.2) as page:
        assert gold_of(page, "all") == []


def test_what_others_answered_is_not_told(tested):
    with Page(tested, gold=0.2, reviewer="bob") as page:
        gold = gold_of(page)
        for row in gold:
            page.decide(row, "label")
    with Page(tested, gold=0.2) as page:
        shared = next(row for row in gold_of(page) if row in gold)
        card = re.search(r"<article.*?</article>", page.get(f"/card/{shared}").text, re.S)[0]
        assert "bob" not in card
        assert f"/card/{shared}" not in page.get("/history").text
        assert page.review.state(page.review.folder.place(shared)) == "unseen"


def test_without_rows_that_are_certain_it_says_what_to_do(tmp_path):
    with pytest.raises(ValueError, match=r"has no rows whose label is certain.*--known"):
        Page(write_audit(tmp_path / "pets.audit"), gold=0.2)
    with pytest.raises(ValueError, match="gold is 1; give a fraction"):
        errata.review.serve(tmp_path / "pets.audit", gold=1)


@pytest.fixture
def second(tested):
    """What ann decided, for ben to read."""
    with Page(tested) as page:
        for row in range(6):
            page.decide(row, "suggestion")
        page.decide(6, "skip")
    with Page(tested, reviewer="ben", queue="second") as page:
        yield page


def test_a_second_reader_sees_what_others_decided_and_nothing_of_it(second):
    answer = second.get("/?queue=second")
    assert sorted(second.rows_in("second")) == list(range(6))
    text = answer.text
    assert "6 rows to go" in text
    assert "ann" not in text.partition('id="stage"')[2].partition('class="tools"')[0]
    assert "decided</span>" not in text
    assert "Disputed" not in text
    assert "ann" not in second.get("/history").text
    assert "<td><b><bdi>dog</bdi></b>" not in second.get("/rows?queue=second").text


def test_a_second_reader_is_told_how_far_they_agree(second):
    answer = second.get("/?queue=second")
    for kind in ("label", *["suggestion"] * 5):
        assert "agree on" not in answer.text
        row = row_of(answer)
        answer = second.decide(row, kind, key=f"ben's {row}", filter="queue=second")
    assert "ann and ben agree on 5 of 6 rows" in answer.text
    own = [event for event in second.decisions.events() if event.reviewer == "ben"]
    assert {event.queue for event in own} == {"second"}
    assert second.review.standing.counts()["disputed"] == 1
