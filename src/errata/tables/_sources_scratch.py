"""Tables that cannot be read in parts, written once as Parquet into a scratch folder."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

from .._engine._stage import Clock, Progress
from .._files import atomic_path, is_packed
from .._optional import require
from ._columnar import feather_tables
from ._csv import csv_tables
from ._excel import read_excel
from ._file_names import EXCEL, JSON, known_ending
from ._json_arrow import json_tables
from ._sources_types import common_schema, conformed

GROUP_ROWS = 1 << 16  # of a row group
_GROUP_BYTES = 1 << 25  # or fewer rows, when they are long


def spooled(files: list[Path], scratch: Path, progress: Progress | None = None) -> list[Path]:
    """Files of any format as Parquet; what was written before of the same file is used again.

    A file counts as the same when its place, its size and the time of its last change are.
    """
    targets = [file if _is_parquet(file) else _target(file, scratch) for file in files]
    new = [(f, t) for f, t in zip(files, targets, strict=True) if not _is_parquet(f)]
    if new:
        clock = Clock("read", sum(file.stat().st_size for file, _ in new), "bytes", progress)
        for file, target in new:
            if target.exists():
                clock.tell(file.stat().st_size, kept=True)
            else:
                _spool_file(file, target, clock)
    return targets


def _spool_file(file: Path, target: Path, clock: Clock) -> None:
    size = file.stat().st_size
    tables, schema = _contents(file) if size else ([], None)
    spool(_told(tables, size, 0.25 if is_packed(file) else 1.0, clock), target, schema)


def _told(tables: Iterable[Any], size: int, packing: float, clock: Clock) -> Iterator[Any]:
    """The tables of a file, while a clock is told about how much of the file they were."""
    told = 0
    for table in tables:
        more = min(round(packing * table.nbytes), size - told)
        clock.tell(more)
        told += more
        yield table
    clock.tell(size - told)


def _target(file: Path, scratch: Path) -> Path:
    state = file.stat()
    facts = f"{file.resolve()} {state.st_size} {state.st_mtime_ns}"
    return scratch / f"{blake2b(facts.encode(), digest_size=12).hexdigest()}.parquet"


def _is_parquet(file: Path) -> bool:
    return known_ending(file) == ".parquet"


def spool(tables: Iterable[Any], target: Path, schema: Any = None) -> None:
    """Write pieces of a table as row groups of middling size, a few of them in memory at a time.

    All have the schema of the first when none is given.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    arrow = require("pyarrow", extra="tables")
    pieces = iter(tables)
    first = next(pieces, arrow.table({}))
    schema = schema or common_schema([first.schema])
    fitting = (conformed(piece, schema) for piece in chain([first], pieces))
    with atomic_path(target) as temporary:
        writer = require("pyarrow.parquet", extra="tables").ParquetWriter(temporary, schema)
        with writer:
            for group in _groups(fitting):
                writer.write_table(group, GROUP_ROWS)


def _contents(file: Path) -> tuple[Iterator[Any], Any]:
    """The rows of a file piece by piece, and the schema they have in common."""
    ending = known_ending(file)
    if ending in JSON:
        # Twice through the file: the types of the first lines say nothing about the last.
        return json_tables(file), common_schema(table.schema for table in json_tables(file))
    if ending in EXCEL:  # a million rows at most
        return iter([read_excel(file, None)]), None
    return (feather_tables if ending == ".feather" else csv_tables)(file), None


def _groups(tables: Iterable[Any]) -> Iterator[Any]:
    """Small pieces together, as many as make a row group."""
    arrow = require("pyarrow", extra="tables")
    held: list[Any] = []
    n_rows = n_bytes = 0
    for table in tables:
        held.append(table)
        n_rows, n_bytes = n_rows + table.num_rows, n_bytes + table.nbytes
        if n_rows >= GROUP_ROWS or n_bytes >= _GROUP_BYTES:
            yield arrow.concat_tables(held)
            held, n_rows, n_bytes = [], 0, 0
    if held:
        yield arrow.concat_tables(held)
