"""What verdicts prove, on the page."""

from errata.review import read_audited, review_summary


def test_verdicts_on_rows_drawn_by_lot_prove_something(page):
    assert "What is proven" not in page.get("/agreement").text
    for row, *_ in page.review.folder.numbers["piles"]["calibration"][:12]:
        page.decide(row, "suggestion" if row < 40 else "label", filter="queue=calibration")
    text = page.get("/agreement").text
    assert "What is proven" in text
    assert "valid whenever you stop; 12 rows drawn by lot" in text
    assert "<b>Proven</b>" in page.get("/").text


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
