"""Tables larger than memory: what they are, how many rows they have, and their parts.

A row is its position in the source. Whatever is not Parquet and not a dask dataframe is written as
Parquet to a scratch folder first, without ever being in memory.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b, file_digest
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from ..._blocks import blocks
from ..._engine import Clock, Progress
from ..._files import atomic_path, is_packed
from ..._format import count
from ..._optional import require
from .._table import is_dask_frame, is_dataset, is_lazy_frame
from ..formats import _columnar, _csv, _excel, _json
from ..formats._columnar import check_undamaged, open_parquet
from ..formats._records import (
    EXCEL,
    JSON,
    check_named_once,
    check_same_columns,
    get_ending,
)
from . import _files

GROUP_ROWS = 1 << 16  # of a row group
_GROUP_BYTES = 1 << 25  # or fewer rows, when they are long
_BATCH = 1 << 14  # rows decoded at a time of a row group that is read in pieces


@dataclass(frozen=True)
class SourcePart:
    """The rows from ``start`` to ``stop`` of a stored table; small, and can be pickled."""

    start: int
    stop: int
    name: str  # for messages: the file, and which of its rows
    columns: tuple[str, ...]
    load: Callable[[list[str]], Any]  # at least the named columns of these rows

    def read(self, columns: Sequence[str] | None = None) -> Any:
        """The rows as an Arrow table, with the named columns (all when None) in that order."""
        names = list(self.columns if columns is None else columns)
        check_named_once(self.columns, names, self.name)
        table = self.load(names)
        if table.num_rows != self.stop - self.start:
            raise ValueError(
                f"{self.name}: {count(table.num_rows)} rows are there now; the table has changed "
                "since it was opened. Begin again."
            )
        return table.select(names)


class Source:
    """A stored table; raises a sentence when it is not there or not whole.

    All files have the same columns; their types may differ.

    Parameters
    ----------
    X : path, list of paths, pyarrow dataset, dask dataframe or polars LazyFrame
        A path may be a file, a folder of files of one format or a pattern, as in
        ``"visits-*.csv.gz"``. Files of a folder or a pattern come in the natural order of their
        names (``part-2`` before ``part-10``), those of a list in its order.
    scratch : path
        A folder for what has to be written as Parquet first. A text file that was written there
        before, and has not changed since, is not read again.
    rows_per_part : int or callable
        How many rows a part of Parquet may have, or a function that says so for a number of
        columns; partitions of dask stay as they are.
    progress : callable, optional
        Is told how far the reading of text has come.

    Attributes
    ----------
    columns : list of str
        Their names, in the order of the first file.
    n_rows : int
        Rows of all parts.
    parts : list of SourcePart
        Runs of rows that follow each other, from row 0 to row ``n_rows``.

    Examples
    --------
    >>> import tempfile
    >>> from errata.tables import write_table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number in (1, 2):
    ...         write_table(f"{folder}/pets-{number}.csv", {"pet": ["cat", "dog", "cow"]})
    ...     pets = Source(f"{folder}/*.csv", scratch=Path(folder), rows_per_part=2)
    ...     pets.n_rows, [(part.start, part.stop) for part in pets.parts]
    ...     take_source_rows(pets, [0, 5])["pet"].to_pylist()
    (6, [(0, 1), (1, 3), (3, 4), (4, 6)])
    ['cat', 'cow']
    """

    def __init__(
        self,
        X: Any,
        *,
        scratch: Path,
        rows_per_part: int | Callable[[int], int],
        progress: Progress | None = None,
    ) -> None:
        if not callable(rows_per_part) and rows_per_part < 1:
            raise ValueError(
                f"rows_per_part={rows_per_part} leaves no rows in a part; give 1 or more."
            )
        self.facts: dict[str, Any]
        if is_dask_frame(X):
            what = "the dask dataframe"
            self.facts = {"tasks": list(map(str, X.optimize().__dask_keys__()))}
            self.parts = list(_make_dask_parts(X))
        else:
            what, tables, filesystem, self.facts = _convert_to_parquet(X, scratch, progress)
            self.parts = list(_make_parquet_parts(tables, filesystem, rows_per_part))
        if not self.parts:
            raise ValueError(f"{what} holds no rows; errata needs some.")
        self.columns = list(self.parts[0].columns)
        self.n_rows = self.parts[-1].stop

    @property
    def files(self) -> list[str]:
        """The files it is made of, in the order of their rows; none of a frame."""
        return self.facts.get("files", [])

    def fingerprint(self) -> dict[str, Any]:
        """All that differs when the table does: files, their sizes and times, rows, columns."""
        return {**self.facts, "rows": self.n_rows, "columns": self.columns}


def _convert_to_parquet(
    X: Any, scratch: Path, progress: Progress | None
) -> tuple[str, list[tuple[str, str]], Any, dict[str, Any]]:
    """Parquet files that hold all rows, each with what people call it.

    Before them what to call the table; after them their filesystem, and what tells them from others
    and from what they were before they changed.
    """
    if is_dataset(X) and _is_plain_parquet(X):
        states = X.filesystem.get_file_info(X.files)
        facts = {
            "files": X.files,
            "sizes": [state.size for state in states],
            "changed": [state.mtime_ns for state in states],
        }
        return "the dataset", [(file, file) for file in X.files], _get_other_filesystem(X), facts
    if is_dataset(X) or is_lazy_frame(X):
        what = "the dataset" if is_dataset(X) else "the frame"
        target = _write_rows(X, scratch)
        with target.open("rb") as stream:  # nothing else is known of it than what it holds
            facts = {"contents": file_digest(stream, "blake2b").hexdigest()[:32]}
        return what, [(str(target), what)], None, facts
    files = _files.find_files(X)
    facts = {
        "files": [str(file.resolve()) for file in files],
        "sizes": [file.stat().st_size for file in files],
        "changed": [file.stat().st_mtime_ns for file in files],
    }
    converted = convert_to_parquet(files, scratch, progress)
    return str(X), list(zip(map(str, converted), map(str, files), strict=True)), None, facts


def _is_plain_parquet(dataset: Any) -> bool:
    """Whether its files are Parquet and hold all that the dataset does."""
    import pyarrow.dataset

    kind = pyarrow.dataset.ParquetFileFormat
    if not isinstance(getattr(dataset, "format", None), kind):
        return False
    n_rows = 0
    for path in dataset.files:
        with open_parquet(path, _get_other_filesystem(dataset)) as file:
            n_rows += file.metadata.num_rows
            if sorted(file.schema_arrow.names) != sorted(dataset.schema.names):
                return False  # folders that are columns, or columns that some files lack
    return n_rows == dataset.count_rows()  # else it is filtered


def _get_other_filesystem(dataset: Any) -> Any:
    """The filesystem of pyarrow; None for this machine's, where files open as all others do."""
    return None if dataset.filesystem.type_name == "local" else dataset.filesystem


