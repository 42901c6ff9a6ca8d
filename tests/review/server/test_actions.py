import errno
import html
import json
import re

import numpy as np
import pytest

import errata
from auditing.vote_cases import PETS, crowd, measured
from errata.review import as_text
from errata.review.server._keys import KEYS
from errata.review.server._serve import read_keys
from errata.review.server._standing import RowFilter
from review.review_cases import write_audit
from review.reviewing import PART, Page, row_of, said


def kinds(page):
    return [event.kind for event in page.decisions.events()]


def shown(page, path="/"):
    return row_of(page.get(path))


def test_a_decision_is_kept_before_the_next_row_is_shown(page):
    first = shown(page)
    answer = page.decide(first)
    assert answer.status_code == 200
    assert row_of(answer) not in (first, None)
    (event,) = page.decisions.events()
    assert (event.row, event.kind, event.reviewer, event.audit) == (
        first,
        "suggestion",
        "ann",
        "f00d",
    )
    assert said(answer) == f"Row {first}: accepted the suggestion ({json.loads(event.class_text)})."


def test_what_was_seen_is_kept_with_the_decision(page):
    page.decide(4, "label", shown="1000000000.5")
    (event,) = page.decisions.events()
    assert (event.label, event.suggested) == ('"dog"', '"owl"')
    assert event.p_wrong == pytest.approx(0.925, abs=1e-9)
    assert event.queue in ("suspects", "calibration")
    assert event.seconds > 1e8


@pytest.mark.parametrize("step", ["/decide", "/note", "/undo", "/redo", "/bulk"])
def test_one_key_reads_the_event_log_at_most_twice(page, step):
    page.decide(3)
    page.decide(4)
    if step == "/redo":
        page.post("/undo", {"key": "k", "filter": ""}, headers=PART)
    waiting = len(page.review.standing.waiting(RowFilter("spot")))
    sent = {"row": 5, "kind": "label", "key": "new", "filter": "", "note": "why"}
    if step == "/bulk":
        sent |= {"count": waiting, "filter": "queue=spot"}
    statements = []
    before = len(list(page.decisions.events()))
    page.decisions._log.connection.set_trace_callback(statements.append)
    answer = page.post(step, sent, headers=PART)
    assert answer.status_code == 200, answer.text
    assert 1 <= sum("FROM event" in statement for statement in statements) <= 2
    assert len(list(page.decisions.events())) > before


def test_a_request_sent_twice_is_one_event(page):
    assert page.decide(3).status_code == 200
    assert page.decide(3).status_code == 200
    assert kinds(page) == ["suggestion"]


def test_the_same_key_with_another_content_is_refused(page):
    page.decide(3)
    answer = page.decide(3, "label")
    assert answer.status_code == 409
    assert kinds(page) == ["suggestion"]


@pytest.mark.parametrize(
    ("given", "status", "sentence"),
    [
        ({"row": 999, "kind": "label"}, 404, "row '999' has no card"),
        ({"row": "-1", "kind": "label"}, 404, "has no card"),
        ({"row": "²", "kind": "label"}, 404, "has no card"),
        ({"row": 3}, 422, "there is no verdict ''"),
        ({"row": 3, "kind": "maybe"}, 422, "there is no verdict 'maybe'"),
        ({"row": 3, "class": "fish"}, 422, "there is no class 'fish'"),
        ({"row": 3, "kind": "other"}, 422, "there is no class ''"),
        ({"row": 3, "kind": "undo"}, 422, "there is no verdict 'undo'"),
        ({"row": 3, "kind": "label", "note": "x" * 4001}, 422, "4,000 characters, not 4,001"),
        ({"row": 3, "kind": "label", "filter": "queue=none"}, 422, "there is no queue 'none'"),
    ],
)
def test_what_cannot_be_is_told_and_changes_nothing(page, given, status, sentence):
    answer = page.post("/decide", given | {"key": "k"}, headers=PART)
    assert answer.status_code == status
    assert sentence in answer.text
    assert kinds(page) == []


