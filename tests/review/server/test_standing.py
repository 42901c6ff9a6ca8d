import time

import numpy as np
import pytest

from errata.review import Event, read_audited, review_summary
from errata.review.server import _stage
from errata.review.server._folder import AuditFolder, find_table, read_texts
from errata.review.server._standing import RowFilter
from review.review_cases import parquet, pyarrow, write_audit
from review.reviewing import PART, Page, row_of


def numbers(page, **conditions):
    chosen = RowFilter(conditions.pop("queue", "suspects"), **conditions)
    return page.review.folder.rows[page.review.standing.rows_in(chosen)].tolist()


def test_the_suspects_are_the_flagged_rows_and_piles_are_queues_of_their_own(page):
    pile = [row for row, *_ in page.review.folder.numbers["piles"]["calibration"]]
    assert numbers(page) == list(range(40))
    assert numbers(page, queue="calibration") == pile
    assert numbers(page, queue="spot") == page.review.folder.numbers["piles"]["spot"]
    assert len(numbers(page, queue="all")) == len(page.review.folder.rows)


def test_rows_of_the_pile_that_were_suspects_first_leave_no_gap_in_it(page):
    for row in range(40):
        page.decide(row, "label")
    drawn = numbers(page, queue="calibration")
    later = [row for row in drawn[:12] if row >= 40]
    for row in later:
        page.decide(row, "label", filter="queue=calibration")
    reached = drawn.index(later[-1]) + 1
    assert f"valid whenever you stop; {reached} rows drawn by lot" in page.get("/agreement").text


def test_decisions_on_drawn_rows_are_told_under_their_pile(page):
    page.decide(numbers(page)[0])
    page.decide(numbers(page, queue="calibration")[0], filter="queue=calibration")
    assert [event.queue for event in page.decisions.events()] == ["suspects", "calibration"]


@pytest.mark.parametrize(
    ("queue", "told"), [("suspects", "suspects"), ("calibration", "all"), ("spot", "all")]
)
def test_a_row_of_a_pile_that_a_filter_picked_is_no_draw(page, queue, told):
    for key, conditions in (("drawn", ""), ("picked", "&high=1")):
        row = numbers(page, queue=queue)[0]
        page.decide(row, filter=f"queue={queue}{conditions}", key=key)
    assert [event.queue for event in page.decisions.events()] == [queue, told]


def test_a_skipped_row_comes_back_last(page):
    order = numbers(page)
    assert row_of(page.decide(order[0], "skip")) == order[1]
    for row in order[1:-1]:
        page.decide(row)
    assert row_of(page.decide(order[-1])) == order[0]
    answer = page.decide(order[0], "label", key="again")
    assert row_of(answer) is None
    assert "Nothing left to decide here" in answer.text
    assert "Spot-check more rows drawn by lot" in answer.text


def test_the_next_row_is_the_one_after_from_the_first_again_at_the_end(page):
    order = numbers(page)
    assert row_of(page.decide(order[10])) == order[11]
    assert row_of(page.decide(order[-1])) == order[0]
    assert page.get(f"/next?after={order[4]}").headers["location"].startswith(f"/card/{order[5]}?")
    assert page.get("/next").headers["location"].startswith(f"/card/{order[0]}?")


def test_filters_narrow_a_queue(page):
    rows, folder = numbers(page, queue="all"), page.review.folder
    assert numbers(page, queue="all", label='"cat"') == [row for row in rows if row % 3 == 0]
    assert numbers(page, queue="all", label="cat") == numbers(page, queue="all", label='"cat"')
    assert numbers(page, queue="all", label="fish") == []
    suggested = {row for row in rows if folder.suggested_text(folder.place(row)) == '"dog"'}
    found = {row for row in numbers(page, suggested="dog") if row < 40}  # the suspects
    assert found == suggested & set(range(40))
    certain = numbers(page, low="0.9", high="0.95")
    assert certain
    assert all(0.9 <= folder.p_wrong[folder.place(row)] <= 0.95 for row in certain)
    assert len(numbers(page, queue="all", text="GREY")) > len(
        numbers(page, queue="all", text="grey wet")
    )
    assert set(numbers(page, queue="all", witness="predict owl")) == {r for r in rows if r % 3 == 1}


