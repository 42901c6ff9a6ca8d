"""What an audit of votes keeps on disk besides what an audit of classes does."""

from pathlib import Path
from typing import Any

import numpy as np

from ..._files import readable
from ..._optional import require
from ...tables._columns import column_array

WORKERS = "workers.parquet"
PROBA = "proba {}"  # of each class, columns of the items


def write_workers(folder: Path, workers: list[dict[str, Any]]) -> None:
    """Write what is told of annotators, confusions included."""
    arrow = require("pyarrow", extra="tables")
    table = arrow.Table.from_pylist(
        [{name: _plain(value) for name, value in worker.items()} for worker in workers]
    )
    require("pyarrow.parquet", extra="tables").write_table(table, folder / WORKERS)


def _plain(value: Any) -> Any:
    """Lists of Python's own values; a matrix as one line after the other."""
    if isinstance(value, np.ndarray):
        return value.ravel().tolist()
    if isinstance(value, np.generic):
        return value.item()
    return [_plain(part) for part in value] if isinstance(value, tuple) else value


def read_workers(path: Path, n_classes: int) -> list[dict[str, Any]]:
    """What :func:`write_workers` has written."""
    parquet = require("pyarrow.parquet", extra="tables")
    with readable(path / WORKERS), parquet.ParquetFile(path / WORKERS) as file:
        return [_restored(worker, n_classes) for worker in file.read().to_pylist()]


def _restored(worker: dict[str, Any], n_classes: int) -> dict[str, Any]:
    confusion, worst = worker["confusion"], worker["worst"]
    return worker | {
        "confusion": confusion and np.reshape(confusion, (n_classes, n_classes)),
        "worst": worst and tuple(worst),
    }


def read_proba(table: Any, n_classes: int) -> np.ndarray:
    """The probabilities of the classes, from the columns of the items."""
    return np.stack([column_array(table, PROBA.format(code)) for code in range(n_classes)], axis=1)
