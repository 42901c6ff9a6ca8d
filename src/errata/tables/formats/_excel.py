"""Spreadsheets: the first sheet read by calamine; workbooks and copies written by openpyxl.

Excel has one kind of number and lets every cell be of another kind; a column here is of one. Whole
numbers become integers, and where kinds are mixed, all cells become the text that Excel shows.

A copy is the workbook itself with cells changed and rows taken out, so that widths, formats,
colours and the other sheets stay. Formulas of the sheet become the values they showed: rows that
move up would leave them pointing elsewhere, and no other program could read what openpyxl has not
computed.
"""

import datetime
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from math import inf
from pathlib import Path
from typing import Any

from ..._files import atomic_path, readable
from ..._format import join_names, plural
from ..._optional import require
from ._records import Change, NoRowsError, check_named_once, check_row_count

_EXACT = 2**53  # beyond, not every whole number is one of Excel's

# of Excel's own making
MOST_ROWS = 1_048_576
MOST_COLUMNS = 16_384
MOST_CHARACTERS = 32_767
_KNOWN = (bool, int, float, str, datetime.date, datetime.time, datetime.timedelta)


def read(path: Path, names: Sequence[str] | None) -> Any:
    """The named columns (all when None) of the first sheet, as an Arrow table."""
    import pyarrow

    sheet = Sheet(path)
    names = sheet.header if names is None else list(names)
    check_named_once(sheet.header, names, path)
    columns = [convert_to_one_kind(sheet.cells(name)) for name in names]
    return pyarrow.table(dict(zip(names, columns, strict=True)))


class Sheet:
    """The first sheet of a workbook, which holds the table: rows that are not empty, their names.

    Raises a sentence when there is no table at its top.
    """

    def __init__(self, path: Path) -> None:
        with _open_workbook(path) as workbook:
            found = workbook.get_sheet_by_index(0)
            rows = found.to_python(skip_empty_area=False)
            merged = found.merged_cell_ranges or []
            others = workbook.sheet_names[1:]
        cells = ([None if cell == "" else cell for cell in row] for row in rows)
        filled = [(i, row) for i, row in enumerate(cells, 1) if any(c is not None for c in row)]
        if not filled:
            front = f"; move the sheet with the table ({join_names(others, 5)}) to the front"
            hint = front if others else ""
            raise ValueError(f"{path} has nothing in its first sheet, {found.name!r}{hint}.")
        (header_line, header), *body = filled
        if not body:
            raise NoRowsError(f"{path} has a header but no rows.")
        if merged:
            (row, column), _ = merged[0]
            raise ValueError(
                f"{path} has merged cells (the first at {_format_cell_name(row, column)}), so that "
                "nobody knows which rows and columns they are for; split them and fill in the "
                "values."
            )
        self.name = found.name
        self.rows: list[list[Any]] = [row for _, row in body]  # None where a cell is empty
        self.header_line = header_line
        self.lines = [line for line, _ in body]  # where each row stands, counted from 1
        self.width = len(header)  # columns, those without a name or a value included
        self.places = _find_columns(header, self.rows, path)  # that are named, counted from 0
        self.header = [_format_cell(header[place]) for place in self.places]

    def cells(self, name: str) -> list[Any]:
        """One column as it stands in the sheet."""
        place = self.places[self.header.index(name)]
        return [row[place] for row in self.rows]


@contextmanager
def _open_workbook(path: Path) -> Iterator[Any]:
    calamine = require("python_calamine", extra="excel")
    with readable(path):
        if path.stat().st_size == 0:
            raise ValueError(f"{path} is empty.")
        path.open("rb").close()  # says so when it may not be read; later, an error means damage
        try:
            workbook = calamine.load_workbook(path)
        except calamine.PasswordError as error:
            raise ValueError(f"{path} is locked with a password; save it without one.") from error
        except (calamine.CalamineError, OSError) as error:
            raise ValueError(
                f"{path} is not a workbook, whatever its name says, or it is damaged."
            ) from error
        try:
            yield workbook
        finally:
            workbook.close()


def _find_columns(header: list[Any], rows: list[list[Any]], path: Path) -> list[int]:
    """The columns that hold something; raise when the first row does not name them.

    The first may be nameless, as programs write the numbers of rows so.
    """
    used = [
        place
        for place, name in enumerate(header)
        if name is not None or any(row[place] is not None for row in rows)
    ]
    nameless = [place for place in used[1:] if header[place] is None]
    if nameless:
        named = len(used) - len(nameless)
        raise ValueError(
            f"{path} names {plural(named, 'column')} in the first row of its first sheet, but "
            f"{len(used)} hold something; the first row must be the names, one for each column, so "
            "delete what stands above them and split merged cells."
        )
    return used


def _format_cell_name(row: int, column: int) -> str:
    """A cell as Excel calls it.

    >>> _format_cell_name(2, 27)
    'AB3'
    """
    letters = ""
    column = column + 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def convert_to_one_kind(cells: list[Any]) -> list[Any]:
    """Cells of one kind: whole numbers, numbers, booleans, times, time spans, or text for all.

    Examples
    --------
    >>> convert_to_one_kind([1.0, None, 2.0]), convert_to_one_kind([1.0, 2.5])
    ([1, None, 2], [1.0, 2.5])
    >>> convert_to_one_kind([3.0, "3b", True])
    ['3', '3b', 'TRUE']
    """
    kinds = {type(cell) for cell in cells if cell is not None}
    for accepted, converted in _KINDS:
        if kinds <= accepted:
            return _convert(cells, converted)
    return _convert(cells, _format_cell)


