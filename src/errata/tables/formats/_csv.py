"""Delimited text: parsed by Arrow, every cell as the text it is; copied row by row, to the byte.

What Arrow and the csv module of Python take for a cell is the same, odd quotes included, so that
the rows that are read are the rows that are copied.
"""

import csv
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any

from ..._files import atomic_path, is_packed, open_text, readable
from ..._format import plural
from ._records import (
    MARK,
    Change,
    NoRowsError,
    Record,
    apply_change,
    attach_blank_lines,
    check_named_once,
    detect_encoding,
)

_BLOCK = 1 << 20  # bytes that Arrow parses at a time; a row must fit in
_BLOCKS = (_BLOCK, 1 << 24, 1 << 28, (1 << 31) - 1)


def read(path: Path, names: Sequence[str] | None) -> Any:
    """The named columns (all when None) as text; empty cells are empty strings."""
    with open_text_table(path) as layout:
        header = layout.header.cells
        names = header if names is None else list(names)
        check_named_once(header, names, path)
    table = _parse(path, layout, names)
    if table.num_rows == 0:
        raise NoRowsError(f"{path} has a header but no rows.")
    _check_end(table, path)
    return table


def copy(source: Path, target: Path, change: Change) -> None:
    """Copy a table row by row; what does not change keeps every byte, quotes and all."""
    with atomic_path(target) as temporary, open_text_table(source) as table:
        header = table.header
        place = change.place_in(header.cells, source)
        if change.is_new:
            header = _append_cell(header, change.name, table.delimiter)

        def cell(row: Record) -> str | None:
            return None if place is None else row.cells[place]

        with open_text(temporary, "w", table.encoding) as stream:
            stream.write(header.raw)
            for row, value in apply_change(table.rows, cell, change, source):
                if change.is_new:
                    row = _append_cell(row, value, table.delimiter)
                elif place is not None:
                    row = _replace_cell(row, place, value, table.delimiter)
                stream.write(row.raw)


