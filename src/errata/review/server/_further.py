"""Steps after deciding: take decisions along as a file, or audit the table again with them.

The new audit runs in a process of its own.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory, mkstemp
from typing import Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse
from starlette.routing import Route

from ..._format import join_names, percent
from ..._kinds import NOTED, spell_options
from ..exporting import export_events, export_label_studio, export_table, read_audited
from ._review import Review
from ._stage import build_page
from ._standing import RowFilter
from ._web import get_review, render_template

MOST_SAID = 65_536  # bytes that are looked at
# The report has a policy of its own, and a script; it must not act in the name of this page.
REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; img-src data:; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


async def show_more(request: Any) -> Any:
    """The exports, and the way to a new audit."""
    review = get_review(request)
    view = build_page(review, RowFilter(review.queue))
    paths = {"decisions": review.decisions.path, "audit": review.folder.path}
    return HTMLResponse(render_template("more.html", **view, **paths, table=review.table))


async def send_export(request: Any) -> Any:
    """A file, which goes when it is sent."""
    review = get_review(request)
    form = request.query_params.get("format", "csv")
    if form not in FORMATS:
        raise HTTPException(422, f"there is no format {form!r}; there are {join_names(FORMATS)}.")
    folder = TemporaryDirectory(prefix="errata-export-")
    ending, write = FORMATS[form]
    stem = review.folder.path.resolve().name.removesuffix(".audit")
    path = Path(folder.name) / f"{stem}{ending}"
    try:
        path = await run_in_threadpool(write, review, path)
    except BaseException as error:
        folder.cleanup()
        if isinstance(error, OSError | ValueError | ImportError):
            raise HTTPException(422, str(error)) from error
        raise
    return FileResponse(path, filename=path.name, background=BackgroundTask(folder.cleanup))


def _write_table(review: Review, path: Path) -> Path:
    """The table as it was, with what was decided beside each row."""
    export_table(read_audited(review.folder.path), _copy_verdicts(review), _get_table(review), path)
    return path


def _write_tasks(review: Review, path: Path) -> Path:
    """Tasks for Label Studio."""
    export_label_studio(
        read_audited(review.folder.path), _copy_verdicts(review), _get_table(review), path
    )
    return path


def _write_config(review: Review, path: Path) -> Path:
    """The configuration of Label Studio, written beside the tasks."""
    return _write_tasks(review, path.with_suffix(".json")).with_suffix(".xml")


def _write_events(review: Review, path: Path) -> Path:
    """One row for each event."""
    export_events(review.decisions, path)
    return path


def _copy_verdicts(review: Review) -> dict[str, Any]:
    """A copy of the verdicts: the file is written beside further decisions."""
    return dict(review.decisions.verdicts())


def _get_table(review: Review) -> Path:
    if review.table is None:
        raise FileNotFoundError("the audited table is not there; say where it is with --table.")
    return review.table


class Reaudit:
    """An audit under way, or done: it starts when this is made."""

    def __init__(self, review: Review) -> None:
        table = _check_table(review)
        self.folder = _find_free_name(review.folder.path)
        label = review.folder.about["label"]
        named = f"--{review.folder.kind.command.named_by[0]}"
        again = [*_read_options(review), "--decisions", str(review.decisions.path)]
        # What it says goes to a file that has no name, so that nothing is left of it.
        out, self.log = _open_nameless_file()
        # -P: without it, a click.py in the folder where this runs would be imported.
        command = [sys.executable, "-P", "-m", "errata.cli", "audit", str(table), named, label]
        self.process = subprocess.Popen(
            [*command, *again, "--out", str(self.folder)],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        os.close(out)

    @property
    def state(self) -> str:
        """Whether it is "running", "done" or "failed"."""
        code = self.process.poll()
        return "running" if code is None else "done" if code == 0 else "failed"

    @property
    def last_line(self) -> str:
        """The last line of its output."""
        os.lseek(self.log, 0, os.SEEK_SET)
        lines = os.read(self.log, MOST_SAID).decode("utf-8", errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


async def show_reaudit(request: Any) -> Any:
    """How far it has come; a link to its report when it is done."""
    review = get_review(request)
    running = request.app.state.reaudit
    view = build_page(review, RowFilter(review.queue))
    state = running.state if running else "none"
    found = ""
    if state == "done":
        numbers = json.loads((running.folder / "audit.json").read_text(encoding="utf-8"))
        rate = percent(numbers["noise_rate"][0])
        found = f"{rate} of the labels are expected to be wrong now"
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
        app.state.reaudit = Reaudit(get_review(request))
    return RedirectResponse("/reaudit", 303)


async def send_report(request: Any) -> Any:
    """The report of the new audit, shut off from this page."""
    running = request.app.state.reaudit
    if running is None or running.state != "done":
        raise HTTPException(404, "there is no new audit yet.")
    headers = {"Content-Security-Policy": REPORT_POLICY}
    return FileResponse(running.folder / "report.html", headers=headers)


def _read_options(review: Review) -> list[str]:
    """The options of the audit, as far as they may be repeated.

    An audit may be a stranger's: no other option is passed on, such as one that names a cluster,
    from which code would be run.
    """
    noted = review.folder.about.get("arguments") or {}
    for name in noted:
        if name not in (*NOTED, "estimator", "decisions"):
            raise HTTPException(
                422,
                f"this audit notes an argument {name[:40]!r}, which errata audit does not note; "
                "audit the table again with errata audit.",
            )
    model = str(noted.get("model", ""))
    if ":" in model:
        raise HTTPException(
            422,
            f"this audit was made with {model[:80]}, and the code of a model is only run for who "
            "types its name; audit the table again with errata audit.",
        )
    if "estimator" in noted and not model:
        raise HTTPException(
            422, "this audit was made with a model of your own; audit the table again in Python."
        )
    return spell_options(noted)


def _open_nameless_file() -> tuple[int, int]:
    """A temporary file, to write and to read, each with a place of its own."""
    out, name = mkstemp(prefix="errata-reaudit-")
    log = os.open(name, os.O_RDONLY)
    with suppress(OSError):  # Windows keeps what is open
        os.unlink(name)
    return out, log


def _check_table(review: Review) -> Path:
    about = review.folder.about
    table = review.table
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


FORMATS: dict[str, tuple[str, Callable[[Review, Path], Path]]] = {
    "csv": (".decided.csv", _write_table),
    "parquet": (".decided.parquet", _write_table),
    "jsonl": (".decided.jsonl", _write_table),
    "label-studio": (".tasks.json", _write_tasks),
    "label-studio-config": (".tasks.xml", _write_config),
    "events": (".events.csv", _write_events),
}


ROUTES = [
    Route("/more", show_more),
    Route("/export", send_export),
    Route("/reaudit", show_reaudit),
    Route("/reaudit", start_reaudit, methods=["POST"]),
    Route("/reaudit/report", send_report),
]