def test_a_search_finds_what_json_writes_otherwise(tmp_path):
    words = lambda row: f'"quoted" naïve {row}'  # noqa: E731
    with Page(write_audit(tmp_path / "a.audit", text=words)) as page:
        assert len(numbers(page, queue="all", text='"QUOTED" Naïve 7')) == 11


def test_states_classes_and_reviewers_are_filters_too(page):
    page.decide(1, "label")
    page.decide(2, "ambiguous")
    page.decide(4, "skip")
    assert numbers(page, queue="all", state="decided") == [1]
    assert numbers(page, queue="all", state="ambiguous") == [2]
    assert numbers(page, queue="all", decided="dog") == [1]
    assert numbers(page, queue="all", decided="fish") == []
    assert set(numbers(page, queue="all", reviewer="ann")) == {1, 2, 4}
    assert numbers(page, queue="all", reviewer="bob") == []


def other(page, row, kind="label", reviewer="bob"):
    """What another reviewer says, in a file that is merged."""
    place = page.review.folder.place(row)
    text = page.review.folder.label_text(place)
    event = Event(
        reviewer=reviewer, row=row, row_key=f"key{row}.0", kind=kind, class_text=text, label=text,
        suggested=text, p_wrong=0.5, audit="f00d",
    )  # fmt: skip
    page.decisions.record(event)
    page.review.refresh()


def test_rows_on_which_reviewers_differ_are_disputed(page):
    page.decide(1)
    other(page, 1)
    other(page, 2)
    assert numbers(page, queue="disputed") == [1]
    assert row_of(page.get("/?queue=disputed")) == 1
    other(page, 1, reviewer="eve")
    assert numbers(page, queue="disputed") == []
    assert "ann</bdi> and <bdi>bob" in page.get("/agreement").text


def test_a_second_opinion_is_asked_on_what_another_decided(page):
    other(page, 2)
    other(page, 3)
    assert 2 not in page.review.folder.rows[page.review.standing.waiting(RowFilter("suspects"))]
    answer = page.get("/?queue=all&reviewer=bob")
    assert row_of(answer) == 2
    assert row_of(page.decide(2, filter="queue=all&reviewer=bob")) == 3


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"queue": "x"}, "there is no queue 'x'"),
        ({"state": "x"}, "there is no state 'x'"),
        ({"low": "2"}, "low is '2'"),
        ({"high": "nan"}, "high is 'nan'"),
    ],
)
def test_a_filter_that_cannot_be_is_told(given, sentence):
    with pytest.raises(ValueError, match=sentence):
        RowFilter.from_query(given, "suspects")


def test_states_are_kept_as_they_would_be_read_anew(page):
    random = np.random.default_rng(0)
    order = numbers(page)
    for step in range(60):
        action = random.choice(["suggestion", "label", "skip", "ambiguous", "undo", "redo"])
        if action in ("undo", "redo"):
            page.post(f"/{action}", {"key": f"{step}"})
        else:
            page.decide(int(random.choice(order)), action, key=f"{step}")
    kept, told = page.review.standing.states.copy(), page.review.tally.verdicts.copy()
    evidence = page.review.tally.evidence
    with Page.again(page) as fresh:
        assert (fresh.review.standing.states == kept).all()
        assert (fresh.review.tally.verdicts == told).all()
        for a, b in zip(fresh.review.tally.evidence, evidence, strict=True):
            np.testing.assert_allclose(
                np.hstack(_flat(a)), np.hstack(_flat(b)), rtol=1e-9, atol=1e-9
            )


def _flat(part):
    return [np.ravel(each) for each in part] if isinstance(part, tuple) else [np.ravel(part)]


