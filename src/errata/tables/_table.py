"""One interface for all formats, chosen by the name of the file.

Also for embeddings and probabilities of its rows, which are in a file of their own.
"""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from glob import has_magic
from pathlib import Path
from typing import Any

import numpy as np

from .._files import is_path, readable
from .._format import join_names, plural, visible
from .._validation import is_missing
from . import _pictures
from ._columns import Column, columns_of, numbers
from ._pictures import is_picture_folder
from .formats import _columnar, _csv, _excel, _json, _records

_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")  # the report's script has the same rule
_NUMBER_OR_SIGN = re.compile(r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?)?", re.ASCII | re.IGNORECASE)


# Each module has read(path, columns), copy(source, target, change) and write(path, columns).
_FORMATS = {
    **dict.fromkeys(_records.TEXT, _csv),
    **dict.fromkeys(_records.JSON, _json),
    **dict.fromkeys(_records.COLUMNAR, _columnar),
    **dict.fromkeys(_records.EXCEL, _excel),
}

ARRAYS = (".npy", ".npz")


def read_table(path: str | os.PathLike, columns: Sequence[str] | None = None) -> Any:
    """Read CSV, TSV or JSON lines (plain or gzip), Parquet, Feather or Excel as an Arrow table.

    Parameters
    ----------
    path : path
        The file. Delimiter and encoding of text are found out. Of a workbook (.xlsx, .xls, .ods)
        the first sheet is read, whose first row names the columns. A folder with a folder of
        pictures for each class is a table, too, see :func:`read_pictures`; here its pictures are
        named as they are within it. Workbooks need the ``excel`` extra.
    columns : sequence of str, optional
        Which columns, all of them by default.

    Returns
    -------
    pyarrow.Table
        The columns in the order of ``columns``. Those of CSV and TSV hold text, exactly as it
        stands in the file (an empty cell is an empty string): what is a number or a date is for
        :func:`features_of` to tell, and a label ``01`` is not ``1``. Those of the other formats
        have their types; null where a value is missing. A column of a workbook whose cells are of
        several kinds holds text.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(f"{folder}/pets.csv", {"weight": [4.0, 31.5], "pet": ["cat", "dog"]})
    ...     read_table(f"{folder}/pets.csv", ["pet"]).to_pydict()
    {'pet': ['cat', 'dog']}
    """
    path = Path(path)
    if is_picture_folder(path):
        return _pictures.read(path, columns)
    return _FORMATS[_records.get_ending(path)].read(path, columns)


def is_stored(X: Any) -> bool:
    """Whether it is a table to be read in parts: paths, a dataset, a dask or lazy frame.

    A list of paths is one, too; a list of other texts is a column.
    """
    if isinstance(X, str | os.PathLike) or is_dask_frame(X) or is_lazy_frame(X) or is_dataset(X):
        return True
    several = isinstance(X, list | tuple) and bool(X) and all(map(is_path, X))
    return several and any(map(_is_likely_path, X))


def _is_likely_path(path: Any) -> bool:
    if not isinstance(path, str):
        return True
    return _records.is_table_name(Path(path)) or has_magic(path) or os.path.isdir(path)


def is_dask_frame(table: Any) -> bool:
    """Whether it is a dask dataframe, without importing dask."""
    is_dask = type(table).__module__.partition(".")[0] == "dask"
    return is_dask and hasattr(table, "to_delayed") and hasattr(table, "columns")


def is_lazy_frame(table: Any) -> bool:
    """Whether it is a lazy frame of polars, without importing polars."""
    kind = type(table)
    return kind.__module__.partition(".")[0] == "polars" and kind.__name__ == "LazyFrame"


def is_dataset(table: Any) -> bool:
    """Whether it is a dataset of pyarrow, without importing it."""
    return type(table).__module__.startswith("pyarrow._dataset") and hasattr(table, "to_batches")


def copy_with_column(
    source: str | os.PathLike, target: str | os.PathLike, name: str, values: Any
) -> None:
    r"""Copy a table with the values of one column replaced and everything else as it was.

    ``target`` has the format of ``source`` (.xlsx where that is .xls or .ods), and appears only
    when it is complete. Text and Parquet are copied some rows at a time, so tables may be larger
    than memory. Of a workbook the other sheets, widths and formats stay; formulas of the sheet
    become values.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("weight,pet\n4.00,cat\n31.5,dog\n")
    ...     copy_with_column(f"{folder}/a.csv", f"{folder}/b.csv", "pet", ["cat", "wolf"])
    ...     print(Path(folder, "b.csv").read_text())
    weight,pet
    4.00,cat
    31.5,wolf
    """
    values = _make_list(values)
    keep = np.ones(len(values), dtype=bool)
    copy_changed(Path(source), Path(target), _records.make_change(keep, name, values))


