"""The application: where it is and who may use it, its routes, and what leaves with every answer.

Each request is looked at before a route sees it; each answer leaves with headers that close what
the page does not need. A request that does not end is cut off.
"""

import hmac
import os
import re
import secrets
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from html import escape
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import h11
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from . import _actions, _further, _pages
from ._review import Review
from ._web import KINDS, get_asset_address, is_partial, read_asset, render_template

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
OPENING = '<!doctype html><title>errata review</title><link rel="icon" href="data:,">'
CLOSED = "open the address that errata review has printed: it lets this browser in."


def make_app(review: Review, door: Door) -> Any:
    """The application: reading by GET, writing by POST, all of it behind the door."""
    routes = [
        *_pages.ROUTES,
        *_actions.ROUTES,
        *_further.ROUTES,
        Route("/static/{digest}/{name}", _send_asset),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, door=door)],
        exception_handlers={HTTPException: _send_refusal},
    )
    app.state.review = review
    app.state.door = door
    app.state.reaudit = None
    return app


def make_server(app: Any, read_within: float = 30.0) -> Any:
    """The server of an application; a request must have arrived within so many seconds."""
    import uvicorn

    protocol: Any = partial(BoundedProtocol, read_within=read_within)
    config = uvicorn.Config(
        app,
        http=protocol,
        access_log=False,
        server_header=False,
        date_header=False,
        log_level="critical",
        lifespan="off",
        ws="none",
        loop="asyncio",
        timeout_graceful_shutdown=2,
    )
    return uvicorn.Server(config)


async def _send_asset(request: Any) -> Any:
    name = request.path_params["name"]
    if name not in KINDS or request.url.path != get_asset_address(name):
        raise HTTPException(404, "there is no such file.")
    kept = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(read_asset(name), media_type=KINDS[name], headers=kept)


async def _send_refusal(request: Any, error: Any) -> Any:
    """One sentence: to the script as it is, to a person on a page with a way back."""
    if is_partial(request) or not request.headers.get("accept", "").startswith("text/html"):
        return PlainTextResponse(error.detail, error.status_code, headers=error.headers)
    page = render_template("refused.html", sentence=error.detail, status=error.status_code)
    return HTMLResponse(page, error.status_code, headers=error.headers)


class BoundedProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, where a request must have arrived whole within some seconds.

    uvicorn itself bounds only the time between requests. The clock runs from the moment at which a
    request may begin until its last byte, so that it covers what is sent byte by byte.
    """

    def __init__(self, *args: Any, read_within: float, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._read_within = read_within
        self._clock: Any = None

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self._start_or_stop_clock()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        super().data_received(data)
        self._start_or_stop_clock()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._start_or_stop_clock()

    def connection_lost(self, error: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(error)
        self._stop_clock()

    def _start_or_stop_clock(self) -> None:
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_clock()
        elif self._clock is None:
            self._clock = self.loop.call_later(self._read_within, self.transport.abort)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None


class Guard:
    """The ASGI application behind the door: refusals here, headers on every answer."""

    def __init__(self, app: Any, door: Door) -> None:
        self.app = app
        self.door = door

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer a request, or let the application answer it."""
        if scope["type"] != "http":
            return
        answer = self._refusal(scope) or self._opening(scope) or self.app

        async def send_closed(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _add_headers(message["headers"])
            await send(message)

        await answer(scope, receive, send_closed)

    def _refusal(self, scope: dict[str, Any]) -> Any:
        headers = _read_headers(scope)
        if headers.get("host") != urlsplit(self.door.seen_as).netloc:
            return _make_refusal(
                421, f"this is {self.door.seen_as}, not {headers.get('host', 'nowhere')}."
            )
        if self._token(scope) is not None:
            return None  # what opens the door needs no cookie
        if not self.door.lets_in(headers):
            return _make_refusal(403, CLOSED)
        return self._refused_write(headers) if scope["method"] == "POST" else None

    def _refused_write(self, headers: dict[str, str]) -> Any:
        """Why a request may not change anything: another site sent it, or it is too large."""
        site = headers.get("sec-fetch-site", "" if self.door.tells_site else "same-origin")
        if headers.get("origin") != self.door.seen_as or site != "same-origin":
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

    def _token(self, scope: dict[str, Any]) -> str | None:
        """The token of an address that opens the page, which is read and changes nothing."""
        if scope["path"] != "/" or scope["method"] != "GET":
            return None
        return parse_qs(scope["query_string"].decode("latin-1")).get("token", [None])[0]

    def _opening(self, scope: dict[str, Any]) -> Any:
        """The way in: a cookie, and on to the page without the token in its address."""
        token = self._token(scope)
        if token is None:
            return None
        if not self.door.is_key(token):
            return _make_refusal(403, CLOSED)
        # A redirect would still count as coming from the page that led here, which gets no strict
        # cookie sent; a refresh is a step of our own.
        response = HTMLResponse(OPENING, headers={"Refresh": "0; url=/"})
        response.set_cookie(self.door.cookie, self.door.token, httponly=True, samesite="strict")
        return response


def _make_refusal(status: int, sentence: str) -> Any:
    return PlainTextResponse(sentence, status)


def _read_headers(scope: dict[str, Any]) -> dict[str, str]:
    """Headers by name; of one sent twice the last, as no browser sends ours twice."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


def _add_headers(given: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of an answer, and ours where it does not set them itself."""
    have = {name.lower() for name, _ in given}
    ours = [(n.lower().encode(), v.encode()) for n, v in HEADERS.items()]
    return [*given, *(pair for pair in ours if pair[0] not in have)]
