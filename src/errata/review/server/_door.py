"""The door of the page: where it is, the token that opens it, and the browser that does."""

import hmac
import os
import re
import secrets
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from html import escape
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

_ORIGIN = re.compile(r"(https?)://([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?/*")
_USUAL_PORTS = {"http": 80, "https": 443}

PAGE = """<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}"><title>errata review</title>
<p><a href="{address}">Open the review</a></p>
"""


@dataclass(frozen=True)
class Door:
    """Where the page is served, and what opens it."""

    host: str
    port: int
    origin: str = ""  # what browsers see, where it is not host and port
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def seen_as(self) -> str:
        """Scheme, host and port of the page."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return self.origin or f"http://{name}:{self.port}"

    @property
    def address(self) -> str:
        """What opens the page: whoever has it may decide."""
        return f"{self.seen_as}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """Cookies are shared by all ports of a host, so the port is part of the name."""
        return f"errata_{self.port}"

    @property
    def tells_site(self) -> bool:
        """Whether browsers say which site a request comes from: on secure and local addresses."""
        return self.seen_as.startswith("https://") or is_loopback(urlsplit(self.seen_as).hostname)

    def lets_in(self, headers: dict[str, str]) -> bool:
        """Whether a request carries the cookie, among those of other programs on this host.

        Theirs may be anything, so they are not read: Python's parser stops at what is no cookie.
        """
        pairs = (text.strip().partition("=") for text in headers.get("cookie", "").split(";"))
        return any(self.is_key(value) for name, _, value in pairs if name == self.cookie)

    def is_key(self, text: str) -> bool:
        """Whether a text is the token, told in the same time for every text."""
        return hmac.compare_digest(text.encode(), self.token.encode())


def is_loopback(host: str | None) -> bool:
    """Whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("192.168.1.2")
    (True, True, False)
    """
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:  # a name
        return False


def read_origin(text: str) -> str:
    """What browsers see, as they write it; raise where it is no address of a page.

    >>> read_origin("https://Review.example.org:443/")
    'https://review.example.org'
    """
    found = _ORIGIN.fullmatch(text.strip().lower())
    port = int(found[3]) if found and found[3] else None
    if found is None or port == 0 or (port or 0) > 65535:
        raise ValueError(
            f"{text!r} is no origin that a browser could see; write http or https, a host and "
            "perhaps a port, as in https://review.example.org:8443."
        )
    scheme = found[1]
    host = found[2]
    return f"{scheme}://{host}" + ("" if port in (None, _USUAL_PORTS[scheme]) else f":{port}")


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
