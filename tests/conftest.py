"""Set-up shared by all tests."""

import os

import pytest
from hypothesis import HealthCheck, settings

from auditing_cases import small_forests
from kind_cases import audited_kind, written_kind
from report.browsing import BROWSER
from waiting import LONG

pytest_plugins = ["checkout"]

# The same examples on every run: a red build must mean a change, not luck.
settings.register_profile(
    "errata",
    derandomize=True,
    deadline=None,
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("errata")


@pytest.fixture(scope="module")
def few_trees():
    """Audits grow small forests, where nothing hangs on the last percent."""
    with small_forests():
        yield


@pytest.fixture
def data_folder():
    """The folder of CSV data sets named by ERRATA_DATA; the test is skipped without it."""
    folder = os.environ.get("ERRATA_DATA")
    if not folder or not os.path.isdir(folder):
        pytest.skip("set ERRATA_DATA to a folder of CSV data sets to run this test")
    return folder


@pytest.fixture(scope="session")
def audit_of(tmp_path_factory):
    """The folder of an audit of some kind, made when it is first asked for."""
    made, folder = {}, tmp_path_factory.mktemp("kinds")

    def folder_of(kind):
        if kind not in made:
            with small_forests():
                made[kind], _ = audited_kind(kind, written_kind(kind, folder))
        return made[kind]

    return folder_of


@pytest.fixture(scope="module")
def browser():
    """A browser of its own a module: it keeps an event loop running, so it must end."""
    if BROWSER is None:
        pytest.skip("needs chromium or chrome: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(
            executable_path=BROWSER, args=["--no-sandbox"], timeout=1000 * LONG
        )
        yield opened
        opened.close()
