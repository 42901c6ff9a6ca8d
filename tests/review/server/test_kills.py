"""The server killed at random moments: what it acknowledged is there, once."""

import itertools
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, contextmanager

import httpx
import pytest

from errata.review import Decisions, decisions_path
from review.review_cases import write_audit
from review.reviewing import LONG, PART

# Imports once, then serves in a child of its own whenever it is told to.
SERVERS = """
import os, sys
import errata.review.server._serve, pyarrow.compute, pyarrow.parquet, uvicorn.protocols.http.auto
from errata.review import serve
from errata.review.server._web import _make_environment
for name in _make_environment().list_templates():
    _make_environment().get_template(name)
for _ in sys.stdin:
    child = os.fork()
    if not child:
        tell = lambda at: print(os.getpid(), at, flush=True)
        serve(sys.argv[1], reviewer="ann", browser=False, ready=tell)
    os.waitpid(child, 0)
"""


ROWS = 120


@contextmanager
def servers(audit):
    """What starts the next server; its process and address."""
    command = [sys.executable, "-c", SERVERS, str(audit)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:

        def start():
            process.stdin.write("\n")
            process.stdin.flush()
            number, address = process.stdout.readline().split()
            return int(number), address

        yield start
        process.stdin.close()


def decide_until_killed(address, first, when_answered):
    """Decide row after row, from decision ``first`` on; the first that was not acknowledged."""
    origin, _, token = address.partition("/?token=")
    headers = {"origin": origin, "sec-fetch-site": "same-origin", **PART}
    cookies = {f"errata_{origin.rpartition(':')[2]}": token}
    how = {"headers": headers, "cookies": cookies, "timeout": LONG, "verify": False}
    with httpx.Client(base_url=origin, **how) as client:
        for number in itertools.count(first):
            given = {"row": number % ROWS, "kind": "label", "key": f"{number}"}
            try:
                answer = client.post("/decide", data=given)
            except (httpx.NetworkError, httpx.RemoteProtocolError):
                return number
            assert answer.status_code == 200
            when_answered()


def killed(audit, times):
    """Kill the server so many times; how many decisions were acknowledged.

    The one under way when the server is killed is sent again to the next.
    """
    chance, acknowledged = random.Random(0), 0
    with servers(audit) as start:
        for _ in range(times):
            process, address = start()
            kill = threading.Timer(chance.uniform(0, 0.1), os.kill, (process, signal.SIGKILL))
            answered = at_last(kill.start, chance.randint(1, 4))
            acknowledged = decide_until_killed(address, acknowledged, answered)
            kill.join()
    return acknowledged


def at_last(action, times):
    """The action the last of so many times, nothing before and after; a busy machine is slow."""
    left = [action, *[lambda: None] * (times - 1)]
    return lambda: left and left.pop()()


def check_nothing_lost(tmp_path, times):
    audit = write_audit(tmp_path / "pets.audit", rows=ROWS)
    acknowledged = killed(audit, times)
    assert acknowledged >= 2 * times  # or too little happened to be worth a test
    path = decisions_path(audit)
    with Decisions(path) as decisions:
        keys = [int(event.key) for event in decisions.events()]
    # In order, each once; what was under way when the last was killed may be there or not.
    assert keys in (list(range(acknowledged)), list(range(acknowledged + 1)))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@needs_fork
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(tmp_path):
    check_nothing_lost(tmp_path, 10)


@needs_fork
@pytest.mark.slow
def test_nothing_acknowledged_is_lost_in_a_thousand_kills(tmp_path):
    check_nothing_lost(tmp_path, 1000)