def write(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write a new table; tab-separated when its name says so."""
    delimiter = "\t" if is_tsv(path) else ","
    with atomic_path(path) as temporary, open_text(temporary, "w", "utf-8") as stream:
        writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def iterate_tables(path: Path) -> Iterator[Any]:
    """All columns as :func:`read` gives them, some rows at a time.

    A row longer than the block shows when rows before it have been given; these are parsed once
    more, in larger blocks, and not given twice.
    """
    import pyarrow as arrow
    import pyarrow.csv

    with open_text_table(path) as layout:
        names = layout.header.cells
        check_named_once(names, names, path)
    given = 0
    for block in _get_block_sizes(layout):
        seen = 0
        try:
            with _open_stream(path, layout, names, block) as (stream, options):
                for batch in pyarrow.csv.open_csv(stream, *options):
                    seen += batch.num_rows
                    if seen > given:
                        new = batch.slice(max(0, batch.num_rows - (seen - given)))
                        last = arrow.Table.from_batches([new])
                        yield last
                        given = seen
            if given:
                _check_end(last, path)
            return
        except arrow.ArrowInvalid as error:
            _explain_unless_long(path, error)
    raise ValueError(f"{path} has a row of more than two gigabytes.")


class TextTable:
    """An open text table: its header is read, and its rows are waiting."""

    def __init__(self, path: Path, stream: IO[str], encoding: str, delimiter: str) -> None:
        records = attach_blank_lines(_iterate_records(stream, delimiter, path))
        self.encoding = encoding
        self.delimiter = delimiter
        self.header = next(records)
        if self.header.cells is None:
            raise ValueError(f"{path} is empty.")
        self.rows = _check_records(records, self.header, delimiter, path)


def _parse(path: Path, layout: TextTable, names: list[str]) -> Any:
    import pyarrow as arrow
    import pyarrow.csv

    for block in _get_block_sizes(layout):
        try:
            with _open_stream(path, layout, names, block) as (stream, options):
                return pyarrow.csv.read_csv(stream, *options)
        except arrow.ArrowInvalid as error:
            _explain_unless_long(path, error)
    raise ValueError(f"{path} has a row of more than two gigabytes.")


def _get_block_sizes(layout: TextTable) -> list[int]:
    longest = 4 * len(layout.header.raw)  # bytes of the header at most, and of many a row
    return [max(size, longest) for size in _BLOCKS]


@contextmanager
def _open_stream(
    path: Path, layout: TextTable, names: list[str], block: int
) -> Iterator[tuple[Any, tuple[Any, Any, Any]]]:
    """The bytes of a table, and how Arrow is to read them."""
    import pyarrow as arrow
    from pyarrow import csv as parser

    encoding = "utf8" if layout.encoding == "utf-8" else layout.encoding
    texts = dict.fromkeys(names, arrow.string())
    with arrow.input_stream(str(path), compression="gzip" if is_packed(path) else None) as stream:
        yield (
            stream,
            (
                parser.ReadOptions(encoding=encoding, block_size=block),
                parser.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True),
                parser.ConvertOptions(column_types=texts, include_columns=names),
            ),
        )


def _explain_unless_long(path: Path, error: Exception) -> None:
    """Raise a sentence that names the line: Arrow counts rows, and not always."""
    if "straddl" in str(error):  # a row is longer than the block
        return
    _check_rows(path)
    raise ValueError(f"{path} is not a table errata can read: {error}.") from error


def _check_end(table: Any, path: Path) -> None:
    """Raise when the last row goes over lines because a quote was left open."""
    last = table.slice(table.num_rows - 1).to_pylist()
    if any("\n" in cell or "\r" in cell for row in last for cell in row.values()):
        _check_rows(path)


def _check_rows(path: Path) -> None:
    with open_text_table(path) as table:
        for _ in table.rows:
            pass


def _replace_cell(row: Record, place: int, value: Any, delimiter: str) -> Record:
    """The row with one cell replaced where it stands."""
    text = "" if value is None else str(value)
    if text == row.cells[place]:
        return row
    start, end = _find_cell(row.raw, place, delimiter)
    # An empty cell alone on its line would be a blank line, and blank lines are not rows.
    quoted = row.raw[start:end].startswith('"') or (not text and len(row.cells) == 1)
    text = _quote(text, delimiter, always=quoted)
    return row._replace(raw=row.raw[:start] + text + row.raw[end:])


def _append_cell(row: Record, value: Any, delimiter: str) -> Record:
    """The row with one cell more, before the end of its line."""
    _, end = _find_cell(row.raw, len(row.cells) - 1, delimiter)
    text = _quote("" if value is None else str(value), delimiter)
    return row._replace(raw=row.raw[:end] + delimiter + text + row.raw[end:])


def _find_cell(raw: str, place: int, delimiter: str) -> tuple[int, int]:
    """Where a cell stands in its row, which blank lines and a mark may come before."""
    cell = _compile_cell(delimiter)
    start = len(raw) - len(raw.lstrip(f"{MARK}\r\n"))
    for _ in range(place):
        start = cell.match(raw, start).end() + 1  # type: ignore[union-attr]
    return start, cell.match(raw, start).end()  # type: ignore[union-attr]


def _quote(text: str, delimiter: str, *, always: bool = False) -> str:
    if always or re.search(f'["\r\n{re.escape(delimiter)}]', text):
        return '"' + text.replace('"', '""') + '"'
    return text


@cache
def _compile_cell(delimiter: str) -> re.Pattern[str]:
    """One cell as the csv module reads it: a quote counts where a cell begins, and only there."""
    rest = rf"[^{re.escape(delimiter)}\r\n]*"
    return re.compile(rf'"(?:[^"]|"")*+(?:"{rest}|\Z)|{rest}')


@contextmanager
def open_text_table(path: Path) -> Iterator[TextTable]:
    """Open a table whose encoding and delimiter are to be found out."""
    with readable(path):
        encoding = detect_encoding(path)
        delimiter = _find_delimiter(path, encoding)
        with open_text(path, "r", encoding) as stream, _lift_cell_limit():
            yield TextTable(path, stream, encoding, delimiter)


@contextmanager
def _lift_cell_limit() -> Iterator[None]:
    """Lift the limit of 131,072 characters that the csv module has, and put it back."""
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def _find_delimiter(path: Path, encoding: str) -> str:
    if is_tsv(path):
        return "\t"
    with open_text(path, "r", encoding) as stream:
        first_line = next((line for line in stream if line.strip(MARK + " \r\n")), "")
    outside_quotes = re.sub(r'"[^"]*"', "", first_line)
    return max(",;\t|", key=outside_quotes.count)  # the comma when none of them occurs


def is_tsv(path: Path) -> bool:
    """Whether the name says that cells are separated by tabs."""
    return ".tsv" in (suffix.lower() for suffix in path.suffixes)


def _iterate_records(stream: IO[str], delimiter: str, path: Path) -> Iterator[Record]:
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


def _check_records(
    records: Iterator[Record], header: Record, delimiter: str, path: Path
) -> Iterator[Record]:
    width = len(header.cells)
    for record in records:
        lines = record.raw.splitlines()
        if len(lines) > 1 and _is_open(record.raw, delimiter):
            raise ValueError(
                f'a quote (") opens a cell in line {record.line - len(lines) + 1} of {path} and is '
                "never closed, so that the rest of the file would be one cell; close it, or write "
                'it twice ("") where it is part of the text.'
            )
        if len(record.cells) != width:
            raise ValueError(
                f"line {record.line} of {path} has {plural(len(record.cells), 'cell')}, "
                f"but the header has {width}."
            )
        yield record


def _is_open(raw: str, delimiter: str) -> bool:
    """Whether the last cell begins with a quote that nothing closes."""
    try:
        list(csv.reader(raw.splitlines(keepends=True), delimiter=delimiter, strict=True))
    except csv.Error as error:
        return "unexpected end of data" in str(error)
    return False
