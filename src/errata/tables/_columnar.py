"""Parquet and Feather, through pyarrow; types and metadata of the file are kept."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._files import atomic_path, readable
from .._optional import require
from ._records import Change, check_named_once, check_row_count


def read_columnar(path: Path, names: Sequence[str] | None) -> Any:
    """The named columns (all when None), of the types they have in the file."""
    table = _read(path)
    if table.num_rows == 0:
        raise ValueError(f"{path} has a header but no rows.")
    names = table.column_names if names is None else list(names)
    check_named_once(table.column_names, names, path)
    return table.select(names)


def copy_columnar(source: Path, target: Path, change: Change) -> None:
    """Copy a table; a column keeps its type (a dictionary is written plain)."""
    table = _read(source)
    check_row_count(table.num_rows, len(change.keep), source)
    if change.name is not None:
        table = _with_column(table, change.name, change.values, source)
    _write(table if change.keep.all() else table.filter(change.keep), target)


def write_columnar(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write a new table."""
    _write(require("pyarrow", extra="tables").table(columns), path)


def _read(path: Path) -> Any:
    require("pyarrow", extra="tables")
    with readable(path):
        if path.stat().st_size == 0:
            raise ValueError(f"{path} is empty.")
        path.open("rb").close()  # says so when it may not be read; below, OSError means damage
        try:
            if _kind(path) == "parquet":
                # Not read_table, which takes folders called "year=2020" for columns.
                return require("pyarrow.parquet", extra="tables").ParquetFile(path).read()
            return require("pyarrow.feather", extra="tables").read_table(path)
        except (ValueError, OSError) as error:  # what pyarrow's own errors are made of
            raise ValueError(
                f"{path} is not a {_kind(path)} file, whatever its name says, or it is damaged."
            ) from error


def _write(table: Any, path: Path) -> None:
    with atomic_path(path) as temporary:
        if _kind(path) == "parquet":
            require("pyarrow.parquet", extra="tables").write_table(table, temporary)
        else:
            require("pyarrow.feather", extra="tables").write_feather(table, str(temporary))


def _kind(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def _with_column(table: Any, name: str, values: list[Any], path: Path) -> Any:
    arrow = require("pyarrow", extra="tables")
    check_named_once(table.column_names, [name], path)
    kind = _plain(table.column(name).type)
    try:
        replaced = arrow.array(values).cast(kind)
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError, arrow.ArrowTypeError) as error:
        raise ValueError(
            f"column {name!r} of {path} holds {kind} values, and the new ones are not."
        ) from error
    place = table.column_names.index(name)
    return table.set_column(place, table.schema.field(place).with_type(kind), replaced)


def _plain(kind: Any) -> Any:
    """The type of the values: a dictionary-encoded column is written plain."""
    return getattr(kind, "value_type", kind)
