"""Gold rows and a second reader, as a person meets them."""

from errata.review import Decisions, decisions_path
from review.browser_page import events, press, row
from review.review_cases import write_audit
from review.reviewing import serving

GOLD = range(60, 120)


def test_gold_rows_come_unseen_and_are_counted_beside_the_name(tmp_path, open_page):
    write_audit(tmp_path / "pets.audit", gold=len(GOLD))
    with serving(tmp_path / "pets.audit", gold=0.35) as server:
        page = open_page(server)
        looks = set()
        while page.locator("form.decision").count():
            shown = page.locator("#card")
            looks.add((shown.get_attribute("class"), shown.locator("button").count()))
            assert "gold" not in shown.inner_text().lower()
            press(page, "a")
        assert len(looks) == 1
        said = events(tmp_path)
        answers = [event for event in said if event.queue == "gold"]
        assert len(answers) >= 20
        assert {event.row for event in answers} <= set(GOLD)
        assert len(said) - len(answers) == 40
        # Numbers are shown with every tenth decision: the last of them are not in it yet.
        told = page.locator(".who small").inner_text()
        assert told.startswith("right on ")
        counted = int(told.split()[2])
        assert len(answers) - 10 < counted <= len(answers)
        assert f"{counted} of {counted} gold rows" in told
        page.get_by_role("link", name="Agreement").click()
        assert f"ann was {told}" in page.locator(".tests").inner_text()
    with Decisions(decisions_path(tmp_path / "pets.audit"), read_only=True) as decisions:
        assert len(decisions.verdicts()) == 40


def test_a_second_reader_decides_blind_and_learns_how_far_they_agree(tmp_path, open_page):
    write_audit(tmp_path / "pets.audit")
    with serving(tmp_path / "pets.audit") as server:
        first = open_page(server)
        press(first, *"a" * 40)
    with serving(tmp_path / "pets.audit", reviewer="ben", queue="second") as server:
        page = open_page(server)
        assert page.locator("nav[aria-label=Queues] a").all_inner_texts() == ["Second reading 40"]
        assert page.locator(".claim").count() == 0
        assert "ann" not in page.locator("#stage").inner_text()
        seen = [row(page)]
        while page.locator("form.decision").count():
            press(page, "m" if len(seen) == 1 else "1")
            if page.locator("form.decision").count():
                assert "ann" not in page.locator("#stage").inner_text()
                seen.append(row(page))
        assert sorted(seen) == list(range(40))
        assert seen != sorted(seen)
        assert "ann and ben agree on " in page.locator("#card").inner_text()
