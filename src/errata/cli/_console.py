"""What the commands share of the terminal: every text on its way there passes through here."""

import re
import sys
from typing import Any

import click
from rich.console import Console
from rich.text import Text

_PIPE_WIDTH = 160  # nobody wants cells cut off in a pipe or a file

# Control characters but for tab and line end, marks that turn the direction of text around, line
# ends that terminals do not show as such, and halves of characters, which no terminal can show.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    r"""The text with what would command the terminal, or deceive its reader, spelled out.

    Labels, columns and file names are other people's texts.

    >>> visible("\x1b[2Jcat"), visible("café\n")
    ('\\x1b[2Jcat', 'café\n')
    """
    return _UNSEEN.sub(lambda found: repr(found[0])[1:-1], text)


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
