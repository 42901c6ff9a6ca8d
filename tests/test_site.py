"""The site as it was built: nothing from elsewhere, every page reachable, every name in it."""

import inspect
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

import errata

ROOT = Path(__file__).parents[1]
SITE = ROOT / "docs" / "_build" / "html"
pytestmark = pytest.mark.skipif(
    not (SITE / "index.html").exists(), reason="build the site first: make docs, or .ci/site"
)


class Links(HTMLParser):
    """Where a page leads, and what it loads."""

    def __init__(self, page):
        super().__init__()
        self.leads, self.loads = set(), set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "a" and attrs.get("href"):
            self.leads.add(attrs["href"])
        elif tag == "link" and "stylesheet" in attrs.get("rel", ""):
            self.loads.add(attrs["href"])
        elif attrs.get("src"):
            self.loads.add(attrs["src"])


@pytest.fixture(scope="module")
def pages():
    own = (page for page in SITE.rglob("*.html") if not {"demo", "_static"} & {*page.parts})
    return {page: Links(page) for page in own}


def local(page, address):
    """The file that an address on a page means; None if it is elsewhere or on the page itself."""
    path = urldefrag(address).url
    if not path or re.match(r"[a-z]+:|//", path):
        return None
    return (page.parent / unquote(path.partition("?")[0])).resolve()


def test_nothing_is_loaded_from_elsewhere(pages):
    elsewhere = {
        (page.name, address)
        for page, links in pages.items()
        for address in links.loads
        if not address.startswith("data:") and local(page, address) is None
    }
    assert elsewhere == set()


def test_every_link_leads_to_a_file(pages):
    broken = {
        (str(page.relative_to(SITE)), address)
        for page, links in pages.items()
        for address in links.leads | links.loads
        if (file := local(page, address)) is not None and not file.exists()
    }
    assert broken == set()


def test_every_page_can_be_reached_from_the_front(pages):
    front = SITE / "index.html"
    reached, new = {front}, [front]
    while new:
        page = new.pop()
        for address in pages[page].leads:
            file = local(page, address)
            if file in pages and file not in reached:
                reached.add(file)
                new.append(file)
    made_by_sphinx = {"genindex.html", "search.html", "py-modindex.html"}
    assert {str(p.relative_to(SITE)) for p in pages.keys() - reached} - made_by_sphinx == set()


def test_the_front_page_holds_a_report_that_the_build_made(pages):
    assert "demo/report.html" in pages[SITE / "index.html"].loads
    assert "labels are probably wrong" in (SITE / "demo" / "report.html").read_text("utf-8")


@pytest.mark.parametrize("package", [name for name in errata.__all__ if name.islower()])
def test_every_public_name_has_a_page_of_reference(package):
    there = {page.stem.rpartition(".")[2] for page in (SITE / "reference/generated").glob("*.html")}
    assert set(public_names(getattr(errata, package)) or [package]) <= there


def public_names(module):
    """What a module exports, and the modules that it exports in turn."""
    names = []
    for name in getattr(module, "__all__", []):
        value = getattr(module, name)
        names += public_names(value) if inspect.ismodule(value) else [name]
    return names


def test_the_site_is_small():
    assert sum(file.stat().st_size for file in SITE.rglob("*") if file.is_file()) < 25e6


def test_assistants_find_every_page_of_the_guide():
    listed = set(re.findall(r"\]\(([\w/]+\.html)\)", (SITE / "llms.txt").read_text("utf-8")))
    assert {f"guide/{page.stem}.html" for page in (ROOT / "docs/guide").glob("*.md")} <= listed
    assert [address for address in listed if not (SITE / address).exists()] == []
    assert "errata clean" in (SITE / "SKILL.md").read_text("utf-8")
