"""What the commands share of the terminal: every text on its way there passes through here."""

import sys
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from .._format import visible

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


def console() -> Console:
    """Standard output; plain where it is not a terminal or NO_COLOR is set.

    Brackets in names are not markup, and colons around them no emoji: they are the user's.
    """
    return _Terminal(
        highlight=False,
        markup=False,
        emoji=False,
        width=None if sys.stdout.isatty() else _PIPE_WIDTH,
    )
