"""Parquet as parts: runs of row groups, and pieces of row groups that are too large."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._blocks import blocks
from .._optional import require
from ._columnar import open_parquet, undamaged
from ._records import check_named_once
from ._sources_part import SourcePart, rows_of

_BATCH = 1 << 14  # rows decoded at a time of a row group that is read in pieces


class ParquetTable(NamedTuple):
    """A Parquet file of a stored table, and what people call it."""

    path: str
    shown: str
    filesystem: Any = None  # of pyarrow; None for this machine's


class _Rows(NamedTuple):
    """Where rows stand: in which row groups, and after how many rows of the first."""

    first: int
    last: int  # this one included
    skipped: int
    n_rows: int
    whole: bool  # these are all the rows of their row groups


@dataclass(frozen=True)
class ParquetPart(SourcePart):
    """Rows of a Parquet file."""

    table: ParquetTable
    rows: _Rows

    def _read(self, names: list[str]) -> Any:
        path, groups = self.table.path, range(self.rows.first, self.rows.last + 1)
        with open_parquet(path, self.table.filesystem) as file, undamaged(path):
            if self.rows.whole:
                return file.read_row_groups(groups, names)
            return _piece(file, self.rows, names)


def parquet_parts(
    tables: Iterable[ParquetTable], rows_per_part: Callable[[int], int]
) -> Iterator[ParquetPart]:
    """The parts of some files in their order; files without rows have none.

    All files must have the columns of the first, in whatever order and of whatever types.
    """
    start, columns, first = 0, None, ""
    for table in tables:
        with open_parquet(table.path, table.filesystem) as file:
            names = file.schema_arrow.names
            metadata = file.metadata
            sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        if not any(sizes):
            continue
        if columns is None:
            check_named_once(names, names, table.shown)
            columns, first = tuple(names), table.shown
        check_same_columns(columns, first, names, table.shown)
        before = start
        for rows in _runs(sizes, rows_per_part(len(columns))):
            stop = start + rows.n_rows
            name = rows_of(table.shown, start - before, rows.n_rows)
            yield ParquetPart(start, stop, name, columns, table, rows)
            start = stop


def check_same_columns(columns: tuple[str, ...], first: str, names: list[str], shown: str) -> None:
    """Raise when a file has other columns than the first one."""
    for name in columns:
        if name not in names:
            raise ValueError(
                f"{shown} has no column {name!r}, but {first} has; all files of a table need "
                "the same columns."
            )
    for name in names:
        if name not in columns:
            raise ValueError(
                f"{shown} has a column {name!r}, but {first} has none; all files of a table need "
                "the same columns."
            )
    check_named_once(names, names, shown)


def _runs(sizes: list[int], most: int) -> Iterator[_Rows]:
    """Row groups together up to so many rows; one that is larger, in pieces of equal length."""
    first = n_rows = 0
    for group, size in enumerate(sizes):
        if n_rows and n_rows + size > most:
            yield _Rows(first, group - 1, 0, n_rows, whole=True)
            first, n_rows = group, 0
        if size <= most:
            n_rows += size
            continue
        for rows in blocks(size, most):
            yield _Rows(group, group, rows.start, rows.stop - rows.start, whole=False)
        first = group + 1
    if n_rows:
        yield _Rows(first, len(sizes) - 1, 0, n_rows, whole=True)


def _piece(file: Any, rows: _Rows, names: list[str]) -> Any:
    """Rows in the middle of a row group, which can only be read from its beginning."""
    end, kept, seen = rows.skipped + rows.n_rows, [], 0
    for batch in file.iter_batches(_BATCH, row_groups=[rows.first], columns=names):
        begin, seen = seen, seen + batch.num_rows
        if seen > rows.skipped:
            piece = batch.slice(max(0, rows.skipped - begin), end - max(begin, rows.skipped))
            kept.append(piece)
        if seen >= end:
            break
    return require("pyarrow", extra="tables").Table.from_batches(kept)
