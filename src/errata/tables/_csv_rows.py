"""Rows of delimited text as they stand in the file, and how it is laid out."""

import csv
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from .._files import open_text, readable
from .._format import plural
from ._charset import text_encoding
from ._records import MARK, Record, with_blank_lines


class TextTable(NamedTuple):
    """An open text table."""

    encoding: str
    delimiter: str
    header: Record
    rows: Iterator[Record]


@contextmanager
def text_table(path: Path) -> Iterator[TextTable]:
    """Open a table: its layout is known, its header read, its rows are waiting."""
    with readable(path):
        encoding = text_encoding(path)
        delimiter = _delimiter(path, encoding)
        with open_text(path, "r", encoding) as stream, _cells_of_any_length():
            records = with_blank_lines(_records(stream, delimiter, path))
            header = next(records)
            if header.cells is None:
                raise ValueError(f"{path} is empty.")
            yield TextTable(encoding, delimiter, header, _checked(records, header, path))


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Lift the limit of 131,072 characters that the csv module has, and put it back."""
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def _delimiter(path: Path, encoding: str) -> str:
    if is_tsv(path):
        return "\t"
    with open_text(path, "r", encoding) as stream:
        first_line = next((line for line in stream if line.strip(MARK + " \r\n")), "")
    outside_quotes = re.sub(r'"[^"]*"', "", first_line)
    return max(",;\t|", key=outside_quotes.count)  # the comma when none of them occurs


def is_tsv(path: Path) -> bool:
    """Whether the name says that cells are separated by tabs."""
    return ".tsv" in (suffix.lower() for suffix in path.suffixes)


def _records(stream: IO[str], delimiter: str, path: Path) -> Iterator[Record]:
    """Rows with the lines they were made of: a quoted cell may go over several."""
    taken: list[str] = []

    def lines() -> Iterator[str]:
        for number, line in enumerate(stream):
            taken.append(line)
            yield line if number else line.removeprefix(MARK)

    reader = csv.reader(lines(), delimiter=delimiter)
    try:
        for cells in reader:
            yield Record("".join(taken), cells or None, reader.line_num)
            taken.clear()
    except csv.Error as error:
        raise ValueError(f"{path} is not a table errata can read: {error}.") from error


def _checked(records: Iterator[Record], header: Record, path: Path) -> Iterator[Record]:
    width = len(header.cells)
    for record in records:
        if len(record.cells) != width:
            raise ValueError(
                f"line {record.line} of {path} has {plural(len(record.cells), 'cell')}, "
                f"but the header has {width}."
            )
        yield record
