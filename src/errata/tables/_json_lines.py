"""JSON lines, line by line: the rows as they stand in the file, copies with some of it changed."""

import json
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .._files import atomic_path, open_text, readable
from ._charset import text_encoding
from ._records import MARK, Change, Record, changed, with_blank_lines

_COLON = re.compile(r"\s*:\s*")
_COMMA = re.compile(r"\s*,?\s*")


@contextmanager
def json_lines(path: Path) -> Iterator[tuple[str, Iterator[Record]]]:
    """Give the encoding and an iterator over the rows."""
    with readable(path):
        encoding = text_encoding(path)
        with open_text(path, "r", encoding) as stream:
            yield encoding, json_records(stream, path)


def copy_json_lines(source: Path, target: Path, change: Change) -> None:
    """Copy a table line by line; what does not change keeps every byte."""
    found = change.name is None

    def cell(row: Record) -> Any:
        nonlocal found
        found = found or change.name in row.cells
        return row.cells.get(change.name)

    with atomic_path(target) as temporary, json_lines(source) as (encoding, records):
        with open_text(temporary, "w", encoding) as stream:
            for row, value in changed(records, cell, change, source):
                stream.write(row.raw if change.name is None else _with(row, change.name, value))
        if not found:  # known at the end only; nothing has been put in place yet
            raise ValueError(f"{source} has no column {change.name!r}.")


def write_json_lines(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write a new table."""
    with atomic_path(path) as temporary, open_text(temporary, "w", "utf-8") as stream:
        for row in zip(*columns.values(), strict=True):
            cells = (f"{_dumps(name)}: {_dumps(v)}" for name, v in zip(columns, row, strict=True))
            stream.write("{" + ", ".join(cells) + "}\n")


def json_records(lines: Iterable[str], path: Path, before: int = 0) -> Iterator[Record]:
    """The rows that some lines hold, of which there are others before."""
    return with_blank_lines(_records(lines, path, before))


def _records(lines: Iterable[str], path: Path, before: int) -> Iterator[Record]:
    for number, line in enumerate(lines, start=before + 1):
        text = line.removeprefix(MARK) if number == 1 else line
        yield Record(line, _parsed(text, number, path) if text.strip() else None, number)


def _parsed(text: str, number: int, path: Path) -> dict[str, Any]:
    try:
        value = json.loads(text, object_pairs_hook=_without_duplicates)
    except _DuplicateKeyError as error:
        raise ValueError(f"line {number} of {path} has the key {error} twice.") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"line {number} of {path} is not JSON ({error}); JSON lines hold one object per line."
        ) from error
    if not isinstance(value, dict):
        raise ValueError(
            f"line {number} of {path} holds a JSON {_kind(value)}; JSON lines hold one object "
            'per line, such as {"weight": 4.0, "pet": "cat"}.'
        )
    return value


class _DuplicateKeyError(Exception):
    """A key stands twice in an object, so that one of its values would be lost."""


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _DuplicateKeyError(repr(next(key for key in keys if keys.count(key) > 1)))
    return found


def _kind(value: Any) -> str:
    return {list: "array", str: "string", bool: "boolean"}.get(type(value), "number or null")


def _with(row: Record, name: str, value: Any) -> str:
    """The line with one value replaced where it stands, or added when the line lacks it."""
    if row.cells.get(name) == value and type(row.cells.get(name)) is type(value):
        return row.raw
    if name in row.cells:
        start, end = _span(row.raw, name)
        return row.raw[:start] + _dumps(value) + row.raw[end:]
    brace = row.raw.rindex("}")
    comma = ", " if row.cells else ""
    return f"{row.raw[:brace]}{comma}{_dumps(name)}: {_dumps(value)}{row.raw[brace:]}"


def _span(line: str, name: str) -> tuple[int, int]:
    """Where the value of a key stands in a line that is known to hold an object with that key."""
    decode = json.JSONDecoder().raw_decode
    end = line.index("{") + 1
    key = None
    while key != name:
        key, end = decode(line, _COMMA.match(line, end).end())  # type: ignore[union-attr]
        start = _COLON.match(line, end).end()  # type: ignore[union-attr]
        _, end = decode(line, start)
    return start, end


def _dumps(value: Any) -> str:
    """JSON has no NaN: a missing number is null."""
    if isinstance(value, float) and math.isnan(value):
        value = None
    return json.dumps(value, ensure_ascii=False)
