"""Dask dataframes, lazy frames and files that cannot be read in parts, made into parts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b, file_digest
from itertools import chain
from pathlib import Path
from typing import Any

from ..._engine._engine import Clock, Progress
from ..._files import atomic_path, is_packed
from ..._optional import require
from ..formats import _csv, _excel, _json
from ..formats._columnar import iterate_feather, open_parquet
from ..formats._records import EXCEL, JSON, get_ending
from ._parquet import (
    ParquetTable,
    SourcePart,
    cast_table,
    format_values,
    get_part_name,
    merge_schemas,
)

GROUP_ROWS = 1 << 16  # of a row group
_GROUP_BYTES = 1 << 25  # or fewer rows, when they are long


def is_lazy_frame(table: Any) -> bool:
    """Whether it is a lazy frame of polars, without importing polars."""
    kind = type(table)
    return kind.__module__.partition(".")[0] == "polars" and kind.__name__ == "LazyFrame"


def is_dataset(table: Any) -> bool:
    """Whether it is a dataset of pyarrow, without importing it."""
    return type(table).__module__.startswith("pyarrow._dataset") and hasattr(table, "to_batches")


def spool_lazy_frame(frame: Any, scratch: Path) -> tuple[list[ParquetTable], dict[str, Any]]:
    """What a lazy frame gives, written by polars piece by piece; and what tells it from others."""
    target = scratch / "frame.parquet"
    scratch.mkdir(parents=True, exist_ok=True)
    with atomic_path(target) as temporary:
        frame.sink_parquet(temporary, row_group_size=GROUP_ROWS)
    return [ParquetTable(str(target), "the frame")], _digest(target)


def spool_dataset(dataset: Any, scratch: Path) -> tuple[list[ParquetTable], dict[str, Any]]:
    """The Parquet files of a dataset; all of it in one of our own when it is anything else."""
    tables = _find_parquet_files(dataset)
    if tables is not None:
        states = dataset.filesystem.get_file_info(dataset.files)
        facts = {
            "files": dataset.files,
            "sizes": [state.size for state in states],
            "changed": [state.mtime_ns for state in states],
        }
        return tables, facts
    import pyarrow as arrow

    target = scratch / "dataset.parquet"
    batches = dataset.to_batches(batch_readahead=1, fragment_readahead=1)
    write_parquet(
        (arrow.Table.from_batches([batch]) for batch in batches if batch.num_rows), target
    )
    return [ParquetTable(str(target), "the dataset")], _digest(target)


def _find_parquet_files(dataset: Any) -> list[ParquetTable] | None:
    """The files when they are Parquet and hold all that the dataset does; else None."""
    import pyarrow.dataset

    kind = pyarrow.dataset.ParquetFileFormat
    if not isinstance(getattr(dataset, "format", None), kind):
        return None
    # Files of this machine are opened as all others are, with sentences that say what is wrong.
    elsewhere = None if dataset.filesystem.type_name == "local" else dataset.filesystem
    tables = [ParquetTable(path, path, elsewhere) for path in dataset.files]
    n_rows = 0
    for table in tables:
        with open_parquet(table.path, elsewhere) as file:
            n_rows += file.metadata.num_rows
            if sorted(file.schema_arrow.names) != sorted(dataset.schema.names):
                return None  # folders that are columns, or columns that some files lack
    return tables if n_rows == dataset.count_rows() else None  # else it is filtered


def _digest(file: Path) -> dict[str, Any]:
    """What tells frames apart of which nothing else is known: all that they hold."""
    with file.open("rb") as stream:
        return {"contents": file_digest(stream, "blake2b").hexdigest()[:32]}


def is_dask_frame(table: Any) -> bool:
    """Whether it is a dask dataframe, without importing dask."""
    is_dask = type(table).__module__.partition(".")[0] == "dask"
    return is_dask and hasattr(table, "to_delayed") and hasattr(table, "columns")


@dataclass(frozen=True)
class DaskPart(SourcePart):
    """A partition, with the tasks that make it and no others."""

    key: Any
    graph: dict[Any, Any]

    def _read(self, names: list[str]) -> Any:
        # In this thread: on a worker, a task that waits for other tasks could wait for ever.
        graph = {key: _resolve_task(task) for key, task in self.graph.items()}
        frame = require("dask", extra="scale").get(graph, self.key)
        frame.columns = list(map(str, frame.columns))
        return _convert_frame(frame[names])


def make_dask_parts(frame: Any) -> list[DaskPart]:
    """The partitions that hold rows; all are gone through once, to count them."""
    cull = require("dask.optimization", extra="scale").cull
    planned = frame.optimize()
    graph = dict(planned.__dask_graph__())
    columns = tuple(map(str, frame.columns))
    parts = []
    start = 0
    # Of one column alone, where the others need not be read for that.
    lengths = frame.iloc[:, :1].map_partitions(len).compute().tolist()
    for number, (key, n_rows) in enumerate(zip(planned.__dask_keys__(), lengths, strict=True)):
        if n_rows:
            name = get_part_name(f"partition {number}", 0, n_rows)
            stop = start + n_rows
            parts.append(DaskPart(start, stop, name, columns, key, cull(graph, [key])[0]))
            start = stop
    return parts


def describe_dask_frame(frame: Any) -> dict[str, Any]:
    """What tells a frame from others: dask's own name for what it is computed from."""
    return {"tasks": list(map(str, frame.optimize().__dask_keys__()))}


