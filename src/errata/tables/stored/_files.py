"""A table in several files: those that a path or a pattern names, and copies of all of them."""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np

from ..._files import is_path, is_pattern, say_missing
from ..._format import join_names
from .._columns import column_array
from .._pictures import check_new_place, is_picture_folder
from .._table import copy_changed, read_table
from ..formats import _records

# Of the cells of some rows, the first of them, in the whole table, their file and the first in it.
Rewrite = Callable[[list[Any], int, Path, int], tuple[Sequence[bool] | np.ndarray, list[Any]]]


def find_files(paths: Any) -> list[Path]:
    """The files of a path, a pattern or a list: those of a folder in the natural order of names.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number in (10, 9, 1):
    ...         Path(folder, f"part-{number}.csv").touch()
    ...     Path(folder, "_SUCCESS").touch()
    ...     [path.name for path in find_files(folder)]
    ['part-1.csv', 'part-9.csv', 'part-10.csv']
    """
    several = [paths] if is_path(paths) else list(paths)
    return [file for path in several for file in _iterate_files(os.fspath(path))]


def _iterate_files(path: str) -> Iterator[Path]:
    found = Path(path)
    if not is_pattern(path):
        yield from _list_folder(found) if found.is_dir() else [_check_file(found)]
        return
    matches = sorted(map(Path, glob(path, recursive=True)), key=_records.make_sort_key)
    matches = [match for match in matches if not _is_hidden(match)]
    if not matches:
        raise FileNotFoundError(f"no file matches {path}; check the pattern and the folder.")
    for match in matches:
        yield from _list_folder(match) if match.is_dir() else [_check_file(match)]


def _check_file(file: Path) -> Path:
    if not file.exists():
        raise FileNotFoundError(say_missing(file))
    _records.get_ending(file)
    return file


def _list_folder(folder: Path) -> list[Path]:
    """The tables in a folder, all of one format: what is something else is not passed over."""
    try:
        within = sorted(
            (path for path in folder.iterdir() if not _is_hidden(path)), key=_records.make_sort_key
        )
    except PermissionError as error:
        raise PermissionError(f"{folder} may not be read with your permissions.") from error
    folders = [path for path in within if path.is_dir()]
    if folders:
        raise ValueError(_explain_folders(folder, folders[0]))
    odd = [path.name for path in within if not _records.is_table_name(path)]
    if odd:
        raise ValueError(
            f"{folder} holds {join_names(odd, 3)} besides tables; say which files you mean by a "
            f'pattern, such as "{folder / "*.parquet"}".'
        )
    if not within:
        raise FileNotFoundError(f"{folder} holds no table.")
    endings = sorted({_records.get_ending(path) for path in within})
    if len(endings) > 1:
        raise ValueError(
            f"{folder} holds files of several formats ({join_names(endings)}); say which you mean "
            "by "
            f'a pattern, such as "{folder / ("*" + endings[0])}".'
        )
    return within


def _explain_folders(folder: Path, first: Path) -> str:
    """The advice where a folder holds folders."""
    if is_picture_folder(folder):
        return (
            f"{folder} holds pictures, which are not read in parts; pass "
            f"errata.tables.read_pictures({str(folder)!r}), whose labels are in the column 'label'."
        )
    pattern = f'"{folder / "**" / "*.parquet"}"'
    if "=" in first.name:
        return (
            f"{folder} holds folders such as {first.name}, whose names some tools take for "
            "columns; to have these columns, pass pyarrow.dataset.dataset(..., "
            f'partitioning="hive"), and to leave them out, a pattern such as {pattern}.'
        )
    return (
        f"{folder} holds a folder, {first.name}; say which files you mean by a pattern, "
        f"such as {pattern}."
    )


def _is_hidden(path: Path) -> bool:
    """Whether it is no data by its name: .part.crc, _SUCCESS, _metadata."""
    unnamed = path.name.startswith("_") and not path.is_dir() and not _records.is_table_name(path)
    return path.name.startswith(".") or unnamed


def read_column(files: Sequence[Path], name: str) -> np.ndarray:
    """One column of all files, under each other."""
    if len(files) == 1:
        return column_array(read_table(files[0], [name]), name)
    tables = [table for file in files if (table := _read_rows(file, [name])) is not None]
    if not tables:
        raise _records.NoRowsError(f"none of the files in {files[0].parent} holds a row.")
    found = [column_array(table, name) for table in tables]
    if any(cells.dtype.kind == "O" for cells in found):  # NumPy would write numbers as text
        found = [cells.astype(object) for cells in found]
    return np.concatenate(found)


