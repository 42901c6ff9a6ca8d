"""Parquet and Feather, through pyarrow; types and metadata of the file are kept."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._optional import require
from ._files import atomic_path, readable


def read_arrow_columns(path: Path, names: Sequence[str] | None) -> dict[str, np.ndarray]:
    """The named columns (all when None) as arrays; missing values are None or NaN."""
    table = _read(path)
    if table.num_rows == 0:
        raise ValueError(f"{path} has a header but no rows.")
    names = table.column_names if names is None else names
    return {name: _values(_column(table, name, path)) for name in names}


def copy_arrow_with_column(source: Path, target: Path, name: str, values: np.ndarray) -> None:
    """Copy a table with one column replaced, in the type it had (a dictionary is written plain)."""
    arrow = require("pyarrow", extra="tables")
    table = _read(source)
    column = _column(table, name, source)
    replaced = arrow.array(values.tolist()).cast(_plain(column.type))
    place = table.column_names.index(name)
    field = table.schema.field(place).with_type(replaced.type)
    _write(table.set_column(place, field, replaced), target)


def write_arrow_columns(path: Path, columns: dict[str, np.ndarray]) -> None:
    """Write a new table."""
    arrow = require("pyarrow", extra="tables")
    _write(arrow.table({name: values.tolist() for name, values in columns.items()}), path)


def _read(path: Path) -> Any:
    arrow = require("pyarrow", extra="tables")
    with readable(path):
        try:
            if path.suffix == ".parquet":
                return require("pyarrow.parquet", extra="tables").read_table(path)
            return require("pyarrow.feather", extra="tables").read_table(path)
        except arrow.ArrowInvalid as error:
            kind = path.suffix.removeprefix(".")
            raise ValueError(f"{path} is not a {kind} file, whatever its name says.") from error


def _write(table: Any, path: Path) -> None:
    with atomic_path(path) as temporary:
        if path.suffix == ".parquet":
            require("pyarrow.parquet", extra="tables").write_table(table, temporary)
        else:
            require("pyarrow.feather", extra="tables").write_feather(table, str(temporary))


def _column(table: Any, name: str, path: Path) -> Any:
    if table.column_names.count(name) != 1:
        raise ValueError(
            f"{path} has no column {name!r} (or several); "
            f"its columns are {', '.join(table.column_names)}."
        )
    return table.column(name)


def _values(column: Any) -> np.ndarray:
    """Numbers and booleans as such; anything else as the Python objects it stands for."""
    values = column.to_numpy()
    if values.dtype.kind in "biuf":
        return values
    objects = np.empty(len(column), dtype=object)
    objects[:] = column.to_pylist()
    return objects


def _plain(kind: Any) -> Any:
    """The type of the values: a dictionary-encoded column is written plain."""
    return getattr(kind, "value_type", kind)