@pytest.mark.parametrize(
    ("chosen", "kind"), [('"owl"', "suggestion"), ("dog", "label"), (" cat ", "other")]
)
def test_a_class_may_be_chosen_by_its_text_or_its_name(page, chosen, kind):
    given = {"row": 4, "class": chosen, "key": "k"}
    assert page.post("/decide", given, headers=PART).status_code == 200
    (event,) = page.decisions.events()
    assert (event.kind, event.class_text) == (
        kind,
        as_text(json.loads(chosen) if '"' in chosen else chosen.strip()),
    )


def test_undo_and_redo_bring_the_row_back(page):
    first = shown(page)
    page.decide(first)
    answer = page.post("/undo", {"key": "u"}, headers=PART)
    assert row_of(answer) == first
    assert said(answer) == f"Undone: row {first}."
    assert page.decisions.verdicts()[f"key{first}.0"].state == "seen"
    assert said(page.post("/undo", {"key": "v"}, headers=PART)) == "Nothing to undo."
    page.post("/redo", {"key": "r"}, headers=PART)
    assert page.decisions.verdicts()[f"key{first}.0"].state == "decided"


def test_an_undo_sent_twice_is_one_undo(page):
    page.decide(1)
    page.decide(2)
    page.post("/undo", {"key": "u"}, headers=PART)
    page.post("/undo", {"key": "u"}, headers=PART)
    assert kinds(page) == ["suggestion", "suggestion", "undo"]


def test_any_event_of_the_history_can_be_taken_back(page):
    page.decide(1)
    page.decide(2)
    first = next(page.decisions.events()).id
    page.post("/undo", {"of": first, "key": "u"})
    assert page.decisions.verdicts()["key1.0"].state == "seen"
    assert page.decisions.verdicts()["key2.0"].state == "decided"


def test_a_note_stays_with_its_row(page):
    answer = page.post(
        "/note", {"row": 3, "key": "n", "note": "blurred\r\nand dark "}, headers=PART
    )
    assert row_of(answer) == 3
    assert page.decisions.verdicts()["key3.0"].note == "blurred\nand dark"
    assert page.decisions.verdicts()["key3.0"].state == "seen"
    assert "blurred" in page.get("/card/3").text
    empty = page.post("/note", {"row": 3, "key": "m", "note": "  "}, headers=PART)
    assert (empty.status_code, empty.text) == (422, "the note is empty.")


def test_a_second_tab_is_told_that_the_row_was_decided(page):
    in_time = re.search(r'name="shown" value="([\d.]+)"', page.get("/card/3").text)[1]
    page.decide(3, key="one", shown=in_time)
    answer = page.decide(3, "label", key="two", shown=in_time)
    assert "decided elsewhere since you opened it" in said(answer)
    assert kinds(page) == ["suggestion", "label"]
    now = re.search(r'name="shown" value="([\d.]+)"', page.get("/card/3").text)[1]
    assert "elsewhere" not in said(page.decide(3, key="three", shown=now))


def filled(page, **conditions):
    return "&".join(f"{name}={value}" for name, value in conditions.items())


def test_many_rows_are_decided_and_taken_back_at_once(page):
    page.decide(1, "label")
    within = filled(page, queue="suspects", low=0.9)
    waiting = len(page.review.standing.waiting(page_filter(page, low="0.9")))
    given = {"filter": within, "kind": "suggestion", "count": waiting, "key": "b"}
    answer = page.post("/bulk", given, headers=PART)
    assert said(answer) == f"{waiting} rows decided at once; one undo takes all of it back."
    states = page.review.standing.counts()
    assert states["decided"] == waiting + 1
    assert page.decisions.verdicts()["key1.0"].class_text == '"dog"'  # what a person said stays
    page.post("/undo", {"key": "u"}, headers=PART)
    assert page.review.standing.counts()["decided"] == 1


def page_filter(page, **conditions):
    from errata.review.server._standing import RowFilter

    return RowFilter("suspects", **conditions)


def test_bulk_is_refused_when_rows_are_no_longer_as_many(page):
    waiting = len(page.review.standing.waiting(page_filter(page)))
    page.decide(1)
    given = {"filter": "queue=suspects", "kind": "label", "count": waiting, "key": "b"}
    answer = page.post("/bulk", given, headers=PART)
    assert answer.status_code == 409
    assert f"{waiting - 1} rows wait now, not {waiting}" in answer.text
    assert page.post("/bulk", given | {"kind": "note"}).status_code == 422
    assert kinds(page) == ["suggestion"]


