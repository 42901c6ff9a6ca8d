"""Delimited text: cells stay the strings they are, so that only what is asked for changes."""

import csv
import gzip
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ._files import atomic_path, open_text, readable

_SAMPLE = 1 << 16  # bytes looked at to tell encoding, delimiter and line ends


class Layout(NamedTuple):
    """How a text table is written."""

    delimiter: str
    line_end: str
    encoding: str


@contextmanager
def text_rows(path: Path) -> Iterator[tuple[Layout, list[str], Iterator[list[str]]]]:
    """Give the layout, the header and an iterator over the rows of a table."""
    with readable(path):
        layout = _layout(path)
        with open_text(path, "r", layout.encoding) as stream:
            reader = csv.reader(stream, delimiter=layout.delimiter)
            header = next(reader, [])
            yield layout, header, _checked(reader, path, len(header))


def read_text_columns(path: Path, names: Sequence[str] | None) -> dict[str, np.ndarray]:
    """The named columns (all when None) as arrays of strings; empty cells are empty strings."""
    with text_rows(path) as (_, header, rows):
        names = header if names is None else names
        places = [_place(header, name, path) for name in names]
        cells = [[row[i] for i in places] for row in rows]
    if not cells:
        raise ValueError(f"{path} has a header but no rows.")
    columns = [np.array(column) for column in zip(*cells, strict=True)]
    return dict(zip(names, columns, strict=True))


def copy_text_with_column(source: Path, target: Path, name: str, values: np.ndarray) -> None:
    """Copy a table row by row with one column replaced."""
    with text_rows(source) as (layout, header, rows), atomic_path(target) as temporary:
        place = _place(header, name, source)
        with open_text(temporary, "w", layout.encoding) as stream:
            writer = csv.writer(stream, delimiter=layout.delimiter, lineterminator=layout.line_end)
            writer.writerow(header)
            for row, value in zip(rows, values.tolist(), strict=True):
                row[place] = value
                writer.writerow(row)


def write_text_columns(path: Path, columns: dict[str, np.ndarray]) -> None:
    """Write a new table; tab-separated when its name says so."""
    delimiter = "\t" if ".tsv" in path.suffixes else ","
    with atomic_path(path) as temporary, open_text(temporary, "w", "utf-8") as stream:
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))


def _layout(path: Path) -> Layout:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as stream:
        sample = stream.read(_SAMPLE)
    if not sample.strip():
        raise ValueError(f"{path} is empty.")
    if b"\0" in sample:
        raise ValueError(f"{path} is not a text table: it holds binary data.")
    encoding = _encoding(path)
    first_line = sample.decode(encoding, errors="ignore").splitlines(keepends=True)[0]
    line_end = "\r\n" if first_line.endswith("\r\n") else "\n"
    return Layout(_delimiter(path, first_line), line_end, encoding)


def _encoding(path: Path) -> str:
    """UTF-8 where the file is; otherwise Latin-1, which gives back every byte as it was."""
    with open_text(path, "r", "utf-8") as stream:
        try:
            has_mark = stream.read(1) == "\ufeff"
            while stream.read(_SAMPLE):
                pass
        except UnicodeDecodeError:
            return "latin-1"
    return "utf-8-sig" if has_mark else "utf-8"


def _delimiter(path: Path, first_line: str) -> str:
    if ".tsv" in path.suffixes:
        return "\t"
    outside_quotes = re.sub(r'"[^"]*"', "", first_line)
    return max(",;\t|", key=outside_quotes.count)  # the comma when none of them occurs


def _checked(reader: Iterator[list[str]], path: Path, width: int) -> Iterator[list[str]]:
    try:
        for row in reader:
            if not row:
                continue  # a blank line
            if len(row) != width:
                line = reader.line_num  # type: ignore[attr-defined]
                raise ValueError(
                    f"line {line} of {path} has {len(row)} cells, but the header has {width}."
                )
            yield row
    except csv.Error as error:
        raise ValueError(f"{path} is not a table errata can read: {error}.") from error


def _place(header: list[str], name: str, path: Path) -> int:
    found = [i for i, column in enumerate(header) if column == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"{path} has {len(found)} columns named {name!r}; rename one of them.")
    raise ValueError(f"{path} has no column {name!r}; its columns are {', '.join(header)}.")
