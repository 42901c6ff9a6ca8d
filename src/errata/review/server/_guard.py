"""Who may use the application, and what leaves with every answer.

Each request is looked at before a route sees it; each answer leaves with headers that close what
the page does not need.
"""

import hmac
import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.responses import HTMLResponse, PlainTextResponse

LARGEST_BODY = 65_536
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    # Not `no-referrer`: with it Chromium sends `Origin: null` along with plain forms.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
# With an icon of its own, so that browsers do not ask for one that is not there.
SIGN_IN_PAGE = '<!doctype html><title>errata review</title><link rel="icon" href="data:,">'
NOT_ALLOWED = "open the address that errata review has printed: it lets this browser in."


@dataclass(frozen=True)
class Session:
    """Where the page is served, and the token that lets a browser in."""

    host: str
    port: int
    public_origin: str = ""  # what browsers see, where it is not host and port
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def origin(self) -> str:
        """Scheme, host and port of the page, as browsers see it."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return self.public_origin or f"http://{name}:{self.port}"

    @property
    def address(self) -> str:
        """The address that opens the page: whoever has it may decide."""
        return f"{self.origin}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """Cookies are shared by all ports of a host, so the port is part of the name."""
        return f"errata_{self.port}"

    @property
    def sends_fetch_site(self) -> bool:
        """Whether browsers say which site a request comes from: on secure and local addresses."""
        return self.origin.startswith("https://") or is_loopback(urlsplit(self.origin).hostname)

    def is_authorized(self, headers: dict[str, str]) -> bool:
        """Whether a request carries the cookie, among those of other programs on this host.

        Theirs may be anything, so they are not read: Python's parser stops at what is no cookie.
        """
        pairs = (text.strip().partition("=") for text in headers.get("cookie", "").split(";"))
        return any(self.is_token(value) for name, _, value in pairs if name == self.cookie)

    def is_token(self, text: str) -> bool:
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


class Guard:
    """Middleware: refuses whoever may not use the application, adds headers to every answer."""

    def __init__(self, app: Any, session: Session) -> None:
        self.app = app
        self.session = session

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer a request, or let the application answer it."""
        if scope["type"] != "http":
            return
        answer = self._refuse(scope) or self._sign_in(scope) or self.app

        async def send_with_headers(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                ours = [(name.lower().encode(), text.encode()) for name, text in HEADERS.items()]
                missing = [pair for pair in ours if pair[0] not in given]
                message["headers"] = [*message["headers"], *missing]
            await send(message)

        await answer(scope, receive, send_with_headers)

    def _refuse(self, scope: dict[str, Any]) -> Any:
        # Of a header sent twice the last counts, as no browser sends ours twice.
        headers = {n.decode("latin-1"): value.decode("latin-1") for n, value in scope["headers"]}
        if headers.get("host") != urlsplit(self.session.origin).netloc:
            return _make_refusal(
                421, f"this is {self.session.origin}, not {headers.get('host', 'nowhere')}."
            )
        if self._read_token(scope) is not None:
            return None  # the way in needs no cookie
        if not self.session.is_authorized(headers):
            return _make_refusal(403, NOT_ALLOWED)
        return self._refuse_write(headers) if scope["method"] == "POST" else None

    def _refuse_write(self, headers: dict[str, str]) -> Any:
        """Why a request may not change anything: another site sent it, or it is too large."""
        site = headers.get("sec-fetch-site", "" if self.session.sends_fetch_site else "same-origin")
        if headers.get("origin") != self.session.origin or site != "same-origin":
            return _make_refusal(
                403, "only the page itself may decide; this came from another site."
            )
        length = headers.get("content-length", "")
        if not length.isdecimal():
            return _make_refusal(411, "a request must say how long it is.")
        if int(length) > LARGEST_BODY:
            return _make_refusal(
                413, f"a request may hold {LARGEST_BODY:,} bytes, this one has {length}."
            )
        return None

    def _read_token(self, scope: dict[str, Any]) -> str | None:
        """The token of an address that opens the page, which is read and changes nothing."""
        if scope["path"] != "/" or scope["method"] != "GET":
            return None
        return parse_qs(scope["query_string"].decode("latin-1")).get("token", [None])[0]

    def _sign_in(self, scope: dict[str, Any]) -> Any:
        """The way in: a cookie, and on to the page without the token in its address."""
        token = self._read_token(scope)
        if token is None:
            return None
        if not self.session.is_token(token):
            return _make_refusal(403, NOT_ALLOWED)
        # A redirect would still count as coming from the page that led here, which gets no strict
        # cookie sent; a refresh is a step of our own.
        response = HTMLResponse(SIGN_IN_PAGE, headers={"Refresh": "0; url=/"})
        response.set_cookie(
            self.session.cookie, self.session.token, httponly=True, samesite="strict"
        )
        return response


def _make_refusal(status: int, sentence: str) -> Any:
    return PlainTextResponse(sentence, status)