def test_a_bulk_request_sent_twice_is_one_batch(page):
    waiting = len(page.review.standing.waiting(page_filter(page, label="owl")))
    given = {"filter": "queue=suspects&label=owl", "kind": "skip", "count": waiting, "key": "b"}
    assert page.post("/bulk", given, headers=PART).status_code == 200
    assert page.post("/bulk", given, headers=PART).status_code == 200
    assert len(kinds(page)) == waiting


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (OSError(errno.ENOSPC, "cannot write x: no space is left on the disk."), 507),
        (PermissionError("cannot write x: it can only be read."), 500),
    ],
)
def test_what_cannot_be_written_is_told_and_the_card_stays(page, monkeypatch, error, status):
    def fail(_):
        raise error

    monkeypatch.setattr(page.decisions, "record", fail)
    answer = page.decide(3)
    assert answer.status_code == status
    assert answer.text.startswith("cannot write x")
    assert page.review.standing.counts()["decided"] == 0


def test_blindly_nothing_says_which_class_is_the_label(audit):
    with Page(audit, blind=True) as page:
        text = page.get("/card/4").text
        assert "Suggested" not in text
        assert "wrong with probability" not in text
        assert "models predict" not in text
        answer = page.post("/decide", {"row": 4, "class": '"dog"', "key": "k"}, headers=PART)
        assert said(answer) == "Row 4: decided."
        assert "were wrong" not in answer.text
        assert "accepted" not in page.get("/history").text
        orders = {tuple(class_names(page.get(f"/card/{row}").text)[:2]) for row in range(0, 30, 3)}
        assert orders == {("cat", "dog"), ("dog", "cat")}  # row 0, 3, ...: label cat, suggested dog


def class_names(text):
    return [html.unescape(name) for name in re.findall(r'class-name"><bdi>([^<]*)', text)]


HOSTILE = ["<script>alert(1)</script>", "</textarea><b>", "{{7*7}}", "a\x00b", "\u202eexe", " ", ""]


def test_labels_are_text_whatever_they_hold(tmp_path):
    with Page(write_audit(tmp_path / "odd.audit", classes=tuple(HOSTILE))) as page:
        for path in ("/card/1", "/rows", "/history", "/?label=%3Cscript%3E"):
            text = page.get(path).text
            assert "<script>alert" not in text
            assert "</textarea><b>" not in text
            assert "\x00" not in text
            assert "\u202e" not in text
        text = html.unescape(page.get("/card/1").text)
        assert "{{7*7}}" in text
        assert "(empty text)" in text
        assert "(1 space)" in text
        for row, label in enumerate(HOSTILE):
            assert page.decide(row, "label").status_code == 200
            assert page.decisions.verdicts()[f"key{row}.0"].class_text == as_text(label)
        sent = html.unescape(
            re.findall(r'name="class" value="([^"]*)"', page.get("/card/3").text)[0]
        )
        assert page.post("/decide", {"row": 3, "class": sent, "key": "z"}).status_code == 303


def test_nothing_is_forecast_where_the_columns_tell_nothing(audit):
    numbers = json.loads((audit / "audit.json").read_text())
    (audit / "audit.json").write_text(json.dumps(numbers | {"has_skill": False}))
    with Page(audit) as page:
        shown = page.get("/").text
    assert "do not tell the labels apart" in shown
    assert "expected among" not in shown


def test_without_wishes_keys_are_as_documented():
    assert read_keys(None) == KEYS


def test_an_action_gets_another_key():
    assert read_keys("accept=Enter,keep=J")["keep"] == ("j",)
    assert read_keys("accept=Enter,keep=J")["accept"] == ("Enter",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("jump=j", "there is no action 'jump'"),
        ("keep=", "names no key for keep"),
        ("keep=3", "names no key for keep"),
        ("keep=u", "the key u would do two things, keep and undo"),
    ],
)
def test_keys_that_cannot_be_are_told(text, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_keys(text)


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
