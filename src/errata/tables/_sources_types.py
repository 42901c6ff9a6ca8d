"""Types of columns that differ between pieces of a table: one for all, and text where none fits."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .._optional import require


def common_schema(schemas: Iterable[Any]) -> Any:
    """Each column of any of the schemas with a type that holds the values of all.

    Whole numbers and others are numbers, nothing and something is something; what has no common
    type is text.
    """
    arrow = require("pyarrow", extra="tables")
    types: dict[str, Any] = {}
    for schema in schemas:
        for field in schema:
            types[field.name] = _common(types.get(field.name, arrow.null()), _storable(field.type))
    return arrow.schema(types.items())


def conformed(table: Any, schema: Any) -> Any:
    """The table with the columns and types of a schema; a column that it lacks is all missing."""
    arrow = require("pyarrow", extra="tables")
    columns = []
    for field in schema:
        if field.name in table.column_names:
            columns.append(_cast(table.column(field.name), field.type))
        else:
            columns.append(arrow.nulls(table.num_rows, field.type))
    return arrow.table(columns, schema=schema)


def stacked(tables: Sequence[Any]) -> Any:
    """Tables under each other, each column of a type that holds all its values."""
    schema = common_schema(table.schema for table in tables)
    fitting = [conformed(table, schema) for table in tables]
    return require("pyarrow", extra="tables").concat_tables(fitting)


def texts(cells: Iterable[Any]) -> Iterator[str | None]:
    """Values of several types as text.

    >>> list(texts(["a", 1, 2.0, True, None, [1]]))
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


def _common(one: Any, other: Any) -> Any:
    arrow = require("pyarrow", extra="tables")
    if one == other:
        return one
    schemas = [arrow.schema({"x": kind}) for kind in (one, other)]
    try:
        return arrow.unify_schemas(schemas, promote_options="permissive").field("x").type
    except arrow.ArrowException:
        return arrow.large_string()


def _storable(kind: Any) -> Any:
    """The type itself, or text where Parquet has no such type."""
    arrow = require("pyarrow", extra="tables")
    plain = "union" not in str(kind) and "struct<>" not in str(kind)
    return kind if plain else arrow.large_string()


def _cast(column: Any, kind: Any) -> Any:
    arrow = require("pyarrow", extra="tables")
    if column.type == kind:
        return column
    # What became text for want of a type is written in one way, whatever its type here.
    if kind == arrow.large_string() and column.type != arrow.string():
        return arrow.chunked_array([arrow.array(texts(column.to_pylist()), kind)])
    return column.cast(kind)
