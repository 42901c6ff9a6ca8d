"""Small tables for the terminal."""

from rich.box import SIMPLE_HEAD
from rich.table import Table

from .._format import count


def grid(words: list[str], numbers: list[str]) -> Table:
    """A table with columns of words, then of numbers."""
    table = Table(box=SIMPLE_HEAD)
    for heading in words:
        table.add_column(heading, overflow="fold")
    for heading in numbers:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def title_of_rows(shown: int, flagged: int) -> str:
    """The title of the list of flagged rows.

    >>> title_of_rows(10, 53)
    'The 10 most suspicious of 53 flagged rows, counted from 0 after the header:'
    """
    which = f"The {count(shown)} most suspicious of {count(flagged)} flagged rows"
    if shown == flagged:
        which = "The flagged row" if flagged == 1 else f"The {count(flagged)} flagged rows"
    return f"{which}, counted from 0 after the header:"
