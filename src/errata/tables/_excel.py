"""Spreadsheets: the first sheet of a workbook, read by calamine, each column with one type.

Excel has one kind of number and lets every cell be of another kind; a column here is of one. Whole
numbers become integers, and where kinds are mixed, all cells become the text that Excel shows.
"""

import datetime
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from .._files import readable
from .._format import listed, plural
from .._optional import require
from ._records import NoRowsError, check_named_once

_EXACT = 2**53  # beyond, not every whole number is one of Excel's


class Sheet(NamedTuple):
    """The sheet that holds the table: its names, and the cells of the rows that are not empty."""

    name: str
    header: list[str]
    rows: list[list[Any]]  # None where a cell is empty
    lines: list[int]  # where in the sheet each row stands, counted from 1
    width: int  # columns of the sheet, those without a name or a value included
    places: list[int]  # columns of the sheet that the header names, counted from 0


def read_excel(path: Path, names: Sequence[str] | None) -> Any:
    """The named columns (all when None) of the first sheet, as an Arrow table."""
    sheet = read_sheet(path)
    names = sheet.header if names is None else list(names)
    check_named_once(sheet.header, names, path)
    columns = [as_one_kind(cells_of(sheet, name)) for name in names]
    return require("pyarrow", extra="tables").table(dict(zip(names, columns, strict=True)))


def cells_of(sheet: Sheet, name: str) -> list[Any]:
    """One column as it stands in the sheet."""
    place = sheet.places[sheet.header.index(name)]
    return [row[place] for row in sheet.rows]


def read_sheet(path: Path) -> Sheet:
    """The first sheet of a workbook; raise a sentence when there is no table at its top."""
    with _opened(path) as workbook:
        found = workbook.get_sheet_by_index(0)
        rows = found.to_python(skip_empty_area=False)
        merged = found.merged_cell_ranges or []
        others = workbook.sheet_names[1:]
    filled = [(line, row) for line, row in enumerate(map(_cells, rows), 1) if _is_filled(row)]
    if not filled:
        hint = f"; move the sheet with the table ({listed(others, 5)}) to the front" * bool(others)
        raise ValueError(f"{path} has nothing in its first sheet, {found.name!r}{hint}.")
    (_, header), *body = filled
    if not body:
        raise NoRowsError(f"{path} has a header but no rows.")
    lines, cells = [line for line, _ in body], [row for _, row in body]
    _check_not_merged(merged, path)
    places = _named_places(header, cells, path)
    return Sheet(found.name, [_shown(header[p]) for p in places], cells, lines, len(header), places)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
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


def _cells(row: list[Any]) -> list[Any]:
    return [None if cell == "" else cell for cell in row]


def _is_filled(row: list[Any]) -> bool:
    return any(cell is not None for cell in row)


def _named_places(header: list[Any], rows: list[list[Any]], path: Path) -> list[int]:
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


def _check_not_merged(merged: list[Any], path: Path) -> None:
    if merged:
        (row, column), _ = merged[0]
        raise ValueError(
            f"{path} has merged cells (the first at {_place(row, column)}), so that nobody knows "
            "which rows and columns they are for; split them and fill in the values."
        )


def _place(row: int, column: int) -> str:
    """A cell as Excel calls it.

    >>> _place(2, 27)
    'AB3'
    """
    letters, column = "", column + 1
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return f"{letters}{row + 1}"


def as_one_kind(cells: list[Any]) -> list[Any]:
    """Cells of one kind: whole numbers, numbers, booleans, times, time spans, or text for all.

    Examples
    --------
    >>> as_one_kind([1.0, None, 2.0]), as_one_kind([1.0, 2.5]), as_one_kind([3.0, "3b", True])
    ([1, None, 2], [1.0, 2.5], ['3', '3b', 'TRUE'])
    """
    kinds = {type(cell) for cell in cells if cell is not None}
    for accepted, converted in _KINDS:
        if kinds <= accepted:
            return _converted(cells, converted)
    return _converted(cells, _shown)


def _converted(cells: list[Any], to: Callable[[Any], Any]) -> list[Any]:
    if to is float and all(cell is None or _is_whole(cell) for cell in cells):
        to = int
    return [None if cell is None else to(cell) for cell in cells]


def _is_whole(number: float) -> bool:
    return float(number).is_integer() and abs(number) <= _EXACT


def _as_moment(day: Any) -> datetime.datetime:
    if isinstance(day, datetime.datetime):
        return day
    return datetime.datetime.combine(day, datetime.time())


def _as_span(time: Any) -> datetime.timedelta:
    """A time of the day as the span since midnight."""
    if isinstance(time, datetime.timedelta):
        return time
    return _as_moment(datetime.datetime.combine(datetime.date.min, time)) - datetime.datetime.min


_KINDS: list[tuple[set[type], Callable[[Any], Any]]] = [
    ({bool}, bool),
    ({int, float}, float),
    ({datetime.date, datetime.datetime}, _as_moment),
    ({datetime.time, datetime.timedelta}, _as_span),
]


def _shown(cell: Any) -> str:
    """A cell as Excel would show it, about."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and _is_whole(cell):
        return str(int(cell))
    return str(cell)
