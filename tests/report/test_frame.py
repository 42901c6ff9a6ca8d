"""A report inside a notebook: escaped, sealed off, and alive."""

import html
import re

import pytest

from browsing import dom, needs_browser, probed
from errata.report import ReportFrame, render
from report.fake_summary import digits_summary

PAGE = '<!doctype html><html><head><title>"pets" & \'</title></head></html>'


def test_the_frame_holds_the_page_and_its_links_stay_inside():
    shown = ReportFrame(PAGE)._repr_html_()
    (held,) = re.findall(r'^<iframe srcdoc="([^"]*)" ', shown)
    inside = html.unescape(held)
    assert inside.replace('\n<base href="about:srcdoc">', "", 1) == PAGE
    assert inside.index("<base") < inside.index("<title>")


def test_the_frame_may_run_scripts_and_nothing_of_the_notebook():
    assert ' sandbox="allow-scripts allow-downloads" ' in ReportFrame(PAGE)._repr_html_()


def test_height_is_in_pixels():
    assert "height: 432px" in ReportFrame(PAGE, height=432)._repr_html_()
    for wrong in (0, 1.5, "100%", True):
        with pytest.raises(ValueError, match=r"height=.* must be a whole number at least 1"):
            ReportFrame(PAGE, height=wrong)


def test_a_prompt_says_what_to_do():
    assert 'audit.report("report.html")' in repr(ReportFrame(PAGE))


def test_a_page_that_would_swamp_a_notebook_is_refused():
    with pytest.raises(ValueError, match=r"12 million characters.*audit\.report"):
        ReportFrame("x" * 12_000_000)


# The script of the page tells the page around it that it ran to its end and what a link leads to.
PROBE = """
const link = document.querySelector('a[href="#main"]');
parent.postMessage([document.documentElement.dataset.ready, link.href, document.title], "*");
"""
LISTEN = """<script>addEventListener("message", (event) => {
  const told = document.createElement("pre");
  told.textContent = event.data.join(" | ");
  document.body.append(told);
});</script>"""


@needs_browser
def test_a_browser_runs_the_page_in_the_frame(tmp_path):
    with probed(PROBE):
        frame = ReportFrame(render(digits_summary()))
    path = tmp_path / "notebook.html"
    around = f"<!doctype html><meta charset=utf-8><body>{LISTEN}{frame._repr_html_()}"
    path.write_text(around, encoding="utf-8")
    page = dom(path, tmp_path / "profile", "--virtual-time-budget=5000")
    (told,) = re.findall(r"<pre>(.*?)</pre>", page)
    ready, link, title = told.split(" | ")
    assert ready == "yes"
    assert link == "about:srcdoc#main"
    assert html.unescape(title) in render(digits_summary())
