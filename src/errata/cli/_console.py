"""What the commands share of the terminal: texts, small tables, progress of work."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from .._format import count, visible

_PIPE_WIDTH = 160  # nobody wants cells cut off in a pipe or a file


def say(text: str, *, err: bool = False) -> None:
    """Print a line that is not part of a table."""
    click.echo(visible(text), err=err)


class _Terminal(Console):
    """rich's console; a closed pipe is left to those who decide how commands end."""

    def render_str(self, text: str, **how: Any) -> Text:
        """Every text, cells of tables included, comes by here."""
        return super().render_str(visible(text), **how)

    def on_broken_pipe(self) -> None:
        """Called where the error is at hand; rich would end with exit code 1."""
        raise


def make_console() -> Console:
    """Standard output; plain where it is not a terminal or NO_COLOR is set.

    Brackets in names are not markup, and colons around them no emoji: they are the user's.
    """
    return _Terminal(
        highlight=False,
        markup=False,
        emoji=False,
        width=None if sys.stdout.isatty() else _PIPE_WIDTH,
    )


def make_table(words: list[str], numbers: list[str]) -> Table:
    """A table with columns of words, then of numbers."""
    table = Table(box=SIMPLE_HEAD)
    for heading in words:
        table.add_column(heading, overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def format_title(shown: int, flagged: int) -> str:
    """The title of the list of flagged rows.

    >>> format_title(10, 53)
    'The 10 most suspicious of 53 flagged rows, counted from 0 after the header:'
    """
    which = f"The {count(shown)} most suspicious of {count(flagged)} flagged rows"
    if shown == flagged:
        which = "The flagged row" if flagged == 1 else f"The {count(flagged)} flagged rows"
    return f"{which}, counted from 0 after the header:"


@contextmanager
def explain_resuming() -> Iterator[None]:
    """Say on Ctrl-C that what was measured is kept, unlike what other commands leave behind."""
    try:
        yield
    except KeyboardInterrupt:
        say("Stopped. The same command goes on from here.", err=True)
        raise SystemExit(130) from None


@contextmanager
def show_bar(terminal: Console, title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, silence elsewhere."""
    # The title may be the name of a file: its brackets are not markup.
    named = TextColumn("{task.description}", markup=False)
    columns = (named, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=terminal, disable=not terminal.is_terminal) as bar:
        task = bar.add_task(visible(title))
        yield lambda done, total: bar.update(task, completed=done, total=total)


def fail(why: str) -> NoReturn:
    """End with exit code 1, as a pipeline asked for."""
    say(why, err=True)
    raise SystemExit(1)
