"""Keys on cards of numbers and of several labels per row."""

import pytest

from review.browser_page import events, press, row, said, verdicts
from review.review_cases import write_numbers_audit, write_sets_audit
from review.reviewing import serving


@pytest.fixture
def decided(tmp_path):
    """The verdict on a row of an audit there, as JSON text."""

    def found(name, number):
        return verdicts(tmp_path, name)[f"key{number}.0"].class_text

    return found


def test_a_number_is_typed(open_page, tmp_path, decided, problems):
    with serving(write_numbers_audit(tmp_path / "homes.audit", rows=40, flagged=20)) as server:
        page = open_page(server)
        first = row(page)
        press(page, "c")
        page.keyboard.type("12x")
        page.keyboard.press("Enter")
        page.wait_for_selector("#said.failed")
        assert "'12x' is no number" in said(page)
        assert row(page) == first
        problems[:] = [each for each in problems if "422" not in each]  # the browser's own words
        page.keyboard.press("Backspace")
        page.keyboard.type(".5")
        press(page, "Enter")
        assert decided("homes.audit", first) == "12.5"
        second = row(page)
        press(page, "a")
        assert decided("homes.audit", second) == f"{second + 0.05:.10g}"
        press(page, "u")
        press(page, "k")
        assert decided("homes.audit", second) == f"{10 * second + 0.5}"


def test_digits_set_labels_and_enter_saves_them(open_page, tmp_path, decided):
    with serving(write_sets_audit(tmp_path / "pets.audit", rows=40, flagged=20)) as server:
        page = open_page(server)
        first, save = row(page), page.locator(".save-labels")
        assert not save.is_visible()
        boxes = page.locator(".labels [type=checkbox]")
        before = [boxes.nth(place).is_checked() for place in range(4)]
        press(page, "1", "4")
        assert save.is_visible()
        after = [boxes.nth(place).is_checked() for place in range(4)]
        assert [a != b for a, b in zip(before, after, strict=True)] == [True, False, False, True]
        values = [boxes.nth(place).get_attribute("value") for place in range(4)]
        press(page, "Enter")
        chosen = sorted(value for value, one in zip(values, after, strict=True) if one)
        assert decided("pets.audit", first) == f"[{', '.join(chosen)}]"
        second = row(page)
        press(page, "2", "2")  # there and back
        assert not save.is_visible()
        press(page, "Enter")
        assert decided("pets.audit", second) == _suggested(tmp_path, second)
        third = row(page)
        page.locator(".labels label").first.click()  # the box has the focus now
        press(page, "k")
        last = verdicts(tmp_path, "pets.audit")[f"key{third}.0"]
        assert last.class_text == last.label


def _suggested(folder, number):
    return next(event.suggested for event in events(folder) if event.row == number)
