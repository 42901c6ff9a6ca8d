"""The door of the page: where it is, and the token that opens it."""

import hmac
import secrets
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import urlsplit


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
        """Whether a request carries the cookie."""
        return self.is_key(_cookies(headers.get("cookie", "")).get(self.cookie, ""))

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


def _cookies(header: str) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(header).items()}
    except CookieError:
        return {}
