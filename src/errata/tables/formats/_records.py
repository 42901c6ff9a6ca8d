"""Parts that formats share: endings and encodings, rows as they stand, changes to them."""

import gzip
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..._files import is_packed, open_text
from ..._format import instead

MARK = "\ufeff"  # the byte order mark
COPIED_ROWS = 1 << 14  # of text, in memory at a time while a table is copied

TEXT = (".csv", ".tsv", ".txt")
JSON = (".jsonl", ".ndjson")
COLUMNAR = (".parquet", ".feather")
EXCEL = (".xlsx", ".xls", ".ods")
_KNOWN = (*TEXT, *JSON, *COLUMNAR, *EXCEL)

_SAMPLE = 1 << 16  # bytes looked at to tell text from other things
_CHUNK = 1 << 20

_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_MARKS_OF_UTF_32 = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")  # the first begins as that of UTF-16

# How files begin that end up under the wrong name.
_OTHER_KINDS = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\x1f\x8b": "compressed with gzip (add .gz to its name)",
    b"PAR1": "a Parquet file",
    b"ARROW1": "a Feather file",
    b"<!doctype html": "a web page",
    b"<html": "a web page",
}


class NoRowsError(ValueError):
    """A table is one, but has no rows."""


class Record(NamedTuple):
    """One row: its text, line end included, and what it says (None when it is blank)."""

    raw: str
    cells: Any
    line: int


class Change(NamedTuple):
    """Changes to a table as it is copied, some rows at a time, in their order.

    ``of(start, cells)`` is given the cells of the column in rows from ``start`` on, and says which
    of these rows stay and what the cells become. Without a name the cells are all None, and so are
    those of a column that is new, which is put behind the others.
    """

    name: str | None
    of: Callable[[int, list[Any]], tuple[Sequence[bool] | np.ndarray, list[Any]]]
    n_rows: int | None = None  # how many the table must have
    is_new: bool = False

    def place_in(self, header: Sequence[str], path: Path) -> int | None:
        """Where the column stands among others; None where there is none, or it is new."""
        if self.is_new:
            self.check_new(header, path)
        if self.name is None or self.is_new:
            return None
        check_named_once(header, [self.name], path)
        return list(header).index(self.name)

    def check_new(self, header: Container[str], path: Path) -> None:
        """Raise when there is such a column already."""
        if self.name in header:
            raise ValueError(f"{path} has a column {self.name!r} already; rename it.")


def make_change(
    keep: np.ndarray, name: str | None, values: list[Any], *, is_new: bool = False
) -> Change:
    """A change that is known for all rows before any is read."""

    def of(start: int, cells: list[Any]) -> tuple[np.ndarray, list[Any]]:
        rows = slice(start, start + len(cells))
        return keep[rows], values[rows]

    return Change(name, of, len(keep), is_new)


def attach_blank_lines(records: Iterable[Record]) -> Iterator[Record]:
    """Attach blank lines to the row before them (to the first row when they open the file)."""
    before: Record | None = None
    for record in records:
        if before is None:
            before = record
        elif record.cells is None:
            before = before._replace(raw=before.raw + record.raw)
        elif before.cells is None:
            before = record._replace(raw=before.raw + record.raw)
        else:
            yield before
            before = record
    if before is not None:
        yield before


def apply_change(
    records: Iterable[Record], cell: Callable[[Record], Any], change: Change, path: Path
) -> Iterator[tuple[Record, Any]]:
    """The rows that stay, each with its new cell; raise when there are more or fewer rows."""
    records = iter(records)
    n_rows = 0
    while some := list(islice(records, COPIED_ROWS)):
        keep, values = change.of(n_rows, list(map(cell, some)))
        n_rows += len(some)
        # Rows beyond those that were expected have no values, and an error comes at the end.
        changed = zip(some, keep, values, strict=False)
        yield from ((record, value) for record, kept, value in changed if kept)
    check_row_count(n_rows, change.n_rows, path)


