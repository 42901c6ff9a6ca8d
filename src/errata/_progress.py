"""Progress of work, as a person sees it: the stage it is at, and how far it has come.

On a terminal that is a bar of rich; a notebook shows HTML that changes in its place, which needs no
widgets; elsewhere there is silence.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from importlib import import_module
from typing import Any

from ._engine import Stage
from ._format import visible

Progress = Callable[[Any], None]  # is told each stage: in a few words, or by a Stage


def ignore_progress(*stage: Any) -> None:
    """Nobody wants to know."""


@contextmanager
def open_progress(progress: Progress | bool | None) -> Iterator[Progress]:
    """Who is told the stages: what the user passes as ``progress``, or what is shown for True.

    Examples
    --------
    >>> with open_progress(print) as tell:
    ...     tell("fitting extra trees")
    fitting extra trees
    """
    if progress is True:
        with show_progress() as show:
            yield show
    else:
        yield _check_callable(progress)


def count_models(models: Sequence[Any], progress: Progress | None) -> Iterator[Any]:
    """The models one after the other, each told before it is fitted, with how many are done.

    A model has a name, or is a pair of its name and a function.
    """
    began = time.monotonic()
    for done, model in enumerate(models):
        if progress is not None:
            seconds = time.monotonic() - began
            name = model[0] if isinstance(model, tuple) else model.name
            progress(Stage(f"fitting {name}", done, len(models), seconds, unit="models"))
        yield model


def count_within(name: str, progress: Progress) -> Progress:
    """Progress of a stage that fits models: they are counted under its ``name``."""

    def tell(stage: Any) -> None:
        if isinstance(stage, Stage):
            progress(stage._replace(name=f"{name}, {stage.name}"))

    return tell


def _check_callable(progress: Any) -> Callable[..., None]:
    if progress is None or progress is False:
        return ignore_progress
    if not callable(progress):
        raise ValueError(
            f"progress={progress!r} must be True, to see the stages, or a function that is given "
            "each of them."
        )
    return progress


@contextmanager
def show_progress(terminal: Any = None) -> Iterator[Progress]:
    """Something to be told every stage, which shows it where a person looks.

    ``terminal`` is a console of rich; by default standard error, so that standard output holds the
    findings alone.
    """
    if terminal is None and is_notebook():
        with _show_in_notebook() as show:
            yield show
        return
    if terminal is None:
        terminal = import_module("rich.console").Console(stderr=True, highlight=False, markup=False)
    if not terminal.is_terminal:
        yield ignore_progress
        return
    with _show_in_terminal(terminal) as show:
        yield show


def is_notebook() -> bool:
    """Whether this process is the kernel of a notebook, without importing IPython to find out."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return hasattr(shell, "kernel")


@contextmanager
def _show_in_terminal(terminal: Any) -> Iterator[Progress]:
    rich = import_module("rich.progress")  # now, not whenever errata is imported
    words = rich.TextColumn("{task.description}", markup=False)
    columns = rich.SpinnerColumn(), words, rich.BarColumn()
    with rich.Progress(*columns, console=terminal, transient=True) as bar:
        task = bar.add_task("reading the table ...", total=None)

        def show(stage: Any) -> None:
            done, total = _count_done(stage)
            bar.update(task, description=_format_stage(stage), completed=done)
            bar.tasks[0].total = total  # which update would leave as it is where it is None

        yield show


@contextmanager
def _show_in_notebook() -> Iterator[Progress]:
    page = import_module("IPython.display")
    shown = page.display(page.HTML(_format_html("reading the table")), display_id=True)
    try:
        yield lambda stage: shown.update(page.HTML(_format_html(stage)))
    finally:
        shown.update(page.HTML(""))


def _format_html(stage: Any) -> str:
    """The stage with a bar, which runs to and fro where nothing is counted."""
    done, total = _count_done(stage)
    filled = "" if total is None else f' value="{done}" max="{total}"'
    return f"<progress{filled}></progress> {escape(_format_stage(stage))}"


def _format_stage(stage: Any) -> str:
    return visible(f"{stage} ..." if isinstance(stage, str) else str(stage))


def _count_done(stage: Any) -> tuple[int, int | None]:
    """How much is done of how much; None where it is not counted."""
    return (0, None) if isinstance(stage, str) else (stage.done, stage.total)
