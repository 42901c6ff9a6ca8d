"""The kinds of cards: record, text, picture; many classes; blind; and a server that comes back."""

from errata.audit_folder import pixels_uri
from review.browser_page import events, press, row, said, settled
from review.review_cases import write_audit
from review.reviewing import Server, serving


def test_a_record_shows_first_what_differs_and_folds_the_rest(page):
    settled(page)
    assert page.locator(".cells th").first.inner_text() == "column 1"
    assert page.locator(".cells .speaks").count() == 1
    assert page.locator("details.fold summary").first.inner_text() == "4 more columns"
    assert page.locator(".alike-rows tbody tr").count() == 6  # this row, and five like it


def test_a_text_is_read_whole_and_its_own_words_are_marked(open_page, tmp_path):
    words = lambda row: f"Word{row} " + "the same for all of them " * 10 + "\u202e<b>x"  # noqa: E731
    with serving(write_audit(tmp_path / "pets.audit", text=words)) as server:
        page = open_page(server, "/card/7")
        text = page.locator(".text p")
        assert text.inner_text().startswith("Word7 the same")
        assert text.inner_text().endswith("\\u202e<b>x")
        assert text.locator("mark").all_inner_texts() == ["Word7"]


def test_pixels_and_pictures_are_shown_and_zoomed(open_page, tmp_path):
    from PIL import Image as image

    image.new("RGB", (640, 480), (10, 90, 160)).save(tmp_path / "sea.jpg")
    drawn = lambda row: pixels_uri([[row, 1], [2, 3]])  # noqa: E731
    both = {"picture": lambda row: "sea.jpg", "image": lambda row: drawn(row) if row == 3 else None}
    audit = write_audit(tmp_path / "pets.audit", **both)
    with serving(audit, images=str(tmp_path)) as server:
        page = open_page(server, "/card/2")
        picture = page.locator("figure.picture img")
        assert picture.evaluate("each => each.decode().then(() => each.naturalWidth)") == 640
        press(page, "z")
        assert page.locator(".picture .zoomed").count() == 1
        press(page, "z")
        assert page.locator(".picture .zoomed").count() == 0
        page.goto(f"{server.origin}/card/3")
        width = page.locator("figure.picture img.pixels").evaluate("each => each.naturalWidth")
        assert width == 2


def test_of_more_than_ten_classes_one_is_typed(open_page, tmp_path, problems):
    classes = tuple(f"kind {code}" for code in range(40))
    with serving(write_audit(tmp_path / "pets.audit", classes=classes)) as server:
        page = open_page(server)
        shown = row(page)
        assert page.locator(".classes li").count() == 10
        press(page, "c")
        page.keyboard.type("kind 33")
        page.keyboard.press("Enter")
        settled(page)
        (made,) = events(tmp_path)
        assert (made.row, made.kind, made.class_text) == (shown, "other", '"kind 33"')
        press(page, "c")
        page.keyboard.type("kind 99")
        page.keyboard.press("Enter")
        page.wait_for_selector("#said.failed")
        assert said(page) == "not saved: there is no class 'kind 99' in this table."
        assert len(events(tmp_path)) == 1
    problems.clear()  # the browser tells of the answer that was a refusal


def test_blindly_neither_class_is_named_and_digits_decide(open_page, tmp_path):
    with serving(write_audit(tmp_path / "pets.audit"), blind=True) as server:
        page = open_page(server)
        text = page.locator("#stage").inner_text()
        for word in ("Suggested", "wrong with probability", "models predict", "were wrong"):
            assert word not in text
        press(page, "a", "k")  # nothing to accept, nothing to keep
        assert events(tmp_path) == []
        press(page, "1")
        assert len(events(tmp_path)) == 1


def test_after_a_kill_and_a_new_start_everything_is_there(open_page, tmp_path, problems):
    audit = write_audit(tmp_path / "pets.audit")
    with serving(audit) as server:
        page = open_page(server)
        press(page, "a", "k", "m")
        server.kill()
        shown = row(page)
        page.keyboard.press("d")
        page.wait_for_selector("#said.failed")  # kept, and tried again
    with serving(audit, port=server.port) as again:
        assert isinstance(again, Server)
        page.context.new_page().goto(again.address)  # as the browser opens it
        settled(page)
        kinds = [event.kind for event in events(tmp_path)]
        assert kinds == ["suggestion", "label", "ambiguous", "unusable"]
        assert events(tmp_path)[-1].row == shown
        page.reload()
        assert row(page) is not None
    problems.clear()  # the browser tells of the requests that failed
