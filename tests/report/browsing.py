"""Pages of the report in a real browser, for tests of its script and its looks."""

import html
import json
import os
import re
import shutil
import subprocess
from contextlib import contextmanager

import pytest

from errata.report import _render, write_report
from waiting import LONG

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="needs chromium or chrome")


def browse(path, profile, *options):
    """Open the page in a browser without a window; what it prints."""
    command = [BROWSER, "--headless", "--disable-gpu", "--no-first-run", *options]
    command += ["--hide-scrollbars", f"--user-data-dir={profile}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--no-sandbox")  # chromium refuses to run as root otherwise
    command.append(path.as_uri())
    return subprocess.run(command, capture_output=True, timeout=LONG, check=True).stdout.decode()


def dom(path, profile, *options):
    """The page after its script has run, as HTML."""
    return browse(path, profile, "--dump-dom", *options)


@contextmanager
def probed(probe):
    """Pages written meanwhile run ``probe`` too, in the scope of their script, when all started."""
    script = _render.read_script().removesuffix("})();") + probe + "})();"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_render, "read_script", lambda: script)
        yield


def noted_by(probe, summary, folder, *options):
    """What the probe put into ``noted``, an object."""
    keep = 'document.body.append(element("pre", { id: "noted" }, JSON.stringify(noted)));'
    with probed(f"const noted = {{}};\n{probe}\n{keep}"):
        write_report(summary, folder / "report.html")
    page = dom(folder / "report.html", folder / "profile", *options)
    assert 'data-ready="yes"' in page
    return json.loads(html.unescape(re.search(r'<pre id="noted">(.*?)</pre>', page, re.S)[1]))
