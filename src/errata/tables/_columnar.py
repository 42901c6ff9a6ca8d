"""Parquet and Feather, through pyarrow; types and metadata of the file are kept."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._optional import require
from ._files import atomic_path, readable
from ._records import Change, check_rows


def read_arrow_columns(path: Path, names: Sequence[str] | None) -> dict[str, np.ndarray]:
    """The named columns (all when None) as arrays; missing values are None or NaN."""
    table = _read(path)
    if table.num_rows == 0:
        raise ValueError(f"{path} has a header but no rows.")
    names = table.column_names if names is None else names
    return {name: _values(_column(table, name, path)) for name in names}


def copy_arrow(source: Path, target: Path, change: Change) -> None:
    """Copy a table; a column keeps its type (a dictionary is written plain)."""
    table = _read(source)
    check_rows(table.num_rows, len(change.keep), source)
    if change.name is not None:
        table = _with_column(table, change.name, change.values, source)
    _write(table if change.keep.all() else table.filter(change.keep), target)


def write_arrow_columns(path: Path, columns: dict[str, np.ndarray]) -> None:
    """Write a new table."""
    arrow = require("pyarrow", extra="tables")
    _write(arrow.table({name: values.tolist() for name, values in columns.items()}), path)


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


def _column(table: Any, name: str, path: Path) -> Any:
    found = table.column_names.count(name)
    if found > 1:
        raise ValueError(f"{path} has {found} columns named {name!r}; rename one of them.")
    if not found:
        known = ", ".join(table.column_names)
        raise ValueError(f"{path} has no column {name!r}; its columns are {known}.")
    return table.column(name)


def _with_column(table: Any, name: str, values: list[Any], path: Path) -> Any:
    arrow = require("pyarrow", extra="tables")
    kind = _plain(_column(table, name, path).type)
    try:
        replaced = arrow.array(values).cast(kind)
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError, arrow.ArrowTypeError) as error:
        raise ValueError(
            f"column {name!r} of {path} holds {kind} values, and the new ones are not."
        ) from error
    place = table.column_names.index(name)
    return table.set_column(place, table.schema.field(place).with_type(kind), replaced)


def _values(column: Any) -> np.ndarray:
    """Numbers, booleans and dates as such; else the Python objects that the cells stand for."""
    values = column.to_numpy()
    if values.dtype.kind in "biufmM":
        return values
    objects = np.empty(len(column), dtype=object)
    objects[:] = column.to_pylist()
    return objects


def _plain(kind: Any) -> Any:
    """The type of the values: a dictionary-encoded column is written plain."""
    return getattr(kind, "value_type", kind)
