"""Workbooks written by openpyxl: a new one, or a copy that looks as the original does.

A copy is the workbook itself with cells changed and rows taken out, so that widths, formats,
colours and the other sheets stay. Formulas of the sheet become the values they showed: rows that
move up would leave them pointing elsewhere, and no other program could read what openpyxl has not
computed.
"""

import datetime
from bisect import bisect_left
from collections.abc import Iterator
from itertools import groupby
from math import inf
from pathlib import Path
from typing import Any

from .._files import atomic_path
from .._optional import require
from ._excel import Sheet, as_one_kind, cells_of, read_sheet
from ._records import Change, check_named_once, check_row_count

MOST_ROWS, MOST_COLUMNS, MOST_CHARACTERS = 1_048_576, 16_384, 32_767  # of Excel's own making
_KNOWN = (bool, int, float, str, datetime.date, datetime.time, datetime.timedelta)


def write_excel(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write a new workbook of one sheet."""
    if path.suffix.lower() != ".xlsx":
        raise ValueError(f"{path} would be of a format that errata only reads; write .xlsx.")
    rows = [[*columns], *zip(*columns.values(), strict=True)]
    _check_size(len(rows) - 1, len(columns), path)
    rows = [[_checked(value, path) for value in row] for row in rows]
    workbook = require("openpyxl", extra="excel").Workbook(write_only=True)
    sheet = workbook.create_sheet("Sheet1")
    new = require("openpyxl.cell", extra="excel").WriteOnlyCell
    for row in rows:
        sheet.append([_set(new(sheet), value) for value in row])
    with atomic_path(path) as temporary:
        workbook.save(temporary)


def copy_excel(source: Path, target: Path, change: Change) -> None:
    """Copy a workbook with some of the table changed."""
    sheet = read_sheet(source)
    check_row_count(len(sheet.rows), change.n_rows, source)
    keep, values = _changes(sheet, change, source)
    if source.suffix.lower() != ".xlsx":  # an older format, which openpyxl does not read
        _write_anew(sheet, keep, values, change.name, target)
        return
    workbook = require("openpyxl", extra="excel").load_workbook(source)
    page = workbook[sheet.name]
    _write_values(page, sheet)
    if change.name is not None:
        column = sheet.places[sheet.header.index(change.name)] + 1
        for line, old, new in zip(sheet.lines, cells_of(sheet, change.name), values, strict=True):
            if new != old:
                _set(page.cell(line, column), _checked(new, target))
    _take_out(page, [line for line, kept in zip(sheet.lines, keep, strict=True) if not kept])
    with atomic_path(target) as temporary:
        workbook.save(temporary)


def _changes(sheet: Sheet, change: Change, source: Path) -> tuple[Any, list[Any]]:
    """Which rows stay, and what the cells of the column become; a cell that stays is itself.

    Where a column of several kinds was read as text, "3" is the number 3 again.
    """
    if change.name is None:
        return change.of(0, [None] * len(sheet.rows))
    check_named_once(sheet.header, [change.name], source)
    cells = cells_of(sheet, change.name)
    read = as_one_kind(cells)
    keep, values = change.of(0, read)
    as_written = dict(zip(read, cells, strict=True))
    return keep, [as_written.get(value, value) for value in values]


def _write_anew(sheet: Sheet, keep: Any, values: list[Any], name: str | None, target: Path) -> None:
    columns = {column: cells_of(sheet, column) for column in sheet.header}
    if name is not None:
        columns[name] = values
    stay = [row for row, kept in enumerate(keep) if kept]
    write_excel(target, {k: [cells[row] for row in stay] for k, cells in columns.items()})


def _write_values(page: Any, sheet: Sheet) -> None:
    """Put the value of every formula in its place."""
    for line, row in zip(sheet.lines, sheet.rows, strict=True):
        for place, value in enumerate(row, 1):
            cell = page.cell(line, place)
            if cell.data_type == "f":
                cell.value = value


def _take_out(page: Any, lines: list[int]) -> None:
    """Remove rows of a sheet, each run of rows between them moving up once."""
    if not lines:
        return
    last, width = page.max_row, page.max_column
    cell_range = require("openpyxl.worksheet.cell_range", extra="excel").CellRange
    looks = {line: look for line, look in page.row_dimensions.items() if line not in set(lines)}
    for first, end, up in _runs(lines, last):
        page.move_range(cell_range(min_row=first, max_row=end, min_col=1, max_col=width), rows=-up)
    page.delete_rows(last - len(lines) + 1, len(lines))
    _move_looks(page, looks, lines)
    for table in page.tables.values():
        table.ref = _shorter(table.ref, lines)
    if page.auto_filter.ref:
        page.auto_filter.ref = _shorter(page.auto_filter.ref, lines)


def _runs(lines: list[int], last: int) -> Iterator[tuple[int, int, int]]:
    """First and last row of each run that stays below the first that goes, and how far it moves.

    >>> list(_runs([2, 3, 6], last=9))
    [(4, 5, 2), (7, 9, 3)]
    """
    gone = set(lines)
    below = range(min(lines), last + 1)
    up = 0
    for goes, run in groupby(below, gone.__contains__):
        rows = list(run)
        if goes:
            up += len(rows)
        else:
            yield rows[0], rows[-1], up


def _move_looks(page: Any, looks: dict[int, Any], lines: list[int]) -> None:
    """Heights of rows, and whether they are hidden, go with them."""
    page.row_dimensions.clear()
    for line, look in looks.items():
        look.index = line - bisect_left(lines, line)
        page.row_dimensions[look.index] = look


def _shorter(ref: str, lines: list[int]) -> str:
    """A range of cells without some of its rows; a table has one row at least."""
    span = require("openpyxl.worksheet.cell_range", extra="excel").CellRange(ref)
    inside = sum(span.min_row <= line <= span.max_row for line in lines)
    span.shrink(bottom=min(inside, span.max_row - span.min_row - 1))
    return span.coord


def _set(cell: Any, value: Any) -> Any:
    """The cell with a value that was checked; a text that begins with "=" stays a text."""
    cell.value = value
    if isinstance(value, str):
        cell.data_type = "s"
    return cell


def _checked(value: Any, path: Path) -> Any:
    """What Excel can hold; NaN, which is a gap among numbers, as an empty cell."""
    if value is None or value != value:
        return None
    if not isinstance(value, _KNOWN) or value in (inf, -inf):
        raise ValueError(f"{path} cannot hold {value!r}; Excel knows texts, numbers and dates.")
    if not isinstance(value, str):
        return value
    if len(value) > MOST_CHARACTERS:
        raise ValueError(
            f"{path} cannot hold a text of {len(value):,} characters; Excel takes "
            f"{MOST_CHARACTERS:,}, so write another format, as .csv or .parquet."
        )
    if require("openpyxl.cell.cell", extra="excel").ILLEGAL_CHARACTERS_RE.search(value):
        raise ValueError(
            f"{path} cannot hold {value!r}: it has control characters, which Excel does not take."
        )
    return value


def _check_size(n_rows: int, n_columns: int, path: Path) -> None:
    if n_rows >= MOST_ROWS or n_columns > MOST_COLUMNS:
        raise ValueError(
            f"{path} cannot hold {n_rows:,} rows of {n_columns:,} columns; Excel takes "
            f"{MOST_ROWS - 1:,} of {MOST_COLUMNS:,}, so write another format, as .csv or .parquet."
        )
