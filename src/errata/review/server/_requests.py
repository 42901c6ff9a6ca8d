"""Requests: the parts of Starlette, who may use the page, and what is asked of a review.

Each request is looked at before a route sees it; each answer leaves with headers that close what
the page does not need. A request that does not end is cut off.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import h11
from starlette.exceptions import HTTPException
from starlette.responses import (
    HTMLResponse,
    PlainTextResponse,
)
from uvicorn.protocols.http.h11_impl import H11Protocol

from ._door import Door
from ._review import Review
from ._standing import RowFilter, read_filter

PARTLY = "errata-part"  # the header by which the script asks for the stage alone

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


def get_review(request: Any) -> Review:
    """The review that the server is about."""
    return request.app.state.review


def is_partial(request: Any) -> bool:
    """Whether the script asks, which replaces a part of the page."""
    return PARTLY in request.headers


async def read_form(request: Any) -> Any:
    """The fields of the form that was sent, all of which are text."""
    form = await request.form()
    for name, value in form.multi_items():
        if not isinstance(value, str):
            await form.close()
            raise HTTPException(400, f"the field {name[:40]!r} holds a file; send text instead.")
    return form


def read_sent_filter(request: Any, form: Mapping[str, str]) -> RowFilter:
    """The filter that a form was sent from, which it holds as the end of an address."""
    return read_filter_of(request, dict(parse_qsl(form.get("filter", ""))))


def read_filter_of(request: Any, given: Mapping[str, str]) -> RowFilter:
    """The filter of an address."""
    try:
        return read_filter(given, get_review(request).options.queue)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error


def find_place(request: Any, given: Any) -> int:
    """Where the card of a row is."""
    text = str(given)
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else -1
    place = get_review(request).folder.place(number)
    if place is None:
        raise HTTPException(404, f"row {text[:40]!r} has no card in this audit.")
    return place


def read_number(given: Mapping[str, str], name: str, otherwise: int) -> int:
    """A whole number from 0 on in an address or a form."""
    text = given.get(name, "")
    if not text:
        return otherwise
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise HTTPException(422, f"{name} is {text[:40]!r}; give a whole number.")
    return int(text)


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
