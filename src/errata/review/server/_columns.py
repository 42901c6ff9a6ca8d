"""Columns of Parquet files as arrays, read from their buffers.

pyarrow's own ways (``to_numpy``, ``take``, ``unique``) import pandas and all of its functions: that
takes longer than everything else that the page does before it is there.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ..._files import readable
from ..._optional import require

MISSING = -1


def read_column(path: Path, name: str) -> Any:
    """A column; `read_table` would import pandas. Labels that are texts come as codes."""
    parquet = require("pyarrow.parquet", extra="review")
    coded = [name] if name in ("labels", "suggested") else None
    with readable(path), parquet.ParquetFile(path, read_dictionary=coded) as file:
        return file.read([name])[name]


def stored_columns(path: Path) -> list[str]:
    """The names of the columns of a file."""
    parquet = require("pyarrow.parquet", extra="review")
    with readable(path), parquet.ParquetFile(path) as file:
        return file.schema_arrow.names


def column_numbers(column: Any) -> np.ndarray:
    """A column of numbers or truth values; of numbers, NaN where one is missing."""
    parts = [_numbers(chunk) for chunk in column.chunks]
    return np.concatenate(parts) if parts else np.empty(0)


def texts_at(column: Any, rows: np.ndarray) -> np.ndarray:
    """The texts of some rows."""
    starts = np.cumsum([0, *(len(chunk) for chunk in column.chunks)])
    found = np.empty(len(rows), dtype=object)
    for chunk, start in zip(column.chunks, starts, strict=False):
        places = np.flatnonzero((rows >= start) & (rows < start + len(chunk)))
        found[places] = _texts(chunk, rows[places] - start)
    return found


def _texts(chunk: Any, rows: np.ndarray) -> list[str]:
    _, ends, content = chunk.buffers()
    wide = np.int64 if str(chunk.type) == "large_string" else np.int32
    offsets = np.frombuffer(ends, wide)[chunk.offset :]
    letters = memoryview(content)
    spans = zip(offsets[rows].tolist(), offsets[rows + 1].tolist(), strict=True)
    return [str(letters[start:end], "utf-8") for start, end in spans]


def values_and_codes(column: Any) -> tuple[list[Any], np.ndarray]:
    """The different values of a column, sorted, and the place of each row's among them."""
    if hasattr(column.type, "index_type"):
        parts = [_dictionary_codes(chunk) for chunk in column.chunks]
    else:
        values, codes = np.unique(column_numbers(column), return_inverse=True)
        present = values[~np.isnan(values)]  # what is missing is last, and made them floats
        present = present.astype(column.type.to_pandas_dtype()).tolist()
        parts = [(present, np.where(codes < len(present), codes, MISSING))]
    return _joined(parts)


def _numbers(chunk: Any) -> np.ndarray:
    valid, content = chunk.buffers()
    end = chunk.offset + len(chunk)
    if str(chunk.type) == "bool":
        values = np.unpackbits(np.frombuffer(content, np.uint8), bitorder="little").astype(bool)
    else:
        values = np.frombuffer(content, chunk.type.to_pandas_dtype())
    values = values[chunk.offset : end]
    if chunk.null_count:
        there = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")
        values = np.where(there[chunk.offset : end], values, np.nan)
    return values


def _dictionary_codes(chunk: Any) -> tuple[list[Any], np.ndarray]:
    codes = _numbers(chunk.indices)
    values = chunk.dictionary.to_pylist()
    return values, np.where(np.isnan(codes), MISSING, codes).astype(np.int64)


def _joined(parts: Iterable[tuple[list[Any], np.ndarray]]) -> tuple[list[Any], np.ndarray]:
    """Codes of several parts, each with values of its own, in terms of the values of all."""
    kept = list(parts)
    values = sorted({value for own, _ in kept for value in own})
    place = {value: code for code, value in enumerate(values)}
    whole = [np.array([*(place[value] for value in own), MISSING])[codes] for own, codes in kept]
    return values, np.concatenate([np.empty(0, np.int64), *whole])
