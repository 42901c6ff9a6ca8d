"""Serve the page: open audit and decisions, listen, tell the address, answer until stopped."""

import getpass
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from ..._warn import warn_user
from ...audit_folder.decisions import open_decisions
from ._app import Door, is_loopback, open_browser, read_origin
from ._folder import AuditFolder, find_table
from ._keys import read_keys
from ._review import Review
from ._standing import QUEUES


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
        rows not flagged, drawn at random; rows on which reviewers differ; all rows that have a
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
    seen_as = "" if origin is None else read_origin(origin)
    with _open_socket(host, port) as listener, open_decisions(audit) as decisions:
        door = Door(host, listener.getsockname()[1], seen_as)
        decisions.keep_lock(door.seen_as)
        if not is_loopback(host):
            warn_user(
                f"{door.seen_as} can be reached from other machines, and is not encrypted: whoever "
                "listens on the way can read and decide; an ssh tunnel is safer."
            )
        # Here, as importing Starlette takes a while.
        from ._app import make_app, make_server

        server = make_server(make_app(Review(folder, decisions, name, **options), door))
        with open_browser(door.address) if browser else nullcontext():
            if ready is not None:
                ready(door.address)
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
