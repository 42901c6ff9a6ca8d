"""Rows of text as they stand in the file, and what is to change about them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._names import instead

MARK = "\ufeff"  # the byte order mark
COPIED_ROWS = 1 << 14  # of text, in memory at a time while a table is copied


class NoRowsError(ValueError):
    """A table is one, but has no rows."""


class Record(NamedTuple):
    """One row: its text, line end included, and what it says (None when it is blank)."""

    raw: str
    cells: Any
    line: int


class Change(NamedTuple):
    """What becomes of a table as it is copied, some rows at a time, in their order.

    ``of(start, cells)`` is given the cells of the column in rows from ``start`` on, and says which
    of these rows stay and what the cells become. Without a name the cells are all None.
    """

    name: str | None
    of: Callable[[int, list[Any]], tuple[Sequence[bool] | np.ndarray, list[Any]]]
    n_rows: int | None = None  # how many the table must have


def given_change(keep: np.ndarray, name: str | None, values: list[Any]) -> Change:
    """A change that is known for all rows before any is read."""

    def of(start: int, cells: list[Any]) -> tuple[np.ndarray, list[Any]]:
        rows = slice(start, start + len(cells))
        return keep[rows], values[rows]

    return Change(name, of, len(keep))


def with_blank_lines(records: Iterable[Record]) -> Iterator[Record]:
    """Attach blank lines to the row before them (to the first row when they open the file)."""
    before: Record | None = None
    for record in records:
        if before is None:
            before = record
        elif record.cells is None:
            before = before._replace(raw=before.raw + record.raw)
        elif before.cells is None:
            before = record._replace(raw=before.raw + record.raw)
        else:
            yield before
            before = record
    if before is not None:
        yield before


def changed(
    records: Iterable[Record], cell: Callable[[Record], Any], change: Change, path: Path
) -> Iterator[tuple[Record, Any]]:
    """The rows that stay, each with its new cell; raise when there are more or fewer rows."""
    records, n_rows = iter(records), 0
    while some := list(islice(records, COPIED_ROWS)):
        keep, values = change.of(n_rows, list(map(cell, some)))
        n_rows += len(some)
        # Rows beyond those that were expected have no values, and an error comes at the end.
        told = zip(some, keep, values, strict=False)
        yield from ((record, value) for record, kept, value in told if kept)
    check_row_count(n_rows, change.n_rows, path)


def check_row_count(rows: int, given: int | None, path: Path) -> None:
    """Raise when a table does not have as many rows as values were given."""
    if given is not None and rows != given:
        raise ValueError(f"{path} has {rows} rows, but {given} values were given.")


def check_named_once(header: Sequence[str], names: Sequence[str], path: Path | str) -> None:
    """Raise when a table has no column of one of these names, or several."""
    times = Counter(header)
    for name in names:
        if times[name] > 1:
            raise ValueError(
                f"{path} has {times[name]} columns named {name!r}; rename one of them."
            )
        if not times[name]:
            raise ValueError(f"{path} has no column {name!r}; {instead(name, header)}")
