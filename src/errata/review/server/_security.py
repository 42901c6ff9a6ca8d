"""Who may use the page: the browser of the person at this machine, and no other site it visits.

Each request is looked at before a route sees it; each answer leaves with headers that close what
the page does not need.
"""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from ._door import Door
from ._web import HTMLResponse, PlainTextResponse

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


class Guard:
    """The ASGI application behind the door: refusals here, headers on every answer."""

    def __init__(self, app: Any, door: Door) -> None:
        self.app, self.door = app, door

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer a request, or let the application answer it."""
        if scope["type"] != "http":
            return
        answer = self._refusal(scope) or self._opening(scope) or self.app

        async def send_closed(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _with_headers(message["headers"])
            await send(message)

        await answer(scope, receive, send_closed)

    def _refusal(self, scope: dict[str, Any]) -> Any:
        headers = _headers(scope)
        if headers.get("host") != urlsplit(self.door.seen_as).netloc:
            return _no(421, f"this is {self.door.seen_as}, not {headers.get('host', 'nowhere')}.")
        if self._token(scope) is not None:
            return None  # what opens the door needs no cookie
        if not self.door.lets_in(headers):
            return _no(403, CLOSED)
        return self._refused_write(headers) if scope["method"] == "POST" else None

    def _refused_write(self, headers: dict[str, str]) -> Any:
        """Why a request may not change anything: another site sent it, or it is too large."""
        site = headers.get("sec-fetch-site", "" if self.door.tells_site else "same-origin")
        if headers.get("origin") != self.door.seen_as or site != "same-origin":
            return _no(403, "only the page itself may decide; this came from another site.")
        length = headers.get("content-length", "")
        if not length.isdecimal():
            return _no(411, "a request must say how long it is.")
        if int(length) > LARGEST_BODY:
            return _no(413, f"a request may hold {LARGEST_BODY:,} bytes, this one has {length}.")
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
            return _no(403, CLOSED)
        # A redirect would still count as coming from the page that led here, which gets no strict
        # cookie sent; a refresh is a step of our own.
        response = HTMLResponse(OPENING, headers={"Refresh": "0; url=/"})
        response.set_cookie(self.door.cookie, self.door.token, httponly=True, samesite="strict")
        return response


def _no(status: int, sentence: str) -> Any:
    return PlainTextResponse(sentence, status)


def _headers(scope: dict[str, Any]) -> dict[str, str]:
    """Headers by name; of one sent twice the last, as no browser sends ours twice."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


def _with_headers(given: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of an answer, and ours where it does not set them itself."""
    have = {name.lower() for name, _ in given}
    ours = [(n.lower().encode(), v.encode()) for n, v in HEADERS.items()]
    return [*given, *(pair for pair in ours if pair[0] not in have)]
