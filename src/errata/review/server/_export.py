"""What was decided, to take along as a file."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse

from ..._format import join_names
from ..exporting import export_events, export_label_studio, export_table, read_audited
from ._requests import get_review
from ._review import Review
from ._stage import build_page
from ._standing import RowFilter
from ._templates import render_template


async def show_more(request: Any) -> Any:
    """What can be exported, and the way to a new audit."""
    review = get_review(request)
    view = build_page(review, RowFilter(review.options.queue))
    paths = {"decisions": review.decisions.path, "audit": review.folder.path}
    return HTMLResponse(render_template("more.html", **view, **paths, table=review.options.table))


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
    """What Label Studio is to show, which is written beside the tasks."""
    return _write_tasks(review, path.with_suffix(".json")).with_suffix(".xml")


def _write_events(review: Review, path: Path) -> Path:
    """One row for each event."""
    export_events(review.decisions, path)
    return path


FORMATS: dict[str, tuple[str, Callable[[Review, Path], Path]]] = {
    "csv": (".decided.csv", _write_table),
    "parquet": (".decided.parquet", _write_table),
    "jsonl": (".decided.jsonl", _write_table),
    "label-studio": (".tasks.json", _write_tasks),
    "label-studio-config": (".tasks.xml", _write_config),
    "events": (".events.csv", _write_events),
}


def _copy_verdicts(review: Review) -> dict[str, Any]:
    """As they are now: the file is written beside further decisions."""
    return dict(review.decisions.verdicts())


def _get_table(review: Review) -> Path:
    if review.options.table is None:
        raise FileNotFoundError("the audited table is not there; say where it is with --table.")
    return review.options.table
