"""Open a browser without the token in its command line, which everybody on the machine can read."""

import os
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path

PAGE = """<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}"><title>errata review</title>
<p><a href="{address}">Open the review</a></p>
"""


@contextmanager
def open_browser(address: str) -> Iterator[None]:
    """Open a file that leads to the address, and that only its owner can read while it is there."""
    handle, name = tempfile.mkstemp(".html", "errata-review-")  # readable by its owner alone
    path = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(PAGE.format(address=escape(address)))
        with suppress(webbrowser.Error):
            webbrowser.open(path.as_uri())
        yield
    finally:
        path.unlink(missing_ok=True)