def copy_with_rows(
    source: str | os.PathLike,
    target: str | os.PathLike,
    keep: Any,
    *,
    name: str | None = None,
    values: Any = None,
    is_new: bool = False,
) -> None:
    r"""Copy the rows of a table where ``keep`` is true, and everything about them as it was.

    Parameters
    ----------
    source, target : path
        Both of one format. ``target`` appears only when it is complete; it may be ``source``.
    keep : array-like of bool
        One for each row of ``source``.
    name : str, optional
        A column to replace in the same pass.
    values : array-like, optional
        Its new values, one for each row of ``source``, those that go included.
    is_new : bool
        The column is not there yet: it is put behind the others, and holds numbers.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("weight,pet\n4.00,cat\n31.5,dog\n0.1,?\n")
    ...     copy_with_rows(
    ...         f"{folder}/a.csv", f"{folder}/b.csv", [True, True, False],
    ...         name="pet", values=["cat", "wolf", "?"],
    ...     )
    ...     print(Path(folder, "b.csv").read_text())
    weight,pet
    4.00,cat
    31.5,wolf
    """
    keep = np.asarray(keep)
    if keep.dtype != bool or keep.ndim != 1:
        raise ValueError("keep must hold True or False for each row.")
    if not keep.any():
        raise ValueError("keep is False everywhere; a table needs at least one row.")
    if (name is None) != (values is None):
        raise ValueError("give both name and values, or neither.")
    values = [None] * len(keep) if values is None else _make_list(values)
    if len(values) != len(keep):
        raise ValueError(f"keep has {len(keep)} entries, but values has {len(values)}.")
    change = _records.make_change(keep, name, values, is_new=is_new)
    copy_changed(Path(source), Path(target), change)


def write_table(
    path: str | os.PathLike, table: Any, *, guard_formulas: bool | Collection[str] = False
) -> None:
    """Write a dataframe, or a mapping of names to columns, in the format of the name of the file.

    Parameters
    ----------
    path : path
        The file. It appears only when it is complete.
    table : dataframe or mapping
        What to write.
    guard_formulas : bool or collection of str, default=False
        Put an apostrophe before every text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a
        line end and is not a number or a sign alone, for people who open the file in a spreadsheet:
        it would run such a text. Control characters, which a terminal would obey, are written out.
        For CSV, TSV and text only; other formats keep types. Names of columns: in these alone.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(f"{folder}/pets.csv.gz", {"pet": ["cat", "dog"]})
    ...     read_table(f"{folder}/pets.csv.gz")["pet"].to_pylist()
    ['cat', 'dog']
    """
    path = Path(path)
    if not isinstance(table, Mapping):
        table = {column.name: column.array() for column in columns_of(table)}
    form = _FORMATS[_records.get_ending(path)]
    if form is _columnar:  # which takes columns of Arrow and numbers as they are, with their types
        cells = {k: v if _has_type(v) else _make_list(v) for k, v in table.items()}
    else:
        cells = {name: _make_list(values) for name, values in table.items()}
    form.write(path, _guard_columns(cells, guard_formulas) if form is _csv else cells)


def _has_type(values: Any) -> bool:
    """Whether values are a column of Arrow, or an array of numbers."""
    is_array = isinstance(values, np.ndarray) and values.dtype.kind in "biuf" and values.ndim == 1
    return is_array or hasattr(values, "to_pylist")


def _guard_columns(
    cells: dict[str, list[Any]], names: bool | Collection[str]
) -> dict[str, list[Any]]:
    if isinstance(names, bool):
        return (
            {guard_formula(k): list(map(guard_formula, v)) for k, v in cells.items()}
            if names
            else cells
        )
    return {k: list(map(guard_formula, v)) if k in names else v for k, v in cells.items()}


def _make_list(values: Any) -> list[Any]:
    """A column as a list of Python's own values."""
    for method in ("to_pylist", "tolist", "to_list"):  # of Arrow, NumPy and pandas, polars
        if hasattr(values, method):
            return getattr(values, method)()
    return [cell.item() if isinstance(cell, np.generic) else cell for cell in values]


def copy_changed(source: Path, target: Path, change: _records.Change) -> None:
    """Copy a table with some of it changed; a text, and Parquet, some rows at a time."""
    if is_picture_folder(source):
        _pictures.copy(source, target, change)
        return
    check_same_format(source, target)
    try:
        _FORMATS[_records.get_ending(source)].copy(source, target, change)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{source} is written in an encoding without {error.object[error.start]!r}; "
            "save it as UTF-8 first."
        ) from error


def check_same_format(source: Path, target: Path) -> None:
    """Raise when the name of a copy says that it is something else."""
    own = _records.get_ending(source)
    wanted = (
        ".xlsx" if own in _records.EXCEL else own
    )  # which replaced the older formats of workbooks
    if wanted != _records.get_ending(target):
        ending = "the same ending" if wanted == own else f"the ending {wanted}"
        raise ValueError(
            f"{target.name} is of another format than {source.name}; give it {ending}."
        )