def _resolve_task(task: Any) -> Any:
    """A task, or what the cluster holds in memory already, as after ``persist``."""
    if type(task).__module__.partition(".")[0] != "distributed" or not hasattr(task, "key"):
        return task
    distributed = require("distributed", extra="scale")
    # The promise that travelled along with this part knows its key, but not where to ask.
    return distributed.Future(task.key, distributed.get_client()).result()


def _convert_frame(frame: Any) -> Any:
    """A pandas frame as an Arrow table, without its index; a column of several types is text."""
    import pyarrow as arrow

    columns = []
    for name in frame.columns:
        try:
            columns.append(arrow.Array.from_pandas(frame[name]))
        except arrow.ArrowException:
            cells = frame[name].astype(object).where(frame[name].notna(), None)
            columns.append(arrow.array(format_values(cells), arrow.large_string()))
    return arrow.table(columns, names=list(frame.columns))


def convert_to_parquet(
    files: list[Path], scratch: Path, progress: Progress | None = None
) -> list[Path]:
    """Files of any format as Parquet; what was written before of the same file is used again.

    A file counts as the same when its place, its size and the time of its last change are.
    """
    targets = [file if _is_parquet(file) else _get_target(file, scratch) for file in files]
    new = [(f, t) for f, t in zip(files, targets, strict=True) if not _is_parquet(f)]
    if new:
        clock = Clock("read", sum(file.stat().st_size for file, _ in new), "bytes", progress)
        for file, target in new:
            if target.exists():
                clock.tell(file.stat().st_size, kept=True)
            else:
                _convert_file(file, target, clock)
    return targets


def _convert_file(file: Path, target: Path, clock: Clock) -> None:
    size = file.stat().st_size
    tables, schema = _iterate_file(file) if size else ([], None)
    packing = 0.25 if is_packed(file) else 1.0

    def report_progress() -> Iterator[Any]:
        """The tables, while the clock is told about how much of the file they were."""
        reported = 0
        for table in tables:
            more = min(round(packing * table.nbytes), size - reported)
            clock.tell(more)
            reported += more
            yield table
        clock.tell(size - reported)

    write_parquet(report_progress(), target, schema)


def _get_target(file: Path, scratch: Path) -> Path:
    state = file.stat()
    facts = f"{file.resolve()} {state.st_size} {state.st_mtime_ns}"
    return scratch / f"{blake2b(facts.encode(), digest_size=12).hexdigest()}.parquet"


def _is_parquet(file: Path) -> bool:
    return get_ending(file) == ".parquet"


def write_parquet(tables: Iterable[Any], target: Path, schema: Any = None) -> None:
    """Write pieces of a table as row groups of middling size, a few of them in memory at a time.

    All have the schema of the first when none is given.
    """
    import pyarrow.parquet

    target.parent.mkdir(parents=True, exist_ok=True)
    import pyarrow as arrow

    pieces = iter(tables)
    first = next(pieces, arrow.table({}))
    schema = schema or merge_schemas([first.schema])
    fitting = (cast_table(piece, schema) for piece in chain([first], pieces))
    with atomic_path(target) as temporary:
        writer = pyarrow.parquet.ParquetWriter(temporary, schema)
        with writer:
            for group in _group_rows(fitting):
                writer.write_table(group, GROUP_ROWS)


def _iterate_file(file: Path) -> tuple[Iterator[Any], Any]:
    """The rows of a file piece by piece, and the schema they have in common."""
    ending = get_ending(file)
    if ending in JSON:
        # Twice through the file: the types of the first lines say nothing about the last.
        schema = merge_schemas(table.schema for table in _json.iterate_tables(file))
        return _json.iterate_tables(file), schema
    if ending in EXCEL:  # a million rows at most
        return iter([_excel.read(file, None)]), None
    if ending == ".feather":
        return iterate_feather(file), None
    return _csv.iterate_tables(file), None


def _group_rows(tables: Iterable[Any]) -> Iterator[Any]:
    """Small pieces together, as many as make a row group."""
    import pyarrow as arrow

    held: list[Any] = []
    n_rows = n_bytes = 0
    for table in tables:
        held.append(table)
        n_rows += table.num_rows
        n_bytes += table.nbytes
        if n_rows >= GROUP_ROWS or n_bytes >= _GROUP_BYTES:
            yield arrow.concat_tables(held)
            held = []
            n_rows = 0
            n_bytes = 0
    if held:
        yield arrow.concat_tables(held)
