"""Parquet as parts: runs of row groups, of one type for each column."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..._blocks import blocks
from ..._format import count
from ..formats._columnar import check_undamaged, open_parquet
from ..formats._records import check_named_once

_BATCH = 1 << 14  # rows decoded at a time of a row group that is read in pieces


class ParquetTable(NamedTuple):
    """A Parquet file of a stored table, and what people call it."""

    path: str
    shown: str
    filesystem: Any = None  # of pyarrow; None for this machine's


@dataclass(frozen=True)
class SourcePart(ABC):
    """The rows from ``start`` to ``stop`` of a stored table; small, and can be pickled."""

    start: int
    stop: int
    name: str  # for messages: the file, and which of its rows
    columns: tuple[str, ...]

    def read(self, columns: Sequence[str] | None = None) -> Any:
        """The rows as an Arrow table, with the named columns (all when None) in that order."""
        names = list(self.columns if columns is None else columns)
        check_named_once(self.columns, names, self.name)
        table = self._read(names)
        if table.num_rows != self.stop - self.start:
            raise ValueError(
                f"{self.name}: {count(table.num_rows)} rows are there now; the table has changed "
                "since it was opened. Begin again."
            )
        return table.select(names)

    @abstractmethod
    def _read(self, names: list[str]) -> Any:
        """At least the named columns of these rows."""


@dataclass(frozen=True)
class ParquetPart(SourcePart):
    """Rows of a Parquet file."""

    table: ParquetTable
    groups: range  # row groups that hold them
    skipped: int | None  # rows of the row group before them; None where they are all of the groups

    def _read(self, names: list[str]) -> Any:
        path = self.table.path
        with open_parquet(path, self.table.filesystem) as file, check_undamaged(path):
            if self.skipped is None:
                return file.read_row_groups(self.groups, names)
            end = self.skipped + self.stop - self.start
            return _read_within_group(file, self.groups.start, self.skipped, end, names)


def make_parquet_parts(
    tables: Iterable[ParquetTable], rows_per_part: int | Callable[[int], int]
) -> Iterator[ParquetPart]:
    """The parts of some files in their order; files without rows have none.

    All files must have the columns of the first, in whatever order and of whatever types.
    """
    start = 0
    columns = None
    first = ""
    for table in tables:
        with open_parquet(table.path, table.filesystem) as file:
            names = file.schema_arrow.names
            metadata = file.metadata
            sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        if not any(sizes):
            continue
        if columns is None:
            check_named_once(names, names, table.shown)
            columns = tuple(names)
            first = table.shown
        check_same_columns(columns, first, names, table.shown)
        before = start
        most = rows_per_part(len(columns)) if callable(rows_per_part) else rows_per_part
        for groups, skipped, n_rows in _split_groups(sizes, most):
            stop = start + n_rows
            name = get_part_name(table.shown, start - before, n_rows)
            yield ParquetPart(start, stop, name, columns, table, groups, skipped)
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


def _split_groups(sizes: list[int], most: int) -> Iterator[tuple[range, int | None, int]]:
    """Row groups together up to so many rows; one that is larger, in pieces of equal length.

    Each is a range of row groups, how many rows of it are skipped (None for whole groups), and how
    many rows there are.
    """
    first = n_rows = 0
    for group, size in enumerate(sizes):
        if n_rows and n_rows + size > most:
            yield range(first, group), None, n_rows
            first = group
            n_rows = 0
        if size <= most:
            n_rows += size
            continue
        for rows in blocks(size, most):
            yield range(group, group + 1), rows.start, rows.stop - rows.start
        first = group + 1
    if n_rows:
        yield range(first, len(sizes)), None, n_rows


def _read_within_group(file: Any, group: int, start: int, end: int, names: list[str]) -> Any:
    """Rows in the middle of a row group, which can only be read from its beginning."""
    import pyarrow

    kept = []
    seen = 0
    for batch in file.iter_batches(_BATCH, row_groups=[group], columns=names):
        begin = seen
        seen += batch.num_rows
        if seen > start:
            kept.append(batch.slice(max(0, start - begin), end - max(begin, start)))
        if seen >= end:
            break
    return pyarrow.Table.from_batches(kept)


def get_part_name(where: str, start: int, n_rows: int) -> str:
    """The name of a part.

    >>> get_part_name("visits/b.parquet", 0, 200_000)
    'visits/b.parquet, rows 0 to 199,999'
    """
    return f"{where}, rows {count(start)} to {count(start + n_rows - 1)}"


def merge_schemas(schemas: Iterable[Any]) -> Any:
    """Each column of any of the schemas with a type that holds the values of all.

    Whole numbers and others are numbers, nothing and something is something; what has no common
    type is text.
    """
    import pyarrow as arrow

    types: dict[str, Any] = {}
    for schema in schemas:
        for field in schema:
            types[field.name] = _merge_types(
                types.get(field.name, arrow.null()), _get_storable_type(field.type)
            )
    return arrow.schema(types.items())


def cast_table(table: Any, schema: Any) -> Any:
    """The table with the columns and types of a schema; a column that it lacks is all missing."""
    import pyarrow as arrow

    columns = []
    for field in schema:
        if field.name in table.column_names:
            columns.append(_cast(table.column(field.name), field.type))
        else:
            columns.append(arrow.nulls(table.num_rows, field.type))
    return arrow.table(columns, schema=schema)


def stack_tables(tables: Sequence[Any]) -> Any:
    """Tables under each other, each column of a type that holds all its values."""
    import pyarrow

    schema = merge_schemas(table.schema for table in tables)
    fitting = [cast_table(table, schema) for table in tables]
    return pyarrow.concat_tables(fitting)


def format_values(cells: Iterable[Any]) -> Iterator[str | None]:
    """Values of several types as text.

    >>> list(format_values(["a", 1, 2.0, True, None, [1]]))
    ['a', '1', '2', 'true', None, '[1]']
    """
    for cell in cells:
        if cell is None or isinstance(cell, str):
            yield cell
        elif isinstance(cell, bytes):
            yield cell.decode("utf-8", "replace")
        elif isinstance(cell, float):
            yield repr(cell).removesuffix(".0")
        else:
            yield json.dumps(cell, ensure_ascii=False, default=str)


def _merge_types(one: Any, other: Any) -> Any:
    import pyarrow as arrow

    if one == other:
        return one
    schemas = [arrow.schema({"x": kind}) for kind in (one, other)]
    try:
        return arrow.unify_schemas(schemas, promote_options="permissive").field("x").type
    except arrow.ArrowException:
        return arrow.large_string()


def _get_storable_type(kind: Any) -> Any:
    """The type itself, or text where Parquet has no such type."""
    import pyarrow as arrow

    plain = "union" not in str(kind) and "struct<>" not in str(kind)
    return kind if plain else arrow.large_string()


def _cast(column: Any, kind: Any) -> Any:
    import pyarrow as arrow

    if column.type == kind:
        return column
    # What became text for want of a type is written in one way, whatever its type here.
    if kind == arrow.large_string() and column.type != arrow.string():
        return arrow.chunked_array([arrow.array(format_values(column.to_pylist()), kind)])
    return column.cast(kind)
