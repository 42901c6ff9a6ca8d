"""Delimited text: cells stay the strings they are, so that only what is asked for changes."""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from ._encoding import text_encoding
from ._files import atomic_path, open_text, readable
from ._records import MARK, Change, Record, changed, with_blank_lines


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
        with open_text(path, "r", encoding) as stream:
            records = with_blank_lines(_records(stream, delimiter, path))
            header = next(records)
            if header.cells is None:
                raise ValueError(f"{path} is empty.")
            yield TextTable(encoding, delimiter, header, _checked(records, header, path))


def read_text_columns(path: Path, names: Sequence[str] | None) -> dict[str, np.ndarray]:
    """The named columns (all when None) as arrays of strings; empty cells are empty strings."""
    with text_table(path) as table:
        header = table.header.cells
        names = header if names is None else names
        places = [_place(header, name, path) for name in names]
        cells = [[row.cells[i] for i in places] for row in table.rows]
    if not cells:
        raise ValueError(f"{path} has a header but no rows.")
    columns = [np.array(column) for column in zip(*cells, strict=True)]
    return dict(zip(names, columns, strict=True))


def copy_text(source: Path, target: Path, change: Change) -> None:
    """Copy a table row by row; what does not change keeps every byte, quotes and all."""
    with atomic_path(target) as temporary, text_table(source) as table:
        place = None if change.name is None else _place(table.header.cells, change.name, source)
        with open_text(temporary, "w", table.encoding) as stream:
            stream.write(table.header.raw)
            for row, value in changed(table.rows, change, source):
                if place is not None:
                    row = _with_cell(row, place, value, table.delimiter)
                stream.write(row.raw)


def write_text_columns(path: Path, columns: dict[str, np.ndarray]) -> None:
    """Write a new table; tab-separated when its name says so."""
    delimiter = "\t" if _is_tsv(path) else ","
    with atomic_path(path) as temporary, open_text(temporary, "w", "utf-8") as stream:
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))


def _delimiter(path: Path, encoding: str) -> str:
    if _is_tsv(path):
        return "\t"
    with open_text(path, "r", encoding) as stream:
        first_line = next((line for line in stream if line.strip(MARK + " \r\n")), "")
    outside_quotes = re.sub(r'"[^"]*"', "", first_line)
    return max(",;\t|", key=outside_quotes.count)  # the comma when none of them occurs


def _is_tsv(path: Path) -> bool:
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
                f"line {record.line} of {path} has {len(record.cells)} cells, "
                f"but the header has {width}."
            )
        yield record


def _place(header: list[str], name: str, path: Path) -> int:
    found = [i for i, column in enumerate(header) if column == name]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(f"{path} has {len(found)} columns named {name!r}; rename one of them.")
    raise ValueError(f"{path} has no column {name!r}; its columns are {', '.join(header)}.")


def _with_cell(row: Record, place: int, value: Any, delimiter: str) -> Record:
    """The row with one cell replaced where it stands."""
    text = "" if value is None else str(value)
    if text == row.cells[place]:
        return row
    cell = _cell_pattern(delimiter)
    start = 0
    for _ in range(place):
        start = cell.match(row.raw, start).end() + 1  # type: ignore[union-attr]
    end = cell.match(row.raw, start).end()  # type: ignore[union-attr]
    # An empty cell alone on its line would be a blank line, and blank lines are no rows.
    quoted = row.raw[start:end].startswith('"') or (not text and len(row.cells) == 1)
    if quoted or re.search(f'["\r\n{re.escape(delimiter)}]', text):
        text = '"' + text.replace('"', '""') + '"'
    return row._replace(raw=row.raw[:start] + text + row.raw[end:])


@cache
def _cell_pattern(delimiter: str) -> re.Pattern[str]:
    """One cell as the csv module reads it: a quote counts where a cell begins, and only there."""
    rest = rf"[^{re.escape(delimiter)}\r\n]*"
    return re.compile(rf'"(?:[^"]|"")*+(?:"{rest}|\Z)|{rest}')