def read_files(files: Sequence[Path]) -> Any:
    """All rows of all files as one Arrow table."""
    tables = [(file, table) for file in files if (table := _read_rows(file, None)) is not None]
    if len(tables) == 1:
        return tables[0][1]
    first = str(tables[0][0])
    columns = tuple(tables[0][1].column_names)
    for file, table in tables:
        _records.check_same_columns(columns, first, table.column_names, str(file))
    return stack_tables([table for _, table in tables])


def get_copy_names(files: Sequence[Path]) -> list[Path]:
    """The names of copies of files within their new folder.

    >>> list(map(str, get_copy_names([Path("a/x.csv"), Path("a/b/x.csv")])))
    ['x.csv', 'b/x.csv']
    """
    places = [Path(os.path.abspath(file)) for file in files]
    common = os.path.commonpath([place.parent for place in places])
    return [place.relative_to(common) for place in places]


def list_files(table: Path) -> list[Path] | None:
    """The files that a folder or a pattern names; None for a single file, or one of pictures."""
    return None if table.is_file() or is_picture_folder(table) else find_files(table)


def check_new_file(table: Path, out: Path, *, force: bool) -> None:
    """Raise when a copy of a table stands in the way, or is the table itself."""
    # Even with force: the labels that were found wrong would be gone for good.
    if out.resolve() == table.resolve():
        raise ValueError(f"{out} is the audited table itself; choose another name.")
    if table.is_dir():
        check_new_place(table, out)
    elif out.is_dir():
        raise IsADirectoryError(f"{out} is a folder; give the name of a file in it for the table.")
    if out.exists() and not force:
        raise FileExistsError(f"{out} exists already; choose another name, or pass force=True.")


def check_new_folder(table: Path, files: Sequence[Path], out: Path, *, force: bool) -> None:
    """Raise when a folder for copies stands in the way, or in that of the table itself."""
    place = out.resolve()
    over = any(file.resolve().is_relative_to(place) for file in files)
    if over or (table.is_dir() and place.is_relative_to(table.resolve())):
        # Even with force, see above.
        raise ValueError(f"{out} is where the table is; choose a folder elsewhere.")
    if not out.parent.is_dir():
        raise FileNotFoundError(f"cannot write {out}: there is no folder {out.parent}.")
    if not out.exists():
        return
    if not force:
        raise FileExistsError(f"{out} exists already; choose another name, or pass force=True.")
    if not out.is_dir():
        raise ValueError(f"{out} is a file, and the copies go to a folder; choose another name.")
    copies = {out / name for name in get_copy_names(files)}
    others = [path.name for path in sorted(out.rglob("*")) if path.is_file() and path not in copies]
    if others:
        raise ValueError(
            f"{out} holds {join_names(others, 3)}, which would be lost; choose another folder."
        )


def copy_files(files: Sequence[Path], folder: Path, name: str, rewrite: Rewrite) -> int:
    """Copy files into a new folder, one column rewritten; give the number of their rows.

    ``rewrite`` gets the cells of some rows, in their order, and says which of the rows stay and
    what their cells become.
    """
    folder.mkdir()
    before = 0
    for file, copy in zip(files, get_copy_names(files), strict=True):
        (folder / copy).parent.mkdir(parents=True, exist_ok=True)
        before += copy_file(file, folder / copy, name, rewrite, before)
    return before


def copy_file(file: Path, target: Path, name: str, rewrite: Rewrite, before: int = 0) -> int:
    """Copy one of several files, with so many rows in those before it; give the number of rows."""
    if not file.stat().st_size:
        shutil.copyfile(file, target)
        return 0
    n_rows = 0

    def of(start: int, cells: list[Any]) -> Any:
        nonlocal n_rows
        n_rows = start + len(cells)
        return rewrite(cells, before + start, file, start)

    copy_changed(file, target, _records.Change(name, of))
    return n_rows


def _read_rows(file: Path, columns: Sequence[str] | None) -> Any:
    """The rows of a file; None when it has none, which one file of several may lack."""
    if not file.stat().st_size:
        return None
    try:
        return read_table(file, columns)
    except _records.NoRowsError:
        return None


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
