"""JSON lines: as an Arrow table with a column per key, and line by line as they stand."""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from typing import Any

from ..._files import atomic_path, is_packed, open_text, readable
from ._records import (
    MARK,
    Change,
    Record,
    apply_change,
    attach_blank_lines,
    check_named_once,
    detect_encoding,
)

_LONGEST = 1 << 24  # bytes of a line that Arrow is asked to parse
_BLOCK = 1 << 22  # characters of the lines that are in memory at a time

_COLON = re.compile(r"\s*:\s*")
_COMMA = re.compile(r"\s*,?\s*")
_DEEPEST = 32  # levels in a line: far below what makes Arrow overflow the stack, Parquet refuse it
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_STEPS = {"{": 1, "[": 1, "}": -1, "]": -1}


def read(path: Path, names: Sequence[str] | None) -> Any:
    """The named columns (all when None), each of the type of its values.

    Arrow parses what it can. What it cannot is read by Python, line by line: lines that need a
    sentence, and columns of several types, which become a union of them.
    """
    with readable(path):
        table = _parse_file(path) if detect_encoding(path) == "utf-8" else None
    if table is None:
        with open_json_lines(path) as (_, records):
            table = _build_table(records, path)
    if not table.num_columns:
        raise ValueError(f"{path} holds no columns.")
    names = table.column_names if names is None else list(names)
    check_named_once(table.column_names, names, path)
    return table.select(names)


def iterate_tables(path: Path) -> Iterator[Any]:
    """Tables of some lines each, in their order, with the types that the values there have."""
    with readable(path):
        encoding = detect_encoding(path)
        with open_text(path, "r", encoding) as stream:
            before = 0
            while lines := stream.readlines(_BLOCK):
                if not before:
                    lines[0] = lines[0].removeprefix(MARK)
                if any(map(str.strip, lines)):
                    yield _parse_lines(lines, before, path)
                before += len(lines)


def _parse_lines(lines: list[str], before: int, path: Path) -> Any:
    import pyarrow as arrow

    n_objects = _count_objects(lines, path, before)
    text = "".join(lines).encode()
    table = _parse(lambda: arrow.BufferReader(text), n_objects)
    return _build_table(iterate_records(lines, path, before), path) if table is None else table


def _parse_file(path: Path) -> Any:
    import pyarrow as arrow

    packed = "gzip" if is_packed(path) else None
    with open_text(path, "r", "utf-8-sig") as stream:
        n_objects = _count_objects(stream, path)
    return _parse(lambda: arrow.input_stream(str(path), compression=packed), n_objects)


def _parse(opened: Callable[[], Any], n_objects: int | None) -> Any:
    """The table as Arrow reads it, when it takes as many lines as there are; else None."""
    if n_objects is None:
        return None
    import pyarrow as arrow

    try:
        table = _parse_with_arrow(opened)
        dates = [field for field in table.schema if arrow.types.is_temporal(field.type)]
        if dates:  # in JSON they are text, and stay it
            text = arrow.schema([field.with_type(arrow.string()) for field in dates])
            table = _parse_with_arrow(opened, explicit_schema=text).select(table.column_names)
    except arrow.ArrowInvalid:
        return None
    # Arrow also takes two objects on one line, and one over several; JSON lines are neither.
    return table if table.num_rows == n_objects else None


def _parse_with_arrow(opened: Callable[[], Any], **options: Any) -> Any:
    from pyarrow import json as parser

    with opened() as stream:
        return parser.read_json(
            stream, parser.ReadOptions(block_size=_LONGEST), parser.ParseOptions(**options)
        )


def _count_objects(lines: Iterable[str], path: Path, before: int = 0) -> int | None:
    """How many lines hold an object; None where one looks different, and Arrow is not for them.

    Arrow crashes on what nests deeply, within a line or over several: it must not see either.
    """
    n_objects = 0
    for number, line in enumerate(lines, start=before + 1):
        check_depth(line, number, path)
        text = line.strip()
        if text and not (text.startswith("{") and text.endswith("}")):
            return None
        n_objects += bool(text)
    return n_objects


def _build_table(records: Iterable[Record], path: Path) -> Any:
    import pyarrow

    rows = [record.cells for record in records]
    header = dict.fromkeys(key for row in rows for key in row)
    columns = {name: _build_column([row.get(name) for row in rows], name, path) for name in header}
    return pyarrow.table(columns)


def _build_column(values: list[Any], name: str, path: Path) -> Any:
    import pyarrow as arrow

    try:
        try:
            return arrow.array(values)
        except (arrow.ArrowException, OverflowError):
            return _build_union(values)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{path} holds half a surrogate pair in {name!r}, which is not text."
        ) from error


def _build_union(values: list[Any]) -> Any:
    """Values of several types; lists and objects among them as bytes of JSON."""
    import pyarrow as arrow

    children: dict[str, list[Any]] = {}
    types = []
    offsets = []
    for value in map(_simplify, values):
        cells = children.setdefault(type(value).__name__, [])
        types.append(list(children).index(type(value).__name__))
        offsets.append(len(cells))
        cells.append(value)
    return arrow.UnionArray.from_dense(
        arrow.array(types, arrow.int8()),
        arrow.array(offsets, arrow.int32()),
        [arrow.array(cells) for cells in children.values()],
        list(children),
    )


