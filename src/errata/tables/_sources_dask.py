"""A dask dataframe as parts: its partitions, each computed where it is read."""

from dataclasses import dataclass
from typing import Any

from .._optional import require
from ._sources_part import SourcePart, rows_of
from ._sources_types import texts


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
        graph = {key: _held(task) for key, task in self.graph.items()}
        frame = require("dask", extra="scale").get(graph, self.key)
        frame.columns = list(map(str, frame.columns))
        return _arrow_table(frame[names])


def dask_parts(frame: Any) -> list[DaskPart]:
    """The partitions that hold rows; all are gone through once, to count them."""
    cull = require("dask.optimization", extra="scale").cull
    planned = frame.optimize()
    graph, columns = dict(planned.__dask_graph__()), tuple(map(str, frame.columns))
    parts, start = [], 0
    for number, (key, n_rows) in enumerate(
        zip(planned.__dask_keys__(), _lengths(frame), strict=True)
    ):
        if n_rows:
            name, stop = rows_of(f"partition {number}", 0, n_rows), start + n_rows
            parts.append(DaskPart(start, stop, name, columns, key, cull(graph, [key])[0]))
            start = stop
    return parts


def dask_facts(frame: Any) -> dict[str, Any]:
    """What tells a frame from others: dask's own name for what it is computed from."""
    return {"tasks": list(map(str, frame.optimize().__dask_keys__()))}


def _lengths(frame: Any) -> list[int]:
    """Rows of each partition; of one column alone, where the others need not be read for that."""
    return frame.iloc[:, :1].map_partitions(len).compute().tolist()


def _held(task: Any) -> Any:
    """A task, or what the cluster holds in memory already, as after ``persist``."""
    if type(task).__module__.partition(".")[0] != "distributed" or not hasattr(task, "key"):
        return task
    distributed = require("distributed", extra="scale")
    # The promise that travelled along with this part knows its key, but not where to ask.
    return distributed.Future(task.key, distributed.get_client()).result()


def _arrow_table(frame: Any) -> Any:
    """A pandas frame as an Arrow table, without its index; a column of several types is text."""
    arrow = require("pyarrow", extra="tables")
    columns = []
    for name in frame.columns:
        try:
            columns.append(arrow.Array.from_pandas(frame[name]))
        except arrow.ArrowException:
            cells = frame[name].astype(object).where(frame[name].notna(), None)
            columns.append(arrow.array(texts(cells), arrow.large_string()))
    return arrow.table(columns, names=list(frame.columns))
