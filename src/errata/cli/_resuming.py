"""What commands share whose work can be stopped and gone on with: a bar, and a word on Ctrl-C."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from .._format import visible
from ._console import say


@contextmanager
def resumable() -> Iterator[None]:
    """Say on Ctrl-C that what was measured is kept, unlike what other commands leave behind."""
    try:
        yield
    except KeyboardInterrupt:
        say("Stopped. The same command goes on from here.", err=True)
        raise SystemExit(130) from None


@contextmanager
def progress_bar(terminal: Console, title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, silence elsewhere."""
    # The title may be the name of a file: its brackets are not markup.
    named = TextColumn("{task.description}", markup=False)
    columns = (named, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=terminal, disable=not terminal.is_terminal) as bar:
        task = bar.add_task(visible(title))
        yield lambda done, total: bar.update(task, completed=done, total=total)