def check_row_count(rows: int, given: int | None, path: Path) -> None:
    """Raise when a table does not have as many rows as values were given."""
    if given is not None and rows != given:
        raise ValueError(f"{path} has {rows} rows, but {given} values were given.")


def check_named_once(header: Sequence[str], names: Sequence[str], path: Path | str) -> None:
    """Raise when a table has no column of one of these names, or several."""
    times = Counter(header)
    for name in names:
        if times[name] > 1:
            raise ValueError(
                f"{path} has {times[name]} columns named {name!r}; rename one of them."
            )
        if not times[name]:
            raise ValueError(f"{path} has no column {name!r}; {instead(name, header)}")


def check_same_columns(columns: tuple[str, ...], first: str, names: list[str], shown: str) -> None:
    """Raise when a file has other columns than the first one."""
    for name in columns:
        if name not in names:
            raise ValueError(
                f"{shown} has no column {name!r}, but {first} has; all files of a table need "
                "the same columns."
            )
    for name in names:
        if name not in columns:
            raise ValueError(
                f"{shown} has a column {name!r}, but {first} has none; all files of a table need "
                "the same columns."
            )
    check_named_once(names, names, shown)


def get_ending(path: Path) -> str:
    """The format of a table by its name, compressed or not; raise when the name does not say."""
    if is_table_name(path):
        return _drop_gz(path).suffix.lower()
    known = ", ".join(sorted(_KNOWN))
    lines = "; JSON of one object a line is .jsonl" if ".json" in path.suffixes else ""
    raise ValueError(
        f"{path.name} has no ending that errata knows ({known}; text also with .gz{lines})."
    )


def is_table_name(path: Path) -> bool:
    """Whether the name of a file says that it is a table of a format that errata reads."""
    return _drop_gz(path).suffix.lower() in ((*TEXT, *JSON) if is_packed(path) else _KNOWN)


def make_sort_key(path: Path) -> list[Any]:
    """A key to sort names by as people do, numbers in them by what they are worth."""
    return [int(piece) if piece.isdigit() else piece for piece in re.split("([0-9]+)", str(path))]


def _drop_gz(path: Path) -> Path:
    return Path(path.stem) if is_packed(path) else path


def detect_encoding(path: Path) -> str:
    """The encoding of a text file; raise when it is empty or something else.

    UTF-16 is told by its byte order mark, UTF-8 by being UTF-8 throughout. Anything else is taken
    for Windows-1252, or for Latin-1 where that has no such character: both give back every byte as
    it was. A byte order mark is left to the caller, who sees it as the first character.
    """
    with gzip.open(path) if is_packed(path) else path.open("rb") as stream:
        sample = stream.read(_SAMPLE)
    if not sample.strip():
        raise ValueError(f"{path} is empty.")
    if sample[:4] in _MARKS_OF_UTF_32:
        raise ValueError(f"{path} is UTF-32 text, which errata does not read; save it as UTF-8.")
    if sample[:2] in _MARKS:
        _decode(path, _MARKS[sample[:2]])
        return _MARKS[sample[:2]]
    start = sample.lstrip()[:20]
    for beginning, kind in _OTHER_KINDS.items():
        if start.startswith(beginning) or start.lower().startswith(beginning):
            raise ValueError(f"{path} is {kind}, whatever its name says.")
    if b"\0" in sample:
        raise ValueError(f"{path} is not a text table: it holds binary data.")
    return next(name for name in ("utf-8", "cp1252", "latin-1") if _can_decode(path, name))


def _can_decode(path: Path, encoding: str) -> bool:
    try:
        _decode(path, encoding)
    except UnicodeDecodeError:
        return False
    return True


def _decode(path: Path, encoding: str) -> None:
    """Go through the whole file, so that whoever reads it after that meets no surprise."""
    with open_text(path, "r", encoding) as stream:
        while stream.read(_CHUNK):
            pass
