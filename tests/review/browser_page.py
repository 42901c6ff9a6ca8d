"""What tests of the review page read off a page in the browser, and do to it."""

from errata.review import Decisions, decisions_path


def row(page):
    """The number of the row on the card."""
    return int(page.locator("form.decision input[name=row]").get_attribute("value"))


def settled(page):
    """Wait until a decision is saved and the next card is there."""
    page.wait_for_selector("html[data-ready=yes]:not(.busy)")


def press(page, *keys):
    """Press keys, waiting for each to have done what it does."""
    settled(page)
    for key in keys:
        page.keyboard.press(key)
        settled(page)


def said(page):
    return page.locator("#said").inner_text()


def events(folder, name="pets.audit"):
    """All events that are on disk."""
    with Decisions(decisions_path(folder / name), read_only=True) as decisions:
        return list(decisions.events())


def verdicts(folder, name="pets.audit"):
    with Decisions(decisions_path(folder / name), read_only=True) as decisions:
        return dict(decisions.verdicts())