def _write_rows(X: Any, scratch: Path) -> Path:
    """All that a dataset or a lazy frame gives, written piece by piece."""
    if is_lazy_frame(X):
        target = scratch / "frame.parquet"
        scratch.mkdir(parents=True, exist_ok=True)
        with atomic_path(target) as temporary:
            X.sink_parquet(temporary, row_group_size=GROUP_ROWS)
        return target
    import pyarrow as arrow

    target = scratch / "dataset.parquet"
    batches = X.to_batches(batch_readahead=1, fragment_readahead=1)
    tables = (arrow.Table.from_batches([batch]) for batch in batches if batch.num_rows)
    write_parquet(tables, target)
    return target


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
    schema = schema or _files.merge_schemas([first.schema])
    fitting = (_files.cast_table(piece, schema) for piece in chain([first], pieces))
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
        schema = _files.merge_schemas(table.schema for table in _json.iterate_tables(file))
        return _json.iterate_tables(file), schema
    if ending in EXCEL:  # a million rows at most
        return iter([_excel.read(file, None)]), None
    if ending == ".feather":
        return _columnar.iterate_tables(file), None
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


def take_source_rows(source: Source, rows: Any, columns: Sequence[str] | None = None) -> Any:
    """Some rows, given by their sorted positions, as an Arrow table.

    Only parts that hold some of them are read. A column whose type differs between files has one
    that holds all its values here; text when there is no other.
    """
    rows = np.asarray(rows, dtype=np.intp)
    tables = []
    for part in source.parts:
        within = rows[slice(*np.searchsorted(rows, [part.start, part.stop]))]
        if len(within):
            tables.append(part.read(columns).take(within - part.start))
    if not tables:
        return source.parts[0].read(columns).slice(0, 0)
    return _files.stack_tables(tables)