def guard_formula(cell: Any) -> Any:
    r"""The cell, fit for a spreadsheet and a terminal.

    A text that begins like a formula has an apostrophe before it, unless it is a number or a sign
    alone; control characters, but for tabs and line ends, are written out.

    Examples
    --------
    >>> [guard_formula(cell) for cell in ("=1+1", "@cat", "-1.5", -1.5, "-", "cat")]
    ["'=1+1", "'@cat", '-1.5', -1.5, '-', 'cat']
    >>> print(guard_formula("red \x1b[31m"))
    red \x1b[31m
    """
    if not isinstance(cell, str):
        return cell
    text = visible(cell)
    if text.startswith(_STARTS) and not _NUMBER_OR_SIGN.fullmatch(text):
        return f"'{text}"
    return text


def read_beside(path: Path, n_rows: int, *, name: str | None = None, ids: Any = None) -> Any:
    """An array of a .npy or .npz file, or the columns of a table by name; a row for each row.

    Parameters
    ----------
    path : Path
        The file. A table may have one column of lists instead, which become the rows of an array.
    n_rows : int
        How many rows there must be.
    name, ids : str and array of shape (n_rows,), optional
        What rows are called, and the column that says so. Where a table has this column, its rows
        are brought into the order of ``ids``; others are taken as they come.

    Returns
    -------
    array of shape (n_rows, d), or dict of arrays of shape (n_rows,)
    """
    if path.suffix.lower() in ARRAYS:
        array = _read_array(path)
        _check_rows(path, len(array), n_rows)
        return array
    if not _records.is_table_name(path):
        raise ValueError(f"{path.name} is no array (.npy, .npz) and no table, by its ending.")
    columns = columns_of(read_table(path))
    own = next((column for column in columns if column.name == name), None)
    if own is None:
        _check_rows(path, len(columns[0].values), n_rows)
        return _read_numbers(path, columns, np.arange(n_rows))
    order = _align_rows(path, own.array(), ids)
    return _read_numbers(path, [column for column in columns if column is not own], order)


def _read_array(path: Path) -> np.ndarray:
    with readable(path):
        path.open("rb").close()  # says so when it may not be read; later, an error means damage
        try:
            found = np.load(path, allow_pickle=False)
        except (OSError, EOFError, ValueError) as error:
            raise ValueError(f"{path} holds no array of numbers, or it is damaged.") from error
    if not isinstance(found, np.ndarray):  # an archive of arrays
        with found as archive:
            if len(archive.files) != 1:
                raise ValueError(
                    f"{path} holds {plural(len(archive.files), 'array')} "
                    f"({join_names(archive.files, 5)}); save the one that is meant as .npy."
                )
            found = archive[archive.files[0]]
    if found.ndim != 2 or found.dtype.kind not in "biuf":
        raise ValueError(
            f"{path} holds an array of {found.dtype} of the shape {found.shape}; numbers in rows "
            "and columns are needed."
        )
    return found


def _check_rows(path: Path, found: int, wanted: int) -> None:
    if found != wanted:
        raise ValueError(
            f"{path} has {plural(found, 'row')}, but the table has {wanted:,}; it needs one for "
            "each, in the same order."
        )


def _align_rows(path: Path, own: np.ndarray, ids: Any) -> np.ndarray:
    """Where each row of the table is in the file."""
    index = {str(key): row for row, key in enumerate(own.tolist())}
    if len(index) < len(own):
        raise ValueError(f"{path} has some ids twice; each row needs one of its own.")
    lacking = [key for key in map(str, ids.tolist()) if key not in index]
    if lacking:
        raise ValueError(
            f"{path} has no row for {plural(len(lacking), 'row')} of the table; the first is "
            f"{lacking[0]!r}."
        )
    return np.array([index[str(key)] for key in ids.tolist()])


def _read_numbers(path: Path, columns: list[Column], rows: np.ndarray) -> Any:
    cells = columns[0].values
    holds_lists = isinstance(cells, np.ndarray) and isinstance(cells[0], list | np.ndarray)
    if len(columns) == 1 and holds_lists:
        lists = columns[0].array(rows).tolist()
        lengths = {0 if is_missing(cell) else len(cell) for cell in lists}
        if len(lengths) != 1:
            raise ValueError(
                f"the lists in {path} are not of one length, but of {sorted(lengths)}."
            )
        return np.array(lists, dtype=float)
    values = {column.name: numbers(column.take(rows)) for column in columns}
    words = [name for name, cells in values.items() if cells is None]
    if words:
        raise ValueError(
            f"column {words[0]!r} of {path} holds something that is not a number; name the column "
            "of ids with `ids`, and leave out others."
        )
    return values
