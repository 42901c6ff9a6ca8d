"""Parquet and Feather, through pyarrow; types and metadata of the file are kept."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..._files import atomic_path, readable
from ._records import Change, NoRowsError, check_named_once, check_row_count

_BUFFER = 1 << 16  # bytes of a column read at a time; else a whole row group is in memory
COPIED_ROWS = 1 << 16  # in memory at a time while a table is copied
GROUP_ROWS = 1 << 17  # of a new table, which are packed at a time


def read(path: Path, names: Sequence[str] | None) -> Any:
    """The named columns (all when None), of the types they have in the file."""
    if _get_format(path) == "parquet":
        with open_parquet(path) as file:
            wanted = _check_names(file.schema_arrow.names, names, file.metadata.num_rows, path)
            with check_undamaged(path):
                return file.read(wanted).select(wanted)
    table = _read_feather(path)
    return table.select(_check_names(table.column_names, names, table.num_rows, path))


def _check_names(
    known: list[str], names: Sequence[str] | None, n_rows: int, path: Path
) -> list[str]:
    if n_rows == 0:
        raise NoRowsError(f"{path} has a header but no rows.")
    names = known if names is None else list(names)
    check_named_once(known, names, path)
    return names


def copy(source: Path, target: Path, change: Change) -> None:
    """Copy a table; every column keeps its type."""
    if _get_format(source) == "parquet":
        _copy_parquet(source, target, change)
        return
    table = _read_feather(source)
    check_row_count(table.num_rows, change.n_rows, source)
    _write(
        _apply_change(table, change, 0, _make_schema(table.schema, change, source), source), target
    )


def _copy_parquet(source: Path, target: Path, change: Change) -> None:
    """Copy the rows of a row group, or those of a large one that fit in memory, at a time."""
    import pyarrow as arrow
    import pyarrow.parquet

    writer_of = pyarrow.parquet.ParquetWriter
    with open_parquet(source) as file, atomic_path(target) as temporary:
        check_row_count(file.metadata.num_rows, change.n_rows, source)
        schema = _make_schema(file.schema_arrow, change, source)
        start = 0
        with writer_of(temporary, schema, compression=_read_compression(file, schema)) as writer:
            for batch in _iterate_batches(file, source):
                table = arrow.Table.from_batches([batch])
                writer.write_table(_apply_change(table, change, start, schema, source))
                start += batch.num_rows


def _read_compression(file: Any, schema: Any) -> dict[str, str]:
    """How each column is compressed, by its path; a new one as the first of the file."""
    if not file.num_row_groups:
        return {}
    group = file.metadata.row_group(0)
    chunks = [group.column(place) for place in range(group.num_columns)]
    codecs = {chunk.path_in_schema: chunk.compression for chunk in chunks}
    codecs = dict.fromkeys(schema.names, chunks[0].compression) | codecs
    return {name: "NONE" if codec == "UNCOMPRESSED" else codec for name, codec in codecs.items()}


def _iterate_batches(file: Any, path: Path) -> Iterator[Any]:
    for group in range(file.num_row_groups):
        batches = file.iter_batches(COPIED_ROWS, row_groups=[group])
        while True:
            with check_undamaged(path):
                batch = next(batches, None)
            if batch is None:
                break
            yield batch


def write(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write a new table."""
    import pyarrow

    _write(pyarrow.table(columns), path)


def open_parquet(path: Path | str, filesystem: Any = None) -> Any:
    """A Parquet file of pyarrow's, open; a file of another machine by its ``filesystem``.

    It knows nothing of folders: one called "year=2020" is no column.
    """
    from pyarrow import parquet

    if filesystem is not None:  # where many small requests would take for ever
        with check_undamaged(path):
            return parquet.ParquetFile(filesystem.open_input_file(str(path)), pre_buffer=True)
    _check_openable(Path(path))
    with check_undamaged(path):
        return parquet.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False)