def leave_blank(audit, row):
    """Take the label of one row away."""
    rows = parquet.read_table(audit / "rows.parquet")
    labels = rows["labels"].to_pylist()
    labels[row] = None
    place = rows.column_names.index("labels")
    parquet.write_table(
        rows.set_column(place, "labels", pyarrow.array(labels)), audit / "rows.parquet"
    )


def test_a_class_for_a_row_without_a_label_says_nothing_about_labels(audit):
    leave_blank(audit, 1)
    with Page(audit) as page:
        page.decide(1)
        page.decide(2)
        so_far = page.review.tally.progress()["so_far"]
    assert (so_far["wrong"], so_far["decided"]) == (1, 1)


def test_suspects_that_nobody_could_tell_are_not_left(page):
    before = page.review.tally.progress()
    for row, kind in ((3, "skip"), (1, "ambiguous"), (2, "unusable")):
        page.decide(row, kind)
    after = page.review.tally.progress()
    assert before["flagged"]["rows"] - after["flagged"]["rows"] == 2
    assert after["so_far"]["decided"] == 0
    page.post("/undo", {"filter": ""})
    again = page.review.tally.progress()
    assert before["flagged"]["rows"] - again["flagged"]["rows"] == 1


def test_the_spot_check_counts_from_the_top_to_the_first_gap(page):
    pile = page.review.folder.numbers["piles"]["spot"]
    assert any(row < 40 for row in pile)  # suspects, which say nothing of what was missed
    unsure = [row for row in pile if row >= 40][1]
    end = pile.index(unsure)
    for row in pile[:end]:
        page.decide(row, "label", filter="queue=spot")
    for row, kind in ((unsure, "ambiguous"), (pile[end + 2], "label")):
        page.decide(row, kind, filter="queue=spot")
    spot = page.review.tally.progress()["spot"]
    assert (spot["wrong"], spot["decided"], spot["unsure"]) == (0, 2, 1)
    page.post("/undo", {"filter": ""}, headers=PART)
    page.post("/undo", {"filter": ""}, headers=PART)
    spot = page.review.tally.progress()["spot"]
    assert (spot["wrong"], spot["decided"], spot["unsure"]) == (0, 1, 0)


def test_rows_that_a_filter_picked_from_the_spot_pile_are_no_spot_check(page):
    for row in page.review.folder.numbers["piles"]["spot"][:3]:
        page.decide(row, "label", filter="queue=spot&high=0.5")
    assert page.review.tally.progress()["spot"]["decided"] == 0


@pytest.mark.parametrize(("ago", "counted"), [(10, 10), (90, 90), (3600, 120), (10**8, 120)])
def test_who_takes_more_than_two_minutes_was_away(page, ago, counted, monkeypatch):
    now = time.time()
    monkeypatch.setattr("errata.review.server._review.time.time", lambda: now)
    page.decide(1, shown=str(now - ago))
    pace = page.get("/progress").json()["pace"]
    assert pace["rows"] > 0
    assert pace["minutes"] == pytest.approx(pace["rows"] * counted / 60, rel=1e-6, abs=0)


def test_verdicts_on_rows_drawn_by_lot_prove_something(page):
    assert "What is proven" not in page.get("/agreement").text
    for row, *_ in page.review.folder.numbers["piles"]["calibration"][:12]:
        page.decide(row, "suggestion" if row < 40 else "label", filter="queue=calibration")
    text = page.get("/agreement").text
    assert "What is proven" in text
    assert "valid whenever you stop; 12 rows drawn by lot" in text
    assert "<b>Proven</b>" in page.get("/").text


