"""One face for all formats, chosen by the name of the file."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ._columnar import copy_arrow_with_column, read_arrow_columns, write_arrow_columns
from ._text import copy_text_with_column, read_text_columns, write_text_columns

_TEXT = {".csv", ".tsv", ".txt"}
_ARROW = {".parquet", ".feather"}
_MISSING = {"", "nan", "na", "n/a", "null"}  # "none" may well be a class


def read_columns(
    path: str | os.PathLike, names: Sequence[str] | None = None
) -> dict[str, np.ndarray]:
    """Read columns of a CSV, TSV (plain or gzip), Parquet or Feather table.

    Parameters
    ----------
    path : path
        The table. Delimiter and encoding of text are found out. Parquet and Feather need the
        ``tables`` extra.
    names : sequence of str, optional
        Which columns, all of them by default.

    Returns
    -------
    dict of arrays, in the order of ``names``
        Strings from text tables, exactly as they stand there (an empty cell is an empty string;
        see :func:`numbers`), typed values from the others.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_columns(f"{folder}/pets.csv", {"weight": [4.0, 31.5], "pet": ["cat", "dog"]})
    ...     read_columns(f"{folder}/pets.csv", ["pet"])
    {'pet': array(['cat', 'dog'], dtype='<U3')}
    """
    path = Path(path)
    return (read_text_columns if _is_text(path) else read_arrow_columns)(path, names)


def copy_with_column(
    source: str | os.PathLike, target: str | os.PathLike, name: str, values: Any
) -> None:
    r"""Copy a table with the values of one column replaced and everything else as it was.

    ``target`` has the format of ``source``, and appears only when it is complete. Text is copied
    row by row, so tables larger than memory are welcome.

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
    source, target = Path(source), Path(target)
    if _ending(source) != _ending(target):
        raise ValueError(
            f"{target.name} is of another format than {source.name}; give it the same ending."
        )
    copy = copy_text_with_column if _is_text(source) else copy_arrow_with_column
    copy(source, target, name, np.asarray(values))


def write_columns(path: str | os.PathLike, columns: Mapping[str, Any]) -> None:
    """Write columns of equal length as a new table, in the format of its name, all or nothing.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_columns(f"{folder}/pets.csv.gz", {"pet": ["cat", "dog"]})
    ...     read_columns(f"{folder}/pets.csv.gz")["pet"].tolist()
    ['cat', 'dog']
    """
    path = Path(path)
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    (write_text_columns if _is_text(path) else write_arrow_columns)(path, arrays)


def is_missing(cell: Any) -> bool:
    """Whether a cell stands for no value: empty, blank, NaN, NA, N/A or null in any case.

    Examples
    --------
    >>> [is_missing(cell) for cell in ("", " ", "NaN", None, float("nan"), "none", 0)]
    [True, True, True, True, True, False, False]
    """
    if isinstance(cell, str):
        return cell.strip().lower() in _MISSING
    return cell is None or cell != cell


def numbers(column: np.ndarray) -> np.ndarray | None:
    """The column as floats, empty cells as NaN; None when it holds anything but numbers.

    Examples
    --------
    >>> numbers(np.array(["1.5", "", "2"]))
    array([1.5, nan, 2. ])
    >>> numbers(np.array(["1.5", "red"])) is None
    True
    """
    if column.dtype.kind == "U":
        column = np.where(np.char.strip(column) == "", "nan", column)
    try:
        return column.astype(float)
    except (TypeError, ValueError):
        return None


def _is_text(path: Path) -> bool:
    return _ending(path) in _TEXT


def _ending(path: Path) -> str:
    """What a table is by its name, compressed or not."""
    kind = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if kind in _TEXT or (kind in _ARROW and path.suffix != ".gz"):
        return kind
    known = ", ".join(sorted(_TEXT | _ARROW))
    raise ValueError(f"{path.name} has no ending that errata knows ({known}; text also with .gz).")
