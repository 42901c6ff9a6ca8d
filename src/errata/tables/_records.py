"""Rows of text as they stand in the file, and what is to change about them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._names import instead

MARK = "\ufeff"  # the byte order mark


class Record(NamedTuple):
    """One row: its text, line end included, and what it says (None when it is blank)."""

    raw: str
    cells: Any
    line: int


class Change(NamedTuple):
    """Which rows stay, and the new values of one column, when there is one."""

    keep: np.ndarray
    name: str | None
    values: list[Any]


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


def changed(records: Iterable[Record], change: Change, path: Path) -> Iterator[tuple[Record, Any]]:
    """The rows that stay, each with its new value; raise when there are more or fewer rows."""
    n = len(change.keep)
    rows = 0
    for rows, record in enumerate(records, start=1):
        if rows <= n and change.keep[rows - 1]:
            yield record, change.values[rows - 1]
    check_row_count(rows, n, path)


def check_row_count(rows: int, given: int, path: Path) -> None:
    """Raise when a table does not have as many rows as values were given."""
    if rows != given:
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
