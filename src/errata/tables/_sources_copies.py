"""A table in several files: one of its columns, and copies of all its files in another folder."""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ._columns import column_array
from ._records import Change, NoRowsError
from ._sources_parquet import check_same_columns
from ._sources_types import stacked
from ._table import copy_changed, read_table


def column_of_files(files: Sequence[Path], name: str) -> np.ndarray:
    """One column of all files, under each other."""
    if len(files) == 1:
        return column_array(read_table(files[0], [name]), name)
    tables = [table for file in files if (table := _table(file, [name])) is not None]
    if not tables:
        raise NoRowsError(f"none of the files in {files[0].parent} holds a row.")
    found = [column_array(table, name) for table in tables]
    if any(cells.dtype.kind == "O" for cells in found):  # NumPy would write numbers as text
        found = [cells.astype(object) for cells in found]
    return np.concatenate(found)


def read_files(files: Sequence[Path]) -> Any:
    """All rows of all files as one Arrow table."""
    tables = [(file, table) for file in files if (table := _table(file, None)) is not None]
    if len(tables) == 1:
        return tables[0][1]
    first, columns = str(tables[0][0]), tuple(tables[0][1].column_names)
    for file, table in tables:
        check_same_columns(columns, first, table.column_names, str(file))
    return stacked([table for _, table in tables])


def copied_names(files: Sequence[Path]) -> list[Path]:
    """What copies of files are called within their new folder.

    >>> list(map(str, copied_names([Path("a/x.csv"), Path("a/b/x.csv")])))
    ['x.csv', 'b/x.csv']
    """
    places = [Path(os.path.abspath(file)) for file in files]
    common = os.path.commonpath([place.parent for place in places])
    return [place.relative_to(common) for place in places]


class Place(NamedTuple):
    """Where some rows stand."""

    file: Path
    row: int  # of the file, the first of them
    before: int  # rows of the files before

    @property
    def rows_before(self) -> int:
        """Rows of all files before the first of these."""
        return self.before + self.row


Rewrite = Callable[[Place, list[Any]], tuple[Sequence[bool] | np.ndarray, list[Any]]]


def copy_files(files: Sequence[Path], folder: Path, name: str, rewrite: Rewrite) -> int:
    """Copy files into a new folder, one column rewritten; give the number of their rows.

    ``rewrite`` gets the cells of some rows, in their order, and says which of the rows stay and
    what their cells become.
    """
    folder.mkdir()
    before = 0
    for file, copy in zip(files, copied_names(files), strict=True):
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
        return rewrite(Place(file, start, before), cells)

    copy_changed(file, target, Change(name, of))
    return n_rows


def _table(file: Path, columns: Sequence[str] | None) -> Any:
    """What a file holds; None when it has no rows, which one file of several may lack."""
    if not file.stat().st_size:
        return None
    try:
        return read_table(file, columns)
    except NoRowsError:
        return None
