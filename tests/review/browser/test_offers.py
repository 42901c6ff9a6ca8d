"""The button that comes first, by what was decided so far, and what stands above it on a phone."""

import pytest
from PIL import Image

from review.browser_page import press, settled
from review.review_cases import write_audit
from review.reviewing import serving


@pytest.mark.parametrize(
    ("key", "first"), [("a", "Accept suggestion"), ("k", "Keep label")]
)  # fmt: skip
def test_the_likelier_answer_stands_first_and_is_coloured(open_page, tmp_path, key, first):
    with serving(write_audit(tmp_path / "pets.audit")) as server:
        page = open_page(server)
        press(page, *(15 * [key]))
        page.goto(f"{server.origin}/card/39")  # as likely wrong as right, before any decision
        settled(page)
        buttons = page.locator(".main-verdicts button")
        assert buttons.first.inner_text().startswith(first)
        assert [buttons.nth(place).get_attribute("class") for place in (0, 1)] == ["button", ""]
        left, right = (buttons.nth(place).bounding_box()["x"] for place in (0, 1))
        assert left < right


def test_a_phone_shows_picture_label_and_buttons_at_once(open_page, tmp_path):
    for row in range(120):
        Image.new("RGB", (300, 400), (row, 0, 0)).save(tmp_path / f"{row}.png")
    audit = write_audit(tmp_path / "pets.audit", picture=lambda row: f"{row}.png")
    with serving(audit, images=str(tmp_path)) as server:
        page = open_page(server, viewport={"width": 390, "height": 844})
        settled(page)
        parts = [".picture img", ".claim", ".main-verdicts"]
        boxes = [page.locator(part).first.bounding_box() for part in parts]
        ends = [box["y"] + box["height"] for box in boxes]
        assert ends[0] <= boxes[1]["y"]
        assert ends[1] <= boxes[2]["y"]
        assert ends[2] <= 844
        assert page.evaluate("document.documentElement.scrollWidth") == 390