def _simplify(value: Any) -> Any:
    if isinstance(value, list | dict):
        return json.dumps(value).encode()
    if isinstance(value, int) and abs(value) >= 1 << 63:
        return float(value)
    return value


@contextmanager
def open_json_lines(path: Path) -> Iterator[tuple[str, Iterator[Record]]]:
    """Give the encoding and an iterator over the rows."""
    with readable(path):
        encoding = detect_encoding(path)
        with open_text(path, "r", encoding) as stream:
            yield encoding, iterate_records(stream, path)


def copy(source: Path, target: Path, change: Change) -> None:
    """Copy a table line by line; what does not change keeps every byte."""
    found = change.name is None or change.is_new

    def cell(row: Record) -> Any:
        nonlocal found
        if change.is_new:
            change.check_new(row.cells, source)
        found = found or change.name in row.cells
        return row.cells.get(change.name)

    with atomic_path(target) as temporary, open_json_lines(source) as (encoding, records):
        with open_text(temporary, "w", encoding) as stream:
            for row, value in apply_change(records, cell, change, source):
                stream.write(
                    row.raw if change.name is None else _replace_value(row, change.name, value)
                )
        if not found:  # known at the end only; nothing has been put in place yet
            raise ValueError(f"{source} has no column {change.name!r}.")


def write(path: Path, columns: dict[str, list[Any]]) -> None:
    """Write a new table."""
    with atomic_path(path) as temporary, open_text(temporary, "w", "utf-8") as stream:
        for row in zip(*columns.values(), strict=True):
            cells = (
                f"{_format_value(name)}: {_format_value(v)}"
                for name, v in zip(columns, row, strict=True)
            )
            stream.write("{" + ", ".join(cells) + "}\n")


def iterate_records(lines: Iterable[str], path: Path, before: int = 0) -> Iterator[Record]:
    """The rows that some lines hold, of which there are others before."""
    return attach_blank_lines(_parse_records(lines, path, before))


def _parse_records(lines: Iterable[str], path: Path, before: int) -> Iterator[Record]:
    for number, line in enumerate(lines, start=before + 1):
        text = line.removeprefix(MARK) if number == 1 else line
        yield Record(line, _parse_line(text, number, path) if text.strip() else None, number)


def check_depth(line: str, number: int, path: Path) -> None:
    """Raise when a line nests deeper than the parsers of JSON, of which Arrow's crashes, can go."""
    if line.count("{") + line.count("[") <= _DEEPEST:  # as nearly always, and quickly told
        return
    brackets = re.findall(r"[][{}]", _STRING.sub("", line))
    if max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) > _DEEPEST:
        raise ValueError(
            f"line {number} of {path} holds lists or objects within each other, more than "
            f"{_DEEPEST} levels deep; flatten them, or leave that key out."
        )


def _parse_line(text: str, number: int, path: Path) -> dict[str, Any]:
    check_depth(text, number, path)
    try:
        value = json.loads(text, object_pairs_hook=_check_keys)
    except _DuplicateKeyError as error:
        raise ValueError(f"line {number} of {path} has the key {error} twice.") from error
    except ValueError as error:
        raise ValueError(
            f"line {number} of {path} is not JSON ({error}); JSON lines hold one object per line."
        ) from error
    if not isinstance(value, dict):
        raise ValueError(
            f"line {number} of {path} holds a JSON {_get_type_name(value)}; JSON lines hold one "
            'object per line, such as {"weight": 4.0, "pet": "cat"}.'
        )
    return value


class _DuplicateKeyError(Exception):
    """A key stands twice in an object, so that one of its values would be lost."""


def _check_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _DuplicateKeyError(repr(next(key for key in keys if keys.count(key) > 1)))
    return found


def _get_type_name(value: Any) -> str:
    return {list: "array", str: "string", bool: "boolean"}.get(type(value), "number or null")


def _replace_value(row: Record, name: str, value: Any) -> str:
    """The line with one value replaced where it stands, or added when the line lacks it."""
    if row.cells.get(name) == value and type(row.cells.get(name)) is type(value):
        return row.raw
    if name in row.cells:
        start, end = _find_value(row.raw, name)
        return row.raw[:start] + _format_value(value) + row.raw[end:]
    brace = row.raw.rindex("}")
    comma = ", " if row.cells else ""
    return f"{row.raw[:brace]}{comma}{_format_value(name)}: {_format_value(value)}{row.raw[brace:]}"


def _find_value(line: str, name: str) -> tuple[int, int]:
    """Where the value of a key stands in a line that is known to hold an object with that key."""
    decode = json.JSONDecoder().raw_decode
    end = line.index("{") + 1
    key = None
    while key != name:
        key, end = decode(line, _COMMA.match(line, end).end())  # type: ignore[union-attr]
        start = _COLON.match(line, end).end()  # type: ignore[union-attr]
        _, end = decode(line, start)
    return start, end


def _format_value(value: Any) -> str:
    """JSON has no NaN: a missing number is null."""
    if isinstance(value, float) and math.isnan(value):
        value = None
    return json.dumps(value, ensure_ascii=False)
