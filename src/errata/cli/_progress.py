"""What a terminal shows while an audit runs: the stage it is at, and how far it has come."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from .._format import visible


@contextmanager
def shown_progress(terminal: Console | None = None) -> Iterator[Callable[[Any], None]]:
    """Something to be told every stage, in words or by :class:`errata._engine.Stage`.

    On a terminal it is shown, with a bar where rows are counted; elsewhere there is silence.
    """
    # On standard error, so that standard output holds the findings alone.
    terminal = terminal or Console(stderr=True, highlight=False, markup=False)
    if not terminal.is_terminal:
        yield lambda _: None
        return
    words = TextColumn("{task.description}", markup=False)
    with Progress(SpinnerColumn(), words, BarColumn(), console=terminal, transient=True) as bar:
        task = bar.add_task("reading the table ...", total=None)

        def show(stage: Any) -> None:
            counted = not isinstance(stage, str)
            bar.update(
                task,
                description=visible(str(stage) if counted else f"{stage} ..."),
                completed=stage.done if counted else 0,
                total=stage.total if counted else None,
            )

        yield show
