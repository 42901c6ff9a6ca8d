"""Tables larger than memory: what they are, how many rows they have, and their parts.

A row is its position in the source. Whatever is not Parquet and not a dask dataframe is written as
Parquet to a scratch folder first, without ever being in memory.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from ..._engine._engine import Progress
from ._files import describe_files, find_files, is_table_path
from ._frames import (
    convert_to_parquet,
    describe_dask_frame,
    is_dask_frame,
    is_dataset,
    is_lazy_frame,
    make_dask_parts,
    spool_dataset,
    spool_lazy_frame,
)
from ._parquet import ParquetTable, SourcePart, make_parquet_parts, stack_tables

__all__ = ["Source", "SourcePart", "is_stored", "parse_memory", "open_source", "take_source_rows"]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30, "ti": 1 << 40}
_SIZE = re.compile(r"(\d+(?:\.\d*)?|\.\d+)\s*([kmgt]i?)?b?", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """A stored table.

    Attributes
    ----------
    columns : list of str
        Their names, in the order of the first file.
    n_rows : int
        Rows of all parts.
    parts : list of SourcePart
        Runs of rows that follow each other, from row 0 to row ``n_rows``.
    """

    columns: list[str]
    n_rows: int
    parts: list[SourcePart]
    facts: dict[str, Any]

    @property
    def files(self) -> list[str]:
        """The files it is made of, in the order of their rows; none of a frame."""
        return self.facts.get("files", [])

    def fingerprint(self) -> dict[str, Any]:
        """What differs when the table does: files, their sizes and times, rows, columns."""
        return {**self.facts, "rows": self.n_rows, "columns": self.columns}


def is_stored(X: Any) -> bool:
    """Whether it is a table to be read in parts: paths, a dataset, a dask or lazy frame."""
    return is_table_path(X) or is_dask_frame(X) or is_lazy_frame(X) or is_dataset(X)


def open_source(
    X: Any,
    *,
    scratch: Path,
    rows_per_part: int | Callable[[int], int],
    progress: Progress | None = None,
) -> Source:
    """Open a stored table; raise a sentence when it is not there or not whole.

    Parameters
    ----------
    X : path, list of paths, pyarrow dataset, dask dataframe or polars LazyFrame
        A path may be a file, a folder of files of one format or a pattern, as in
        ``"visits-*.csv.gz"``. Files of a folder or a pattern come in the natural order of their
        names (``part-2`` before ``part-10``), those of a list in its order.
    scratch : path
        A folder for what has to be written as Parquet first. A text file that was written there
        before, and has not changed since, is not read again.
    rows_per_part : int or callable
        How many rows a part of Parquet may have, or a function that says so for a number of
        columns; partitions of dask stay as they are.
    progress : callable, optional
        Is told how far the reading of text has come.

    Returns
    -------
    Source
        All files have the same columns; their types may differ.

    Examples
    --------
    >>> import tempfile
    >>> from errata.tables import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number in (1, 2):
    ...         write_table(f"{folder}/pets-{number}.csv", {"pet": ["cat", "dog", "cow"]})
    ...     pets = open_source(f"{folder}/*.csv", scratch=Path(folder), rows_per_part=2)
    ...     pets.n_rows, [(part.start, part.stop) for part in pets.parts]
    ...     take_source_rows(pets, [0, 5])["pet"].to_pylist()
    (6, [(0, 1), (1, 3), (3, 4), (4, 6)])
    ['cat', 'cow']
    """
    if not callable(rows_per_part) and rows_per_part < 1:
        raise ValueError(f"rows_per_part={rows_per_part} leaves no rows in a part; give 1 or more.")
    if is_dask_frame(X):
        parts: Sequence[SourcePart] = make_dask_parts(X)
        return _make_source(parts, describe_dask_frame(X), "the dask dataframe")
    tables, facts, what = _convert_to_parquet(X, scratch, progress)
    return _make_source(list(make_parquet_parts(tables, rows_per_part)), facts, what)


def _convert_to_parquet(
    X: Any, scratch: Path, progress: Progress | None
) -> tuple[list[ParquetTable], dict[str, Any], str]:
    """Parquet files that hold all rows, what tells them from others, and what to call them."""
    if is_lazy_frame(X):
        return *spool_lazy_frame(X, scratch), "the frame"
    if is_dataset(X):
        return *spool_dataset(X, scratch), "the dataset"
    files = find_files(X)
    as_parquet = convert_to_parquet(files, scratch, progress)
    tables = [ParquetTable(str(p), str(f)) for p, f in zip(as_parquet, files, strict=True)]
    return tables, describe_files(files), str(X)


def _make_source(parts: Sequence[SourcePart], facts: dict[str, Any], what: str) -> Source:
    if not parts:
        raise ValueError(f"{what} holds no rows; errata needs some.")
    return Source(list(parts[0].columns), parts[-1].stop, list(parts), facts)


def take_source_rows(source: Source, rows: Any, columns: Sequence[str] | None = None) -> Any:
    """Some rows, given by their sorted positions, as an Arrow table.

    Only parts that hold some of them are read. A column whose type differs between files has one
    that holds all its values here; text when there is no other.
    """
    rows = np.asarray(rows, dtype=np.intp)
    tables = []
    for part in source.parts:
        within = rows[slice(*np.searchsorted(rows, [part.start, part.stop]))]
        if len(within):
            tables.append(part.read(columns).take(within - part.start))
    if not tables:
        return source.parts[0].read(columns).slice(0, 0)
    return stack_tables(tables)


def parse_memory(size: int | float | str) -> int:
    """How many bytes a size is.

    >>> parse_memory("2GB"), parse_memory("1.5 GiB"), parse_memory(1000)
    (2000000000, 1610612736, 1000)
    """
    found = _SIZE.fullmatch(size.strip()) if isinstance(size, str) else None
    if found is not None:
        unit = (found[2] or "").lower()
        n_bytes = float(found[1]) * (_UNITS | _BINARY)[unit]
    elif isinstance(size, int | float) and not isinstance(size, bool) and isfinite(size):
        n_bytes = float(size)
    else:
        raise ValueError(f'memory={size!r} is not a size; write it as in "2GB" or in bytes.')
    if n_bytes < 1:
        raise ValueError(f'memory={size!r} is no memory at all; give some, as in "2GB".')
    return int(n_bytes)
