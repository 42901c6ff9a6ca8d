"""Parquet and Feather, through pyarrow; types and metadata of the file are kept."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .._files import atomic_path, readable
from .._optional import require
from ._records import Change, check_named_once, check_row_count

_BUFFER = 1 << 16  # bytes of a column read at a time; else a whole row group is in memory


def read_columnar(path: Path, names: Sequence[str] | None) -> Any:
    """The named columns (all when None), of the types they have in the file."""
    if _kind(path) == "parquet":
        with open_parquet(path) as file:
            wanted = _wanted(file.schema_arrow.names, names, file.metadata.num_rows, path)
            with undamaged(path):
                return file.read(wanted).select(wanted)
    table = _read_feather(path)
    return table.select(_wanted(table.column_names, names, table.num_rows, path))


def _wanted(known: list[str], names: Sequence[str] | None, n_rows: int, path: Path) -> list[str]:
    if n_rows == 0:
        raise ValueError(f"{path} has a header but no rows.")
    names = known if names is None else list(names)
    check_named_once(known, names, path)
    return names


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


def open_parquet(path: Path | str, filesystem: Any = None) -> Any:
    """A Parquet file of pyarrow's, open; a file of another machine by its ``filesystem``.

    It knows nothing of folders: one called "year=2020" is no column.
    """
    parquet = require("pyarrow.parquet", extra="tables")
    if filesystem is not None:  # where many small requests would take for ever
        with undamaged(path):
            return parquet.ParquetFile(filesystem.open_input_file(str(path)), pre_buffer=True)
    _check_openable(Path(path))
    with undamaged(path):
        return parquet.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False)


def feather_tables(path: Path) -> Iterator[Any]:
    """The record batches of a Feather file as tables, one in memory at a time."""
    arrow = require("pyarrow", extra="tables")
    _check_openable(path)
    with undamaged(path):
        file = arrow.ipc.open_file(arrow.memory_map(str(path)))
    for number in range(file.num_record_batches):
        with undamaged(path):
            batch = file.get_batch(number)
        yield arrow.Table.from_batches([batch])


@contextmanager
def undamaged(path: Path | str) -> Iterator[None]:
    """Say that a file is damaged when pyarrow cannot read it; nothing else may be done within."""
    try:
        yield
    except (ValueError, OSError) as error:  # what pyarrow's own errors are made of
        raise ValueError(
            f"{path} is not a {_kind(Path(path))} file, whatever its name says, or it is damaged."
        ) from error


def _read(path: Path) -> Any:
    if _kind(path) != "parquet":
        return _read_feather(path)
    with open_parquet(path) as file, undamaged(path):
        return file.read()


def _read_feather(path: Path) -> Any:
    _check_openable(path)
    with undamaged(path):
        return require("pyarrow.feather", extra="tables").read_table(path)


def _check_openable(path: Path) -> None:
    require("pyarrow", extra="tables")
    with readable(path):
        if path.stat().st_size == 0:
            raise ValueError(f"{path} is empty.")
        path.open("rb").close()  # says so when it may not be read; later, OSError means damage


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