def _make_parquet_parts(
    tables: Sequence[tuple[str, str]], filesystem: Any, rows_per_part: int | Callable[[int], int]
) -> Iterator[SourcePart]:
    """The parts of some files in their order; files without rows have none.

    All files must have the columns of the first, in whatever order and of whatever types.
    """
    start = 0
    columns = None
    first = ""
    for path, shown in tables:
        with open_parquet(path, filesystem) as file:
            names = file.schema_arrow.names
            metadata = file.metadata
            sizes = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
        if not any(sizes):
            continue
        if columns is None:
            check_named_once(names, names, shown)
            columns = tuple(names)
            first = shown
        check_same_columns(columns, first, names, shown)
        before = start
        most = rows_per_part(len(columns)) if callable(rows_per_part) else rows_per_part
        for groups, skipped, n_rows in _split_groups(sizes, most):
            stop = start + n_rows
            name = _get_part_name(shown, start - before, n_rows)
            load = partial(_read_row_groups, path, filesystem, groups, skipped, n_rows)
            yield SourcePart(start, stop, name, columns, load)
            start = stop


def _split_groups(sizes: list[int], most: int) -> Iterator[tuple[range, int | None, int]]:
    """Row groups together up to so many rows; one that is larger, in pieces of equal length.

    Each is a range of row groups, how many rows of it are skipped (None for whole groups), and how
    many rows there are.
    """
    first = n_rows = 0
    for group, size in enumerate(sizes):
        if n_rows and n_rows + size > most:
            yield range(first, group), None, n_rows
            first = group
            n_rows = 0
        if size <= most:
            n_rows += size
            continue
        for rows in blocks(size, most):
            yield range(group, group + 1), rows.start, rows.stop - rows.start
        first = group + 1
    if n_rows:
        yield range(first, len(sizes)), None, n_rows


def _read_row_groups(
    path: str,
    filesystem: Any,
    groups: range,
    skipped: int | None,
    n_rows: int,
    names: list[str],
) -> Any:
    """All rows of the groups, or so many of a single one after those that are skipped."""
    with open_parquet(path, filesystem) as file, check_undamaged(path):
        if skipped is None:
            return file.read_row_groups(groups, names)
        return _read_within_group(file, groups.start, skipped, skipped + n_rows, names)


def _read_within_group(file: Any, group: int, start: int, end: int, names: list[str]) -> Any:
    """Rows in the middle of a row group, which can only be read from its beginning."""
    import pyarrow

    kept = []
    seen = 0
    for batch in file.iter_batches(_BATCH, row_groups=[group], columns=names):
        begin = seen
        seen += batch.num_rows
        if seen > start:
            kept.append(batch.slice(max(0, start - begin), end - max(begin, start)))
        if seen >= end:
            break
    return pyarrow.Table.from_batches(kept)


def _make_dask_parts(frame: Any) -> Iterator[SourcePart]:
    """The partitions that hold rows; all are gone through once, to count them."""
    cull = require("dask.optimization", extra="scale").cull
    planned = frame.optimize()
    graph = dict(planned.__dask_graph__())
    columns = tuple(map(str, frame.columns))
    start = 0
    # Of one column alone, where the others need not be read for that.
    lengths = frame.iloc[:, :1].map_partitions(len).compute().tolist()
    for number, (key, n_rows) in enumerate(zip(planned.__dask_keys__(), lengths, strict=True)):
        if n_rows:
            name = _get_part_name(f"partition {number}", 0, n_rows)
            stop = start + n_rows
            # With the tasks that make the partition, and no others.
            load = partial(_read_partition, key, cull(graph, [key])[0])
            yield SourcePart(start, stop, name, columns, load)
            start = stop


def _read_partition(key: Any, tasks: dict[Any, Any], names: list[str]) -> Any:
    # In this thread: on a worker, a task that waits for other tasks could wait for ever.
    graph = {name: _resolve_task(task) for name, task in tasks.items()}
    frame = require("dask", extra="scale").get(graph, key)
    frame.columns = list(map(str, frame.columns))
    return _convert_frame(frame[names])


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
            columns.append(arrow.array(_files.format_values(cells), arrow.large_string()))
    return arrow.table(columns, names=list(frame.columns))


def _get_part_name(where: str, start: int, n_rows: int) -> str:
    """The name of a part.

    >>> _get_part_name("visits/b.parquet", 0, 200_000)
    'visits/b.parquet, rows 0 to 199,999'
    """
    return f"{where}, rows {count(start)} to {count(start + n_rows - 1)}"
