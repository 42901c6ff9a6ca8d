"""A review page in a test: called in this process, or served by one that may be killed."""

import asyncio
import html
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import httpx

from errata.review import open_decisions
from errata.review.server._folder import AuditFolder
from errata.review.server._guard import Session
from errata.review.server._review import Review
from errata.review.server._serve import make_app
from errata.review.server._standing import RowFilter

SESSION = Session("127.0.0.1", 8000, token="secret")
OURS = {"origin": SESSION.origin, "sec-fetch-site": "same-origin"}
PART = {"errata-part": "stage"}
LONG = 300  # seconds: a hundred times what a quiet machine needs


class Page:
    """The application of one review, spoken to as a browser would that has been let in."""

    def __init__(self, audit, *, reviewer="ann", gold=0.0, session=SESSION, **options):
        self.decisions = open_decisions(audit)
        folder = AuditFolder(Path(audit), gold=gold > 0)
        self.review = Review(folder, self.decisions, reviewer, gold=gold, **options)
        self.app = make_app(self.review, session)
        self.headers = {"host": "127.0.0.1:8000", "cookie": f"{session.cookie}={session.token}"}

    @classmethod
    def again(cls, page):
        """The page as it would be after a new start."""
        page.__exit__()
        return cls(page.review.folder.path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.review.folder.cards.close()
        self.decisions.close()

    def ask(self, method, path, *, headers=None, **content):
        """One request, with the headers of a browser unless others are given."""
        given = self.headers | (OURS if method == "POST" else {}) | (headers or {})
        sent = {name: value for name, value in given.items() if value is not None}

        async def call():
            transport = httpx.ASGITransport(app=self.app)
            async with httpx.AsyncClient(
                transport=transport, base_url=SESSION.origin, verify=False
            ) as client:
                return await client.request(method, path, headers=sent, **content)

        return asyncio.run(call())

    def get(self, path="/", **how):
        return self.ask("GET", path, **how)

    def post(self, path, data, **how):
        return self.ask("POST", path, data=data, **how)

    def rows_in(self, queue, **conditions):
        """The rows that a filter has, in the order of the page."""
        return self._rows(self.review.standing.rows_in(RowFilter(queue, **conditions)))

    def rows_waiting(self, queue, **conditions):
        """Those of them that nobody has decided."""
        return self._rows(self.review.standing.waiting(RowFilter(queue, **conditions)))

    def _rows(self, places):
        return self.review.folder.rows[places].tolist()

    def decide(self, row, kind="suggestion", **more):
        """Decide a row, as the script does."""
        given = {"row": row, "kind": kind, "key": f"key of {row}", "filter": ""} | more
        return self.post("/decide", given, headers=PART)


def row_of(answer):
    """The row that an answer shows; None where it shows none."""
    found = re.search(r'name="row" value="(\d+)"', answer.text)
    return found and int(found[1])


def said(answer):
    """What the page says of what was done."""
    return html.unescape(re.search(r'id="said"[^>]*>([^<]*)', answer.text)[1])


SERVE = """
import sys
from errata.review import serve
audit, port, options = sys.argv[1], int(sys.argv[2]), eval(sys.argv[3])
serve(audit, port=port, browser=False, ready=lambda at: print(at, flush=True), **options)
"""


class Server:
    """A server in a process of its own."""

    def __init__(self, audit, port=0, **options):
        options = {"reviewer": "ann"} | options
        command = [sys.executable, "-c", SERVE, str(audit), str(port), repr(options)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        assert self.address, "the server did not start"
        self.origin, _, self.token = self.address.partition("/?token=")
        self.port = int(self.origin.rpartition(":")[2])

    def client(self):
        """A client that has been let in."""
        headers = {"origin": self.origin, "sec-fetch-site": "same-origin", **PART}
        cookies = {f"errata_{self.port}": self.token}
        return httpx.Client(
            base_url=self.origin, headers=headers, cookies=cookies, timeout=LONG, verify=False
        )

    def kill(self):
        """End it as a power cut would."""
        self.process.kill()
        self._gone()

    def stop(self, number=signal.SIGTERM):
        """Ask it to end; its exit code."""
        self.process.send_signal(number)
        return self._gone()

    def _gone(self):
        self.process.stdout.close()
        return self.process.wait(timeout=LONG)


@contextmanager
def serving(audit, **options):
    server = Server(audit, **options)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.kill()
