"""Keys: each does what it says, once, wherever the focus is."""

from review.browser_page import events, press, row, said, settled, verdicts


def test_keys_decide_undo_redo_and_survive_a_reload(page, folder):
    before = len(events(folder))
    first = row(page)
    press(page, "a")
    second = row(page)
    press(page, "k")
    third = row(page)
    assert len({first, second, third}) == 3
    assert [event.kind for event in events(folder)[before:]] == ["suggestion", "label"]
    press(page, "u")
    assert row(page) == second
    assert verdicts(folder)[f"key{second}.0"].state == "seen"
    press(page, "Shift+U")
    assert verdicts(folder)[f"key{second}.0"].state == "decided"
    press(page, "Control+z")
    assert verdicts(folder)[f"key{second}.0"].state == "seen"
    press(page, "Control+Shift+Z")
    assert verdicts(folder)[f"key{second}.0"].state == "decided"
    assert "Redone" in said(page)
    page.reload()
    assert row(page) == second  # the address follows the card
    assert page.locator(".pill.done").inner_text() == "decided"


KINDS = {"Enter": "suggestion", "x": "label", "m": "ambiguous", "d": "unusable", " ": "skip"}


def test_every_verdict_has_a_key(page, folder):
    for key, kind in KINDS.items():
        shown = row(page)
        press(page, key)
        last = events(folder)[-1]
        assert (last.row, last.kind) == (shown, kind)
        assert row(page) != shown


def test_a_digit_chooses_the_class_with_that_number(page, folder):
    shown, name = row(page), page.locator(".classes .class-name").nth(2).inner_text()
    press(page, "3")
    last = events(folder)[-1]
    assert (last.row, last.class_text) == (shown, f'"{name}"')


def test_on_azerty_digits_go_by_their_place(page, folder):
    name = page.locator(".classes .class-name").nth(1).inner_text()
    before = len(events(folder))
    pressed = {"key": "é", "code": "Digit2", "bubbles": True}
    with page.expect_response("**/decide"):
        page.locator("body").dispatch_event("keydown", pressed)
    settled(page)
    (last,) = events(folder)[before:]
    assert last.class_text == f'"{name}"'


def test_rapid_presses_decide_no_row_twice(page, folder):
    before = len(events(folder))
    for _ in range(20):
        page.keyboard.press("a")
    settled(page)
    made = events(folder)[before:]
    assert 1 <= len(made) <= 20
    assert len({event.row for event in made}) == len(made)


def test_a_key_that_is_held_down_counts_once(page, folder):
    before = len(events(folder))
    settled(page)
    page.keyboard.down("k")
    for _ in range(5):
        page.keyboard.down("k")  # as the system repeats it
    page.keyboard.up("k")
    settled(page)
    assert len(events(folder)) == before + 1


def test_keys_with_ctrl_alt_and_meta_are_the_browser_s(page, folder):
    before = len(events(folder))
    press(page, "Control+a", "Alt+k", "Meta+m")
    assert len(events(folder)) == before


def test_a_text_field_swallows_keys(page, folder):
    before, shown = len(events(folder)), row(page)
    press(page, "n")
    page.keyboard.type("ak 1 mud")
    assert page.locator("textarea[name=note]").input_value() == "ak 1 mud"
    assert len(events(folder)) == before
    page.keyboard.press("Escape")
    press(page, "k")
    last = events(folder)[-1]
    assert (last.row, last.kind, last.note) == (shown, "label", "ak 1 mud")


def test_a_note_is_saved_alone_and_survives(page, folder):
    shown = row(page)
    press(page, "n")
    page.keyboard.type("blurred <b>")
    press(page, "Control+Enter")
    assert row(page) == shown
    assert said(page) == f"Row {shown}: note saved."
    page.reload()
    assert "blurred <b>" in page.locator(".reasons").last.inner_text()
    assert verdicts(folder)[f"key{shown}.0"].note == "blurred <b>"


def test_the_focus_is_never_needed_and_stays_on_the_card(page):
    page.locator("body").click(position={"x": 3, "y": 3})
    press(page, "s")
    assert page.evaluate("() => document.activeElement.id") == "card"
    press(page, "s")
    assert page.evaluate("() => document.activeElement.id") == "card"


def test_enter_belongs_to_a_button_reached_by_tab(page, folder):
    settled(page)
    page.locator("form.decision button[value=unusable]").focus()
    press(page, "Enter")
    assert events(folder)[-1].kind == "unusable"


def test_arrows_go_on_without_deciding(page, folder):
    before, first = len(events(folder)), row(page)
    settled(page)
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/card/*")
    second = row(page)
    assert second != first
    settled(page)
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(lambda address: f"/card/{second}?" not in address)
    assert len(events(folder)) == before


def test_letters_open_the_views(page, server):
    for key, path in (("l", "/rows"), ("h", "/history")):
        page.goto(server.origin)
        settled(page)
        page.keyboard.press(key)
        page.wait_for_url(f"**{path}*")
    page.goto(server.origin)
    for key, part in (("?", "#help"), ("f", "#filter"), ("b", "#bulk")):
        settled(page)
        page.keyboard.press(key)
        assert page.locator(f"{part}[open]").count() == 1
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
    assert page.locator(".evidence[open]").count() == 1
    page.keyboard.press("e")
    assert page.locator(".evidence[open]").count() == 0
