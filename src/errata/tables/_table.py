"""One face for all formats, chosen by the name of the file."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ._columnar import copy_arrow, read_arrow_columns, write_arrow_columns
from ._files import is_packed
from ._jsonl import copy_json_lines, read_json_columns, write_json_columns
from ._records import Change
from ._text import copy_text, read_text_columns, write_text_columns


class _Format(NamedTuple):
    read: Callable[[Path, Sequence[str] | None], dict[str, np.ndarray]]
    copy: Callable[[Path, Path, Change], None]
    write: Callable[[Path, dict[str, np.ndarray]], None]


_TEXT = _Format(read_text_columns, copy_text, write_text_columns)
_JSON = _Format(read_json_columns, copy_json_lines, write_json_columns)
_ARROW = _Format(read_arrow_columns, copy_arrow, write_arrow_columns)

_FORMATS = {
    ".csv": _TEXT,
    ".tsv": _TEXT,
    ".txt": _TEXT,
    ".jsonl": _JSON,
    ".ndjson": _JSON,
    ".parquet": _ARROW,
    ".feather": _ARROW,
}


def read_columns(
    path: str | os.PathLike, names: Sequence[str] | None = None
) -> dict[str, np.ndarray]:
    """Read columns of a CSV, TSV or JSON lines (plain or gzip), Parquet or Feather table.

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
        Strings from CSV and TSV, exactly as they stand there (an empty cell is an empty string;
        see :func:`numbers`), typed values from the others: missing ones are NaN among numbers,
        None elsewhere.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_columns(f"{folder}/pets.csv", {"weight": [4.0, 31.5], "pet": ["cat", "dog"]})
    ...     read_columns(f"{folder}/pets.csv", ["pet"])
    {'pet': array(['cat', 'dog'], dtype='<U3')}
    """
    path = Path(path)
    return _FORMATS[_ending(path)].read(path, names)


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
    values = np.asarray(values)
    keep = np.ones(len(values), dtype=bool)
    _copy(Path(source), Path(target), Change(keep, name, values.tolist()))


def copy_with_rows(
    source: str | os.PathLike,
    target: str | os.PathLike,
    keep: Any,
    *,
    name: str | None = None,
    values: Any = None,
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
        raise ValueError("keep is False everywhere, and a table without rows is no table.")
    if (name is None) != (values is None):
        raise ValueError("give both name and values, or neither.")
    values = [None] * len(keep) if values is None else np.asarray(values).tolist()
    if len(values) != len(keep):
        raise ValueError(f"keep speaks of {len(keep)} rows, values of {len(values)}.")
    _copy(Path(source), Path(target), Change(keep, name, values))


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
    _FORMATS[_ending(path)].write(path, arrays)


def _copy(source: Path, target: Path, change: Change) -> None:
    ending = _ending(source)
    if ending != _ending(target):
        raise ValueError(
            f"{target.name} is of another format than {source.name}; give it the same ending."
        )
    try:
        _FORMATS[ending].copy(source, target, change)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{source} is written in an encoding without {error.object[error.start]!r}; "
            "save it as UTF-8 first."
        ) from error


def _ending(path: Path) -> str:
    """What a table is by its name, compressed or not."""
    kind = (Path(path.stem) if is_packed(path) else path).suffix.lower()
    if kind in _FORMATS and not (is_packed(path) and _FORMATS[kind] is _ARROW):
        return kind
    known = ", ".join(sorted(_FORMATS))
    raise ValueError(f"{path.name} has no ending that errata knows ({known}; text also with .gz).")
