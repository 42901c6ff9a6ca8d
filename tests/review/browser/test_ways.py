"""Ways through the page: without script, from other sites, in two tabs, filtered, by phone."""

import html
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from errata.review.server._serve import open_browser
from review.browser_page import events, press, row, said, settled, verdicts


def test_the_address_bar_ends_without_the_token(page, server):
    assert page.url == f"{server.origin}/"
    assert page.evaluate("() => document.cookie") == ""  # no script reads it


def test_the_file_that_opens_the_browser_leads_in(server, browser, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    with open_browser(server.address):
        path = Path(opened[0].removeprefix("file://"))
        assert path.stat().st_mode & 0o777 == 0o600
        context = browser.new_context()
        page = context.new_page()
        page.goto(opened[0])
        page.wait_for_url(f"{server.origin}/")
        assert page.locator("#card").count() == 1
        context.close()
    assert not path.exists()


def test_it_works_without_script(open_page, server, folder):
    page = open_page(server, java_script_enabled=False)

    def click(found):
        with page.expect_navigation():  # a form is sent, and its answer is there
            found.click()

    shown = row(page)
    click(page.locator("form.decision button[value=label]"))
    assert row(page) != shown
    last = events(folder)[-1]
    assert (last.row, last.kind) == (shown, "label")
    click(page.get_by_role("button", name="Undo U"))
    assert row(page) == shown
    click(page.locator(".classes button").first)
    assert events(folder)[-1].row == shown
    click(page.get_by_role("link", name="History"))
    click(page.locator(".events button").first)
    assert events(folder)[-1].kind == "undo"


@contextmanager
def other_site(body):
    """A page of another origin on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    site = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=site.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{site.server_port}/"
    finally:
        site.shutdown()
        thread.join()
        site.server_close()


def test_another_site_cannot_decide(open_page, server, folder, problems):
    page = open_page(server)
    before = len(events(folder))
    form = f"""<form method=post action="{server.origin}/decide"><input name=row value=1>
        <input name=kind value=label><input name=key value=evil><button>Win</button></form>"""
    with other_site(form) as address:
        page.goto(address)
        with page.expect_navigation() as gone:
            page.get_by_role("button").click()
    assert gone.value.status == 403
    assert len(events(folder)) == before
    page.close()  # or its wish for an icon is complained about later
    problems.clear()  # the other site's own requests, and the refusal


def test_a_filter_is_in_the_address_and_back_leads_out(page, server):
    press(page, "f")
    page.locator("#filter select[name=label]").select_option(label="owl")
    page.locator("#filter button").click()
    page.wait_for_url("**label=*")
    assert page.locator(".claim dd").first.inner_text() == "owl"
    press(page, "s")
    assert page.locator(".claim dd").first.inner_text() == "owl"
    page.reload()
    assert page.locator(".claim dd").first.inner_text() == "owl"
    page.go_back()
    page.wait_for_url(f"{server.origin}/")
    assert page.locator("#filter[open]").count() == 0


def test_of_two_tabs_on_one_row_the_second_is_told(page, folder):
    other = page.context.new_page()
    other.goto(page.url)
    shown = row(page)
    assert row(other) == shown
    before = len(events(folder))
    press(page, "a")
    press(other, "k")
    assert "decided elsewhere since you opened it" in said(other)
    assert [event.kind for event in events(folder)[before:]] == ["suggestion", "label"]


def test_a_whole_filter_is_decided_and_one_undo_takes_it_back(page, server, folder):
    page.goto(f"{server.origin}/?queue=spot&label=%22dog%22")
    press(page, "b")
    button = page.locator("#bulk button[value=label]")
    number = int(button.inner_text().split()[1])
    button.click()
    settled(page)
    assert said(page).startswith(f"{number} rows decided at once")
    made = events(folder)[-number:]
    assert len({event.batch for event in made}) == 1
    press(page, "u")
    assert events(folder)[-1].kind == "undo"
    assert all(verdicts(folder)[event.row_key].state == "seen" for event in made)


def test_a_spot_check_bounds_what_was_missed(page, server):
    page.goto(f"{server.origin}/?queue=spot")
    press(page, *"kkk")
    numbers = page.locator(".numbers").inner_text()
    assert re.search(r"none of \d+ spot-checked was wrong: at most \d+%", numbers)
    assert "with 95% confidence" in numbers


def test_a_failed_save_keeps_the_card_and_tries_again(page, folder, problems):
    is_down = True
    page.route("**/decide", lambda route: route.abort() if is_down else route.continue_())
    page.reload()  # of a page that is there already, Chromium may let a request slip through
    settled(page)
    shown, before = row(page), len(events(folder))
    page.keyboard.press("a")
    page.wait_for_selector("#said.failed")
    assert said(page).startswith("not saved: the server does not answer")
    page.keyboard.press("k")  # nothing while the first is on its way
    assert row(page) == shown
    is_down = False
    settled(page)
    (made,) = events(folder)[before:]
    assert (made.row, made.kind) == (shown, "suggestion")
    problems.clear()  # the browser tells of the request that failed


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_a_phone_nothing_overflows_and_buttons_are_large(open_page, server, theme):
    view = {"viewport": {"width": 390, "height": 844}, "color_scheme": theme, "has_touch": True}
    page = open_page(server, **view)
    for path in ("/", "/rows", "/history", "/agreement", "/more"):
        page.goto(f"{server.origin}{path}")
        beyond = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        assert beyond <= 0, path
    page.goto(server.origin)
    for button in page.locator("form.decision button:visible").all():
        assert button.bounding_box()["height"] >= 40
    colour = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert colour == ("rgb(251, 250, 248)" if theme == "light" else "rgb(20, 21, 23)")


def test_the_theme_is_kept(page):
    settled(page)
    page.locator("#theme").click()
    page.reload()
    settled(page)
    assert page.evaluate("() => document.documentElement.dataset.theme") == "dark"


CHECKS = """() => {
  const all = (query) => [...document.querySelectorAll(query)];
  const name = (each) => (each.getAttribute("aria-label") || each.textContent || "").trim();
  const named = (each) => each.labels?.length || each.getAttribute("aria-label");
  const ids = all("[id]").map((each) => each.id);
  return {
    lang: document.documentElement.lang,
    title: document.title,
    headings: all("h1").length,
    unnamed: all("button, a[href], summary").filter((each) => !name(each)).length,
    unlabelled: all("input:not([type=hidden]), select, textarea").filter((e) => !named(e)).length,
    pictures: all("img").filter((each) => !each.hasAttribute("alt")).length,
    twice: ids.filter((id, place) => ids.indexOf(id) !== place),
    main: all("main").length,
    live: all("[aria-live]").length,
  };
}"""


def test_everything_has_a_name_for_those_who_cannot_see(page, server):
    for path in ("/", "/rows", "/history", "/agreement", "/more", "/reaudit"):
        page.goto(f"{server.origin}{path}")
        found = page.evaluate(CHECKS)
        assert found["lang"] == "en"
        assert "pets.csv" in html.unescape(found["title"])
        assert (found["main"], found["headings"]) == (1, 1)
        assert (found["unnamed"], found["unlabelled"], found["pictures"]) == (0, 0, 0)
        assert (found["twice"], found["live"]) == ([], int(path == "/"))


CONTRAST = """() => {
  const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const behind = (each) => {
    for (; each; each = each.parentElement) {
      const colour = parse(getComputedStyle(each).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const low = [];
  for (const each of document.querySelectorAll("body *")) {
    const own = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !each.getClientRects().length) continue;
    const [a, b] = [light(parse(getComputedStyle(each).color)), light(behind(each))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${each.tagName} ${each.className} ${each.textContent} ${ratio}`);
  }
  return low;
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_is_readable_in_both_themes(open_page, server, theme):
    page = open_page(server, color_scheme=theme)
    press(page, "?")
    for path in ("", "/rows", "/history"):
        if path:
            page.goto(f"{server.origin}{path}")
        assert page.evaluate(CONTRAST) == []
