"""Numbers for the rows of a table that are in a file of their own: embeddings, probabilities."""

from pathlib import Path
from typing import Any

import numpy as np

from .._files import readable
from .._format import join_names, plural
from .._validation import is_missing
from ._columns import Column, columns_of, numbers
from ._table import read_table
from .formats._records import is_table_name

ARRAYS = (".npy", ".npz")


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
    if not is_table_name(path):
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
