"""What the commands share of the terminal."""

import sys

from rich.console import Console

_PIPE_WIDTH = 160  # nobody wants cells cut off in a pipe or a file


def console() -> Console:
    """Standard output; plain where it is not a terminal or NO_COLOR is set.

    Brackets in names are not markup: they are the user's.
    """
    return Console(
        highlight=False, markup=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH
    )
