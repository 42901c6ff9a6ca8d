"""The numbers in view, of what was decided on the page."""

import time

import pytest

from review.review_cases import parquet, pyarrow
from review.reviewing import Page


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
        so_far = page.review.tally.progress().so_far
    assert (so_far.wrong, so_far.decided) == (1, 1)


def test_suspects_that_nobody_could_tell_are_not_left(page):
    before = page.review.tally.progress()
    for row, kind in ((3, "skip"), (1, "ambiguous"), (2, "unusable")):
        page.decide(row, kind)
    after = page.review.tally.progress()
    assert before.flagged.rows - after.flagged.rows == 2
    assert after.so_far.decided == 0
    page.post("/undo", {"filter": ""})
    assert before.flagged.rows - page.review.tally.progress().flagged.rows == 1


def test_the_spot_check_counts_from_the_top_to_the_first_gap(page):
    pile = page.review.folder.numbers["piles"]["spot"]
    for row, kind in ((pile[0], "label"), (pile[1], "ambiguous"), (pile[3], "label")):
        page.decide(row, kind, filter="queue=spot")
    spot = page.review.tally.progress().spot
    assert (spot.wrong, spot.decided, spot.unsure) == (0, 2, 1)


def test_rows_that_a_filter_picked_from_the_spot_pile_are_no_spot_check(page):
    for row in page.review.folder.numbers["piles"]["spot"][:3]:
        page.decide(row, "label", filter="queue=spot&high=0.5")
    assert page.review.tally.progress().spot.decided == 0


@pytest.mark.parametrize(("ago", "counted"), [(10, 10), (90, 90), (3600, 120), (10**8, 120)])
def test_who_takes_more_than_two_minutes_was_away(page, ago, counted, monkeypatch):
    now = time.time()
    monkeypatch.setattr("errata.review.server._review.time.time", lambda: now)
    page.decide(1, shown=str(now - ago))
    pace = page.get("/progress").json()["pace"]
    assert pace["rows"] > 0
    assert pace["minutes"] == pytest.approx(pace["rows"] * counted / 60, rel=1e-6, abs=0)
