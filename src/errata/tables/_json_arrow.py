"""JSON lines as an Arrow table: one column per key; a key that a line lacks is missing there."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .._files import is_packed, open_text, readable
from .._optional import require
from ._charset import text_encoding
from ._json_lines import json_lines, json_records
from ._records import MARK, Record, check_named_once

_LONGEST = 1 << 24  # bytes of a line that Arrow is asked to parse
_BLOCK = 1 << 22  # characters of the lines that are in memory at a time


def read_json_lines(path: Path, names: Sequence[str] | None) -> Any:
    """The named columns (all when None), each of the type of its values.

    Arrow parses what it can. What it cannot is read by Python, line by line: lines that need a
    sentence, and columns of several types, which become a union of them.
    """
    with readable(path):
        table = _parsed_file(path) if text_encoding(path) == "utf-8" else None
    table = _read_by_lines(path) if table is None else table
    if not table.num_columns:
        raise ValueError(f"{path} holds no columns.")
    names = table.column_names if names is None else list(names)
    check_named_once(table.column_names, names, path)
    return table.select(names)


def json_tables(path: Path) -> Iterator[Any]:
    """Tables of some lines each, in their order, with the types that the values there have."""
    with readable(path):
        encoding = text_encoding(path)
        with open_text(path, "r", encoding) as stream:
            before = 0
            while lines := stream.readlines(_BLOCK):
                if not before:
                    lines[0] = lines[0].removeprefix(MARK)
                if any(map(str.strip, lines)):
                    yield _table_of_lines(lines, before, path)
                before += len(lines)


def _table_of_lines(lines: list[str], before: int, path: Path) -> Any:
    arrow = require("pyarrow", extra="tables")
    text = "".join(lines).encode()
    table = _parsed(lambda: arrow.BufferReader(text), lambda: _count_lines(lines))
    return _table_of(json_records(lines, path, before), path) if table is None else table


def _parsed_file(path: Path) -> Any:
    arrow = require("pyarrow", extra="tables")
    packed = "gzip" if is_packed(path) else None

    def count() -> int:
        with open_text(path, "r", "utf-8-sig") as stream:
            return _count_lines(stream)

    return _parsed(lambda: arrow.input_stream(str(path), compression=packed), count)


def _parsed(opened: Callable[[], Any], count: Callable[[], int]) -> Any:
    """What Arrow reads, when it takes as many lines as there are; else None."""
    arrow = require("pyarrow", extra="tables")
    try:
        table = _arrow_table(opened)
        dates = [field for field in table.schema if arrow.types.is_temporal(field.type)]
        if dates:  # in JSON they are text, and stay it
            text = arrow.schema([field.with_type(arrow.string()) for field in dates])
            table = _arrow_table(opened, explicit_schema=text).select(table.column_names)
    except arrow.ArrowInvalid:
        return None
    # Arrow also takes two objects on one line, and one over several; JSON lines are neither.
    return table if table.num_rows == count() else None


def _arrow_table(opened: Callable[[], Any], **options: Any) -> Any:
    parser = require("pyarrow.json", extra="tables")
    with opened() as stream:
        return parser.read_json(
            stream, parser.ReadOptions(block_size=_LONGEST), parser.ParseOptions(**options)
        )


def _count_lines(lines: Iterable[str]) -> int:
    return sum(1 for line in lines if not line.isspace())


def _read_by_lines(path: Path) -> Any:
    with json_lines(path) as (_, records):
        return _table_of(records, path)


def _table_of(records: Iterable[Record], path: Path) -> Any:
    rows = [record.cells for record in records]
    header = dict.fromkeys(key for row in rows for key in row)
    columns = {name: _column([row.get(name) for row in rows], name, path) for name in header}
    return require("pyarrow", extra="tables").table(columns)


def _column(values: list[Any], name: str, path: Path) -> Any:
    arrow = require("pyarrow", extra="tables")
    try:
        try:
            return arrow.array(values)
        except (arrow.ArrowException, OverflowError):
            return _union(values)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{path} holds half a surrogate pair in {name!r}, which is not text."
        ) from error


def _union(values: list[Any]) -> Any:
    """Values of several types; lists and objects among them as bytes of JSON."""
    arrow = require("pyarrow", extra="tables")
    children: dict[str, list[Any]] = {}
    types, offsets = [], []
    for value in map(_plain, values):
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


def _plain(value: Any) -> Any:
    if isinstance(value, list | dict):
        return json.dumps(value).encode()
    if isinstance(value, int) and abs(value) >= 1 << 63:
        return float(value)
    return value
