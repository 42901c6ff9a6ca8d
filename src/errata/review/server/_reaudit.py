"""Audit the table again with what was decided, in a process of its own."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse

from ..._format import percent
from ._requests import get_review
from ._review import Review
from ._stage import build_page
from ._standing import RowFilter
from ._templates import render_template

MOST_SAID = 65_536  # bytes that are looked at
# What errata audit notes of its options. An audit may be a stranger's: no other option is passed
# on, such as one that names a cluster, from which code would be run.
REPEATED = {
    "--band",
    "--by",
    "--drop",
    "--embeddings",
    "--features",
    "--fs",
    "--group",
    "--id",
    "--item",
    "--jobs",
    "--known",
    "--model",
    "--no-self-check",
    "--pixels",
    "--precision",
    "--pred-proba",
    "--seed",
    "--sequence",
    "--trust",
    "--wavelets",
    "--worker",
}

# The report has a policy of its own, and a script; it must not act in the name of this page.
REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass
class Reaudit:
    """An audit under way, or done."""

    process: subprocess.Popen
    folder: Path
    log: int  # a file of what it says that has no name, so that nothing is left of it

    @property
    def state(self) -> str:
        """Whether it is "running", "done" or "failed"."""
        code = self.process.poll()
        return "running" if code is None else "done" if code == 0 else "failed"

    @property
    def last_line(self) -> str:
        """What it said last."""
        os.lseek(self.log, 0, os.SEEK_SET)
        lines = os.read(self.log, MOST_SAID).decode("utf-8", errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


async def show_reaudit(request: Any) -> Any:
    """How far it has come; a link to its report when it is done."""
    review = get_review(request)
    running = request.app.state.reaudit
    view = build_page(review, RowFilter(review.options.queue))
    state = running.state if running else "none"
    found = _summarise(running.folder) if state == "done" else ""
    page = render_template(
        "reaudit.html",
        **view,
        state=state,
        found=found,
        line=running.last_line if running else "",
        folder=running.folder if running else None,
    )
    headers = {"Refresh": "2"} if state == "running" else {}
    return HTMLResponse(page, headers=headers)


async def start_reaudit(request: Any) -> Any:
    """Start it, unless it is under way."""
    app = request.app
    if app.state.reaudit is None or app.state.reaudit.state != "running":
        app.state.reaudit = _start(get_review(request))
    return RedirectResponse("/reaudit", 303)


async def send_report(request: Any) -> Any:
    """The report of the new audit, shut off from this page."""
    running = request.app.state.reaudit
    if running is None or running.state != "done":
        raise HTTPException(404, "there is no new audit yet.")
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return FileResponse(running.folder / "report.html", headers=headers)


def _start(review: Review) -> Reaudit:
    table = _check_table(review)
    folder = _find_free_name(review.folder.path)
    label = review.folder.about["label"]
    named = f"--{review.folder.kind.command.named_by[0]}"
    again = [*_read_options(review), "--decisions", str(review.decisions.path)]
    out, log = _open_nameless_file()
    # -P: without it, a click.py in the folder where this runs would be imported.
    command = [sys.executable, "-P", "-m", "errata.cli", "audit", str(table), named, label]
    process = subprocess.Popen(
        [*command, *again, "--out", str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.STDOUT,
    )
    os.close(out)
    return Reaudit(process, folder, log)


def _read_options(review: Review) -> list[str]:
    """The options of the audit, as far as they may be repeated."""
    options = [str(word) for word in review.folder.about.get("options", [])]
    for word in options:
        name = word.partition("=")[0]
        if name.startswith("-") and name not in REPEATED:
            raise HTTPException(
                422,
                f"this audit notes an option {name[:40]!r}, which errata audit does not note; "
                "audit the table again with errata audit.",
            )
    return options


def _open_nameless_file() -> tuple[int, int]:
    """A temporary file, to write and to read, each with a place of its own."""
    out, name = mkstemp(prefix="errata-reaudit-")
    log = os.open(name, os.O_RDONLY)
    with suppress(OSError):  # Windows keeps what is open
        os.unlink(name)
    return out, log


def _check_table(review: Review) -> Path:
    about = review.folder.about
    table = review.options.table
    kind = review.folder.kind
    if "decisions" not in kind.command.takes:
        what = f"an audit of {kind.title}"
        raise HTTPException(422, f"{what} takes no decisions; clean the table with them.")
    if about.get("label") is None or "table" not in about:
        raise HTTPException(422, "this audit was made in Python; audit again there.")
    if table is None:
        raise HTTPException(422, f"{about['table']} is gone; say where it is with --table.")
    return table


def _find_free_name(folder: Path) -> Path:
    """A name for the next audit beside this one.

    >>> _find_free_name(Path("no-folder/train.audit")).name
    'train.2.audit'
    >>> _find_free_name(Path("x/train.2.audit")).name
    'train.3.audit'
    """
    stem, dot, number = folder.resolve().name.removesuffix(".audit").rpartition(".")
    base, last = (stem, int(number)) if dot and number.isdecimal() else (stem + dot + number, 1)
    while True:
        last += 1
        path = folder.with_name(f"{base}.{last}.audit")
        if not path.exists():
            return path


def _summarise(folder: Path) -> str:
    numbers = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
    estimate = numbers["noise_rate"][0]
    return f"{percent(estimate)} of the labels are expected to be wrong now"
