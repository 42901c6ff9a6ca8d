"""Serve the page: open audit and decisions, listen, tell the address, answer until stopped.

A request that does not end is cut off.
"""

import getpass
import os
import re
import socket
import tempfile
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import h11
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..._format import join_names
from ..._warn import warn_user
from ...audit_folder.decisions import open_decisions
from . import _actions, _further, _pages
from ._folder import AuditFolder, find_table
from ._guard import Guard, Session, is_loopback
from ._keys import DIGITS, KEYS
from ._review import Review
from ._standing import QUEUES
from ._web import ASSETS, get_asset_address, is_partial, read_asset, render_template

_ORIGIN = re.compile(r"(https?)://([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?/*")
_USUAL_PORTS = {"http": 80, "https": 443}

OPENING_PAGE = """<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}"><title>errata review</title>
<p><a href="{address}">Open the review</a></p>
"""


def serve(
    audit: str | os.PathLike,
    *,
    reviewer: str | None = None,
    queue: str = "suspects",
    blind: bool = False,
    table: str | os.PathLike | None = None,
    images: str | os.PathLike | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    origin: str | None = None,
    browser: bool = True,
    keys: str | None = None,
    stop_at: float = 0.1,
    gold: float = 0.0,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Let a person decide on the suspects of an audit, in a browser, until the process is stopped.

    Every decision is on disk, in a file beside the audit, before the next row is shown.

    Parameters
    ----------
    audit : path
        The folder that ``errata audit`` or ``Audit.save`` has written.
    reviewer : str, optional
        Who decides; the name of the user who runs this by default.
    queue : {"suspects", "calibration", "spot", "disputed", "all", "second"}, default="suspects"
        Which rows come first: the flagged ones; the calibration pile, drawn by lot among all rows;
        more of these, most not flagged; rows on which reviewers differ; all rows that have a
        card. "second" is for a second reader: rows that others have decided, blind, and without a
        word of what they decided.
    blind : bool, default=False
        Show label and suggestion in random order without saying which is which, so that nobody
        just follows either.
    table : path, optional
        The audited table, where it has moved.
    images : path, optional
        The folder of the pictures that a column of the table names; that of the table by default.
    host : str, default="127.0.0.1"
        Where to listen. Other addresses can be reached from other machines, without encryption.
    port : int, default=0
        0 for one that is free.
    origin : str, optional
        What browsers see, such as "https://review.example.org", behind a proxy or a tunnel.
    browser : bool, default=True
        Whether to open a browser.
    keys : str, optional
        Other keys, as in "accept=Enter,keep=x".
    stop_at : float, default=0.1
        The page says that it is time to stop when less than this fraction of the next twenty rows
        is expected to be wrong.
    gold : float, default=0.0
        Such a fraction of the rows in a queue tests the reviewer: their labels are certain
        (``errata.audit(known=...)``), and half of them are shown with another. They look like any
        others, change nothing in the table, and are told of in numbers once in ten decisions.
    ready : callable, optional
        Called with the address when the page can be opened. Whoever has the address may decide.

    Examples
    --------
    >>> import errata
    >>> errata.review.serve("no-such.audit")
    Traceback (most recent call last):
    FileNotFoundError: no-such.audit does not exist; give the folder that errata audit has written.
    """
    if not host.strip():  # sockets take it for every address that the machine has
        raise ValueError(
            "host is empty, and other machines could reach the review; give 127.0.0.1, or the "
            "address to listen on."
        )
    if not 0 <= gold < 1:
        raise ValueError(f"gold is {gold}; give a fraction from 0 to below 1.")
    folder = AuditFolder(Path(audit), gold=gold > 0)
    if queue not in QUEUES:
        raise ValueError(f"there is no queue {queue!r}; choose from {', '.join(QUEUES)}.")
    if not 0 <= stop_at <= 1:
        raise ValueError(f"stop_at is {stop_at}; give a fraction between 0 and 1.")
    options: dict[str, Any] = {
        "queue": queue,
        "blind": blind,
        **_find_files(folder, table, images),
        "keys": read_keys(keys),
        "stop_at": stop_at,
        "gold": gold,
    }
    name = getpass.getuser() if reviewer is None else reviewer.strip()
    if not name:
        raise ValueError("the name of the reviewer is empty; decisions are kept under a name.")
    public_origin = "" if origin is None else read_origin(origin)
    with _open_socket(host, port) as listener, open_decisions(audit) as decisions:
        session = Session(host, listener.getsockname()[1], public_origin)
        decisions.keep_lock(session.origin)
        if not is_loopback(host):
            warn_user(
                f"{session.origin} can be reached from other machines, and is not encrypted: "
                "whoever listens on the way can read and decide; an ssh tunnel is safer."
            )
        server = make_server(make_app(Review(folder, decisions, name, **options), session))
        with open_browser(session.address) if browser else nullcontext():
            if ready is not None:
                ready(session.address)
            server.run(sockets=[listener])


def _find_files(folder: AuditFolder, table: Any, images: Any) -> dict[str, Any]:
    """The table, and the folder of its pictures; raise where one that was named is not there."""
    for path, what in ((table, "the table is"), (images, "the pictures are")):
        if path is not None and not Path(path).exists():
            raise FileNotFoundError(f"{path} does not exist; say where {what}.")
    table = find_table(folder, None if table is None else Path(table))
    if images is None and table is not None:  # a folder of pictures is itself the table
        images = table if table.is_dir() else table.parent
    return {"table": table, "images": images and Path(images)}


@contextmanager
def _open_socket(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that listens, so that an address that was told can be opened at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small answers at once; otherwise they wait for 40 ms.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            why = error.strerror or str(error)
            raise OSError(
                f"cannot listen on {host}, port {port}: {why}; try another port."
            ) from None
        listener.listen(64)
        yield listener


def read_origin(text: str) -> str:
    """An origin as browsers write it; raise where it is no address of a page.

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


def read_keys(text: str | None) -> dict[str, tuple[str, ...]]:
    """The keys with changes such as ``accept=Enter,keep=x``.

    >>> read_keys("keep=j")["keep"]
    ('j',)
    >>> read_keys("keep=a")
    Traceback (most recent call last):
    ValueError: the key a would do two things, accept and keep; give each a key of its own.
    """
    changes = dict(_read_change(part) for part in (text or "").split(",") if part)
    return check_keys({**KEYS, **{action: (key,) for action, key in changes.items()}})


def _read_change(part: str) -> tuple[str, str]:
    action, _, key = part.partition("=")
    if action not in KEYS:
        raise ValueError(f"there is no action {action!r} to give a key to; {join_names(KEYS)}.")
    if not key or key in DIGITS:
        raise ValueError(f"{part!r} names no key for {action}; write it as in accept=Enter.")
    return action, key.lower() if len(key) == 1 else key


def check_keys(keys: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The keys, each of which does one thing."""
    owner: dict[str, str] = {}
    for action, names in keys.items():
        for name in names:
            if owner.setdefault(name, action) != action:
                raise ValueError(
                    f"the key {name} would do two things, {owner[name]} and {action}; "
                    "give each a key of its own."
                )
    return dict(keys)


@contextmanager
def open_browser(address: str) -> Iterator[None]:
    """Open a file that leads to the address, and that only its owner can read while it is there."""
    handle, name = tempfile.mkstemp(".html", "errata-review-")  # readable by its owner alone
    path = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(OPENING_PAGE.format(address=escape(address)))
        with suppress(webbrowser.Error):
            webbrowser.open(path.as_uri())
        yield
    finally:
        path.unlink(missing_ok=True)


def make_app(review: Review, session: Session) -> Any:
    """The application: reading by GET, writing by POST, all of it for those with the token."""
    routes = [
        *_pages.ROUTES,
        *_actions.ROUTES,
        *_further.ROUTES,
        Route("/static/{digest}/{name}", _send_asset),
    ]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, session=session)],
        exception_handlers={HTTPException: _send_refusal},
    )
    app.state.review = review
    app.state.reaudit = None
    return app


async def _send_asset(request: Any) -> Any:
    name = request.path_params["name"]
    if name not in ASSETS or request.url.path != get_asset_address(name):
        raise HTTPException(404, "there is no such file.")
    kept = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(read_asset(name), media_type=ASSETS[name], headers=kept)


async def _send_refusal(request: Any, error: Any) -> Any:
    """One sentence: to the script as it is, to a person on a page with a way back."""
    if is_partial(request) or not request.headers.get("accept", "").startswith("text/html"):
        return PlainTextResponse(error.detail, error.status_code, headers=error.headers)
    page = render_template("refused.html", sentence=error.detail, status=error.status_code)
    return HTMLResponse(page, error.status_code, headers=error.headers)


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
