"""A server a module, and pages of it in a browser that note every complaint."""

import pytest

from review.review_cases import write_audit
from review.reviewing import LONG, serving


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("review")


@pytest.fixture(scope="module")
def server(folder):
    with serving(write_audit(folder / "pets.audit", columns=16)) as started:
        yield started


@pytest.fixture
def problems():
    """What the browser complained about: must stay empty."""
    found = []
    yield found
    assert found == []


@pytest.fixture
def open_page(browser, problems):
    """Open pages that note every complaint and every request to another site."""
    contexts = []

    def opened(server, path="/", **how):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | how)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(1000 * LONG)
        page.on(
            "console", lambda said: problems.append(said.text) if said.type == "error" else None
        )
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda asked: _check_ours(asked.url, server.origin, problems))
        page.goto(server.address)
        page.wait_for_url(f"{server.origin}/")
        if path != "/":
            page.goto(f"{server.origin}{path}")
        return page

    yield opened
    for context in contexts:
        context.close()


def _check_ours(address, origin, problems):
    if not address.startswith((f"{origin}/", "data:")):
        problems.append(f"a request to {address}")


@pytest.fixture
def page(open_page, server):
    return open_page(server)
