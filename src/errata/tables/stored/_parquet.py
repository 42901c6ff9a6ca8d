"""Tables of any format as Parquet, some rows in memory at a time, of one type for each column."""

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

from ..._engine._engine import Clock, Progress
from ..._files import atomic_path, is_packed
from ..formats import _columnar, _csv, _excel, _json
from ..formats._records import EXCEL, JSON, get_ending

GROUP_ROWS = 1 << 16  # of a row group
_GROUP_BYTES = 1 << 25  # or fewer rows, when they are long


def convert_to_parquet(
    files: list[Path], scratch: Path, progress: Progress | None = None
) -> list[Path]:
    """Files of any format as Parquet; what was written before of the same file is used again.

    A file counts as the same when its place, its size and the time of its last change are.
    """
    targets = [file if _is_parquet(file) else _get_target(file, scratch) for file in files]
    new = [(f, t) for f, t in zip(files, targets, strict=True) if not _is_parquet(f)]
    if new:
        clock = Clock("read", sum(file.stat().st_size for file, _ in new), "bytes", progress)
        for file, target in new:
            if target.exists():
                clock.tell(file.stat().st_size, kept=True)
            else:
                _convert_file(file, target, clock)
    return targets


def _convert_file(file: Path, target: Path, clock: Clock) -> None:
    size = file.stat().st_size
    tables, schema = _iterate_file(file) if size else ([], None)
    packing = 0.25 if is_packed(file) else 1.0

    def report_progress() -> Iterator[Any]:
        """The tables, while the clock is told about how much of the file they were."""
        reported = 0
        for table in tables:
            more = min(round(packing * table.nbytes), size - reported)
            clock.tell(more)
            reported += more
            yield table
        clock.tell(size - reported)

    write_parquet(report_progress(), target, schema)


def _get_target(file: Path, scratch: Path) -> Path:
    state = file.stat()
    facts = f"{file.resolve()} {state.st_size} {state.st_mtime_ns}"
    return scratch / f"{blake2b(facts.encode(), digest_size=12).hexdigest()}.parquet"


def _is_parquet(file: Path) -> bool:
    return get_ending(file) == ".parquet"


def write_parquet(tables: Iterable[Any], target: Path, schema: Any = None) -> None:
    """Write pieces of a table as row groups of middling size, a few of them in memory at a time.

    All have the schema of the first when none is given.
    """
    import pyarrow.parquet

    target.parent.mkdir(parents=True, exist_ok=True)
    import pyarrow as arrow

    pieces = iter(tables)
    first = next(pieces, arrow.table({}))
    schema = schema or merge_schemas([first.schema])
    fitting = (cast_table(piece, schema) for piece in chain([first], pieces))
    with atomic_path(target) as temporary:
        writer = pyarrow.parquet.ParquetWriter(temporary, schema)
        with writer:
            for group in _group_rows(fitting):
                writer.write_table(group, GROUP_ROWS)


def _iterate_file(file: Path) -> tuple[Iterator[Any], Any]:
    """The rows of a file piece by piece, and the schema they have in common."""
    ending = get_ending(file)
    if ending in JSON:
        # Twice through the file: the types of the first lines say nothing about the last.
        schema = merge_schemas(table.schema for table in _json.iterate_tables(file))
        return _json.iterate_tables(file), schema
    if ending in EXCEL:  # a million rows at most
        return iter([_excel.read(file, None)]), None
    if ending == ".feather":
        return _columnar.iterate_tables(file), None
    return _csv.iterate_tables(file), None


def _group_rows(tables: Iterable[Any]) -> Iterator[Any]:
    """Small pieces together, as many as make a row group."""
    import pyarrow as arrow

    held: list[Any] = []
    n_rows = n_bytes = 0
    for table in tables:
        held.append(table)
        n_rows += table.num_rows
        n_bytes += table.nbytes
        if n_rows >= GROUP_ROWS or n_bytes >= _GROUP_BYTES:
            yield arrow.concat_tables(held)
            held = []
            n_rows = 0
            n_bytes = 0
    if held:
        yield arrow.concat_tables(held)


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