def _convert(cells: list[Any], to: Callable[[Any], Any]) -> list[Any]:
    if to is float and all(cell is None or _is_whole(cell) for cell in cells):
        to = int
    return [None if cell is None else to(cell) for cell in cells]


def _is_whole(number: float) -> bool:
    return float(number).is_integer() and abs(number) <= _EXACT


def _convert_to_moment(day: Any) -> datetime.datetime:
    if isinstance(day, datetime.datetime):
        return day
    return datetime.datetime.combine(day, datetime.time())


def _convert_to_span(time: Any) -> datetime.timedelta:
    """A time of the day as the span since midnight."""
    if isinstance(time, datetime.timedelta):
        return time
    return (
        _convert_to_moment(datetime.datetime.combine(datetime.date.min, time))
        - datetime.datetime.min
    )


_KINDS: list[tuple[set[type], Callable[[Any], Any]]] = [
    ({bool}, bool),
    ({int, float}, float),
    ({datetime.date, datetime.datetime}, _convert_to_moment),
    ({datetime.time, datetime.timedelta}, _convert_to_span),
]


def _format_cell(cell: Any) -> str:
    """A cell as Excel would show it, about."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and _is_whole(cell):
        return str(int(cell))
    return str(cell)


def write(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write a new workbook of one sheet."""
    if path.suffix.lower() != ".xlsx":
        raise ValueError(f"{path} would be of a format that errata only reads; write .xlsx.")
    rows = [[*columns], *zip(*columns.values(), strict=True)]
    n_rows = len(rows) - 1
    if n_rows >= MOST_ROWS or len(columns) > MOST_COLUMNS:
        raise ValueError(
            f"{path} cannot hold {n_rows:,} rows of {len(columns):,} columns; Excel takes "
            f"{MOST_ROWS - 1:,} of {MOST_COLUMNS:,}, so write another format, as .csv or .parquet."
        )
    rows = [[_check_value(value, path) for value in row] for row in rows]
    workbook = require("openpyxl", extra="excel").Workbook(write_only=True)
    sheet = workbook.create_sheet("Sheet1")
    new = require("openpyxl.cell", extra="excel").WriteOnlyCell
    for row in rows:
        sheet.append([_set(new(sheet), value) for value in row])
    with atomic_path(path) as temporary:
        workbook.save(temporary)


def copy(source: Path, target: Path, change: Change) -> None:
    """Copy a workbook with some of the table changed."""
    sheet = Sheet(source)
    check_row_count(len(sheet.rows), change.n_rows, source)
    keep, values = _apply_change(sheet, change, source)
    if source.suffix.lower() != ".xlsx":  # an older format, which openpyxl does not read
        _write_anew(sheet, keep, values, change.name, target)
        return
    workbook = require("openpyxl", extra="excel").load_workbook(source)
    page = workbook[sheet.name]
    _write_values(page, sheet)
    if change.is_new:
        _set(page.cell(sheet.header_line, sheet.width + 1), change.name)
        for line, new in zip(sheet.lines, values, strict=True):
            _set(page.cell(line, sheet.width + 1), _check_value(new, target))
    elif change.name is not None:
        column = sheet.places[sheet.header.index(change.name)] + 1
        for line, old, new in zip(sheet.lines, sheet.cells(change.name), values, strict=True):
            if new != old:
                _set(page.cell(line, column), _check_value(new, target))
    _take_out(page, [line for line, kept in zip(sheet.lines, keep, strict=True) if not kept])
    with atomic_path(target) as temporary:
        workbook.save(temporary)


def _apply_change(sheet: Sheet, change: Change, source: Path) -> tuple[Any, list[Any]]:
    """Which rows stay, and what the cells of the column become; a cell that stays is itself.

    Where a column of several kinds was read as text, "3" is the number 3 again.
    """
    place = change.place_in(sheet.header, source)
    if place is None:
        return change.of(0, [None] * len(sheet.rows))
    cells = sheet.cells(sheet.header[place])
    read = convert_to_one_kind(cells)
    keep, values = change.of(0, read)
    as_written = dict(zip(read, cells, strict=True))
    return keep, [as_written.get(value, value) for value in values]


def _write_anew(sheet: Sheet, keep: Any, values: list[Any], name: str | None, target: Path) -> None:
    columns = {column: sheet.cells(column) for column in sheet.header}
    if name is not None:
        columns[name] = values
    stay = [row for row, kept in enumerate(keep) if kept]
    write(target, {k: [cells[row] for row in stay] for k, cells in columns.items()})


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
    last = page.max_row
    width = page.max_column
    cell_range = require("openpyxl.worksheet.cell_range", extra="excel").CellRange
    looks = {line: look for line, look in page.row_dimensions.items() if line not in set(lines)}
    for first, end, up in _find_runs(lines, last):
        page.move_range(cell_range(min_row=first, max_row=end, min_col=1, max_col=width), rows=-up)
    page.delete_rows(last - len(lines) + 1, len(lines))
    _move_looks(page, looks, lines)
    for table in page.tables.values():
        table.ref = _shrink(table.ref, lines)
    if page.auto_filter.ref:
        page.auto_filter.ref = _shrink(page.auto_filter.ref, lines)


def _find_runs(lines: list[int], last: int) -> Iterator[tuple[int, int, int]]:
    """First and last row of each run that stays below the first that goes, and how far it moves.

    >>> list(_find_runs([2, 3, 6], last=9))
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


def _shrink(ref: str, lines: list[int]) -> str:
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


def _check_value(value: Any, path: Path) -> Any:
    """The value, if Excel can hold it; NaN, which is a gap among numbers, as an empty cell."""
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
