"""Datasets of pyarrow and lazy frames of polars, as Parquet files of a stored table."""

from hashlib import file_digest
from pathlib import Path
from typing import Any

from .._files import atomic_path
from .._optional import require
from ._columnar import open_parquet
from ._sources_parquet import ParquetTable
from ._sources_scratch import GROUP_ROWS, spool


def is_lazy_frame(table: Any) -> bool:
    """Whether it is a lazy frame of polars, without importing polars."""
    kind = type(table)
    return kind.__module__.partition(".")[0] == "polars" and kind.__name__ == "LazyFrame"


def is_dataset(table: Any) -> bool:
    """Whether it is a dataset of pyarrow, without importing it."""
    return type(table).__module__.startswith("pyarrow._dataset") and hasattr(table, "to_batches")


def lazy_frame_tables(frame: Any, scratch: Path) -> tuple[list[ParquetTable], dict[str, Any]]:
    """What a lazy frame gives, written by polars piece by piece; and what tells it from others."""
    target = scratch / "frame.parquet"
    scratch.mkdir(parents=True, exist_ok=True)
    with atomic_path(target) as temporary:
        frame.sink_parquet(temporary, row_group_size=GROUP_ROWS)
    return [ParquetTable(str(target), "the frame")], _contents(target)


def dataset_tables(dataset: Any, scratch: Path) -> tuple[list[ParquetTable], dict[str, Any]]:
    """The Parquet files of a dataset; all of it in one of our own when it is anything else."""
    tables = _parquet_files(dataset)
    if tables is not None:
        return tables, _facts(dataset)
    arrow = require("pyarrow", extra="tables")
    target = scratch / "dataset.parquet"
    batches = dataset.to_batches(batch_readahead=1, fragment_readahead=1)
    spool((arrow.Table.from_batches([batch]) for batch in batches if batch.num_rows), target)
    return [ParquetTable(str(target), "the dataset")], _contents(target)


def _parquet_files(dataset: Any) -> list[ParquetTable] | None:
    """The files when they are Parquet and hold all that the dataset does; else None."""
    kind = require("pyarrow.dataset", extra="tables").ParquetFileFormat
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


def _facts(dataset: Any) -> dict[str, Any]:
    states = dataset.filesystem.get_file_info(dataset.files)
    return {
        "files": dataset.files,
        "sizes": [state.size for state in states],
        "changed": [state.mtime_ns for state in states],
    }


def _contents(file: Path) -> dict[str, Any]:
    """What tells frames apart of which nothing else is known: all that they hold."""
    with file.open("rb") as stream:
        return {"contents": file_digest(stream, "blake2b").hexdigest()[:32]}
