"""The page of the first audit, followed word for word."""

import os
import re
import signal
import subprocess
import sys
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

import pytest

from waiting import LONG

PAGE = Path(__file__).parents[1] / "docs" / "start" / "first_audit.md"
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks():
    """Kind, text, and what stands before it, of every block of code on the page."""
    text = PAGE.read_text(encoding="utf-8")
    return [(m[1], m[2], text[: m.start()].rstrip()) for m in BLOCK.finditer(text)]


@pytest.mark.slow
def test_every_command_says_what_the_page_says(tmp_path):
    said, followed = None, 0
    for kind, text, before in blocks():
        if kind == "python":
            (tmp_path / re.search(r"`(\w+\.py)`:$", before)[1]).write_text(text)
        elif kind == "sh":
            said = run(text.strip(), tmp_path)
        else:
            followed += 1
            assert OutputChecker().check_output(text, said, ELLIPSIS | NORMALIZE_WHITESPACE), said
    assert followed == 4
    assert (tmp_path / "noisy.audit" / "report.html").stat().st_size > 100_000


def run(command, folder):
    """What a command prints, where `python` and `errata` are those of this environment."""
    tools = {"python": [sys.executable], "errata": [sys.executable, "-m", "errata.cli"]}
    name, *rest = command.split()
    if rest[0] == "review":
        return served([*tools[name], *rest, "--no-browser"], folder)
    done = subprocess.run(
        [*tools[name], *rest], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def served(command, folder):
    """Start the review, wait until it tells its address, and end it as Ctrl+C does."""
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env=environment,
    ) as server:  # fmt: skip
        said = ""
        for line in server.stdout:  # which ends with the server, if it tells no address
            said += line
            if "http://127.0.0.1" in line:
                break
        try:
            server.send_signal(signal.SIGINT)
            assert server.wait(LONG) in (0, 130), said  # 130: before it answered anybody
        finally:
            server.kill()  # where SIGINT is ignored, as in a job in the background
    assert "http://127.0.0.1" in said
    return said
