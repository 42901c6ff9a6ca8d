"""Small tables for the terminal."""

from rich.box import SIMPLE_HEAD
from rich.table import Table


def grid(words: list[str], numbers: list[str]) -> Table:
    """A table with columns of words, then of numbers."""
    table = Table(box=SIMPLE_HEAD)
    for heading in words:
        table.add_column(heading, overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table