def iterate_tables(path: Path) -> Iterator[Any]:
    """The record batches of a Feather file as tables, one in memory at a time."""
    import pyarrow as arrow

    _check_openable(path)
    with check_undamaged(path):
        file = arrow.ipc.open_file(arrow.memory_map(str(path)))
    for number in range(file.num_record_batches):
        with check_undamaged(path):
            batch = file.get_batch(number)
        yield arrow.Table.from_batches([batch])


@contextmanager
def check_undamaged(path: Path | str) -> Iterator[None]:
    """Say that a file is damaged when pyarrow cannot read it; nothing else may be done within."""
    try:
        yield
    except (ValueError, OSError) as error:  # what pyarrow's own errors are made of
        form = _get_format(Path(path))
        raise ValueError(
            f"{path} is not a {form} file, whatever its name says, or it is damaged."
        ) from error


def _read_feather(path: Path) -> Any:
    import pyarrow.feather

    _check_openable(path)
    with check_undamaged(path):
        return pyarrow.feather.read_table(path)


def _check_openable(path: Path) -> None:
    with readable(path):
        if path.stat().st_size == 0:
            raise ValueError(f"{path} is empty.")
        path.open("rb").close()  # says so when it may not be read; later, OSError means damage


def _write(table: Any, path: Path) -> None:
    import pyarrow.feather
    import pyarrow.parquet

    with atomic_path(path) as temporary:
        if _get_format(path) == "parquet":
            pyarrow.parquet.write_table(table, temporary, row_group_size=GROUP_ROWS)
        else:
            pyarrow.feather.write_feather(table, str(temporary))


def _get_format(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def _make_schema(schema: Any, change: Change, path: Path) -> Any:
    """The schema of a copy; a column that is new holds numbers."""
    import pyarrow

    change.place_in(schema.names, path)
    if change.is_new:
        return schema.append(pyarrow.field(change.name, pyarrow.float64()))
    return schema


def _apply_change(table: Any, change: Change, start: int, schema: Any, path: Path) -> Any:
    """The rows from ``start`` on that stay, as they become."""
    if change.name is None:
        keep, _ = change.of(start, [None] * table.num_rows)
    elif change.is_new:
        keep, values = change.of(start, [None] * table.num_rows)
        table = table.append_column(field := schema.field(-1), _cast(values, field, path))
    else:
        place = schema.names.index(change.name)
        cells = table.column(place).to_pylist()
        keep, values = change.of(start, cells)
        field = schema.field(place)
        old = table.column(place)
        table = table.set_column(place, field, _cast(values, field, path, old))
    keep = np.asarray(keep, dtype=bool)
    return table if keep.all() else table.filter(keep)


def _cast(values: list[Any], field: Any, path: Path, old: Any = None) -> Any:
    """The values in the type of their column; ``old`` is that, whose dictionary they may share."""
    import pyarrow as arrow

    try:
        if arrow.types.is_dictionary(field.type):
            return _encode(values, field.type, old)
        return arrow.array(values).cast(field.type)
    except (arrow.ArrowInvalid, arrow.ArrowNotImplementedError, arrow.ArrowTypeError) as error:
        raise ValueError(
            f"column {field.name!r} of {path} holds {field.type} values, and the new ones are not."
        ) from error


def _encode(values: list[Any], kind: Any, old: Any) -> Any:
    """Values as a column with a dictionary: those it holds keep their order, new ones come last."""
    import pyarrow as arrow

    place: dict[Any, int] = {}
    for chunk in old.unify_dictionaries().chunks[:1]:
        for value in chunk.dictionary.to_pylist():
            place.setdefault(value, len(place))
    codes = [None if value is None else place.setdefault(value, len(place)) for value in values]
    known = arrow.array(list(place)).cast(kind.value_type)
    codes = arrow.array(codes, kind.index_type)
    return arrow.DictionaryArray.from_arrays(codes, known, ordered=kind.ordered)