def test_a_proof_is_made_anew_only_where_what_it_rests_on_has_changed(page, monkeypatch):
    made = []
    certify = _stage.certify
    monkeypatch.setattr(_stage, "certify", lambda *a, **k: made.append(1) or certify(*a, **k))
    row, *_ = page.review.folder.numbers["piles"]["calibration"][0]
    page.decide(row, "label", filter="queue=calibration")
    assert len(made) == 1
    page.post("/note", {"row": row, "note": "why", "key": "n", "filter": ""}, headers=PART)
    page.get("/agreement")
    assert len(made) == 1
    page.post("/undo", {"filter": ""}, headers=PART)  # of the note
    assert len(made) == 1
    page.decide(1 if row == 0 else 0, "label")
    assert len(made) == 2


def test_what_is_taken_back_proves_no_more_than_before_it(page):
    folder = page.review.folder.path

    def proven():
        told = review_summary(page.decisions, read_audited(folder), folder)["certificate"]
        text = page.get("/agreement").text
        assert told is None or told["sentence"][1:] in text
        return told

    drawn = [row for row, *_ in page.review.folder.numbers["piles"]["calibration"][:12]]
    before = []
    for row in drawn:
        before.append(proven())
        page.decide(row, "suggestion" if row < 40 else "label", filter="queue=calibration")
    for told in reversed(before):
        page.post("/undo", {"filter": ""}, headers=PART)
        assert proven() == told
    # A remark is no verdict: the row waits for its turn.
    page.post("/note", {"row": drawn[0], "note": "why", "key": "n", "filter": "queue=calibration"})
    assert proven() is None


def test_a_remark_is_no_verdict_on_a_label(page):
    page.post("/note", {"row": 3, "note": "why", "key": "n", "filter": ""}, headers=PART)
    page.decide(1, "suggestion")
    page.decide(2, "ambiguous")
    assert page.review.tally.wrong_by_row() == {1: True, 2: None}


def test_verdicts_on_rows_that_were_picked_prove_nothing(page):
    for row, *_ in page.review.folder.numbers["piles"]["calibration"][:12]:
        page.decide(row, "label", filter="queue=all")
    assert "What is proven" not in page.get("/agreement").text


def test_page_and_summary_prove_the_same(page):
    drawn = [row for row, *_ in page.review.folder.numbers["piles"]["calibration"][:12]]
    for row in drawn[:10]:
        page.decide(row, "suggestion" if row < 40 else "label", filter="queue=calibration")
    for row in drawn[10:]:
        page.decide(row, "ambiguous", filter="queue=calibration")
    for row in range(5):
        page.decide(row, "label", filter="queue=all", key=f"picked {row}")
    folder = page.review.folder.path
    told = review_summary(page.decisions, read_audited(folder), folder)["certificate"]["sentence"]
    assert told[1:] in page.get("/agreement").text


@pytest.mark.parametrize("kind", [pyarrow.string(), pyarrow.large_string()])
def test_keys_are_those_of_the_rows_asked_for(kind):
    column = pyarrow.chunked_array([["a", "bé", ""], ["x", "dd", "e", "f"]], kind)
    column = pyarrow.chunked_array([column.chunk(0), column.chunk(1).slice(1)])
    assert read_texts(column, np.array([5, 1, 2, 3])).tolist() == ["f", "bé", "", "dd"]


def test_a_table_that_moved_along_with_its_audit_is_found(tmp_path):
    folder = AuditFolder(write_audit(tmp_path / "pets.audit", table="/nowhere/pets.csv"))
    assert find_table(folder) is None
    beside, given = tmp_path / "pets.csv", tmp_path / "given.csv"
    for path in (beside, given):
        path.touch()
    assert find_table(folder) == beside
    assert find_table(folder, given) == given
    folder.cards.close()


class LookedUp(dict):
    """A dict that is asked for single keys alone."""

    def __iter__(self):
        raise AssertionError("all verdicts were gone through")

    items = keys = values = __iter__


def test_a_decision_looks_up_single_rows_alone(page):
    page.decide(row_of(page.get("/?queue=suspects")))
    page.review.log.verdicts = LookedUp(page.review.log.verdicts)
    assert page.decide(row_of(page.get("/?queue=suspects"))).status_code == 200
