"""Results on disk: one row per cell, appended as it comes, whole or not at all."""

import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._files import atomic_path
from ._experiment import Cell


def read_results(path: str | os.PathLike) -> list[dict[str, Any]]:
    r"""Read the results of a run: a list of rows with the cell and the value of every metric.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "results.csv")
    ...     text = "dataset,noise_level,method,repetition,error\niris,0.1,tree,0,6.5\n"
    ...     _ = path.write_text(text)
    ...     read_results(path)
    [{'dataset': 'iris', 'noise_level': 0.1, 'method': 'tree', 'repetition': 0, 'error': 6.5}]
    """
    with open(path, encoding="utf-8", newline="") as stream:
        return [_parse(row) for row in csv.DictReader(stream)]


class ResultFile:
    """A CSV file that grows by one row per cell and survives being killed at any moment."""

    def __init__(self, path: Path, metrics: tuple[str, ...]) -> None:
        self.path = path
        self.columns = [*Cell._fields, *metrics]

    def start(self) -> set[Cell]:
        """Make the file ready and return the cells that it holds already.

        A last line without a line end is what a killed run was writing: it is removed.
        """
        # Without any line end not even the header was written in full.
        if not self.path.exists() or b"\n" not in (content := self.path.read_bytes()):
            self.path.write_text(self._line(self.columns), encoding="utf-8", newline="")
            return set()
        if not content.endswith(b"\n"):
            os.truncate(self.path, content.rindex(b"\n") + 1)
        rows = read_results(self.path)
        return {Cell(*(row[name] for name in Cell._fields)) for row in rows}

    def append(self, cell: Cell, values: Mapping[str, float]) -> None:
        """Add one row and wait until it is on the disk."""
        numbers = [values[name] for name in self.columns[len(Cell._fields) :]]
        with open(self.path, "a", encoding="utf-8", newline="") as stream:
            stream.write(self._line([*cell, *numbers]))
            stream.flush()
            # flush() hands the line to the system only, which may hold it when the machine stops.
            os.fsync(stream.fileno())

    def sort(self, cells: list[Cell]) -> None:
        """Put the rows in the order of ``cells``, whichever was measured first."""
        place = {cell: i for i, cell in enumerate(cells)}
        # Lines are moved as they are: numbers keep the digits they were written with.
        header, *lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
        found = [Cell(*(row[name] for name in Cell._fields)) for row in read_results(self.path)]
        order = sorted(range(len(lines)), key=lambda i: place[found[i]])
        with atomic_path(self.path) as temporary:
            temporary.write_text(header + "".join(lines[i] for i in order), encoding="utf-8")

    @staticmethod
    def _line(cells: list[Any]) -> str:
        stream = io.StringIO()
        csv.writer(stream, lineterminator="\n").writerow(cells)
        return stream.getvalue()


def _parse(row: dict[str, str]) -> dict[str, Any]:
    dataset, level, method, repetition, *values = row.values()
    cell = Cell(dataset, float(level) if level else None, method, int(repetition))
    metrics = list(row)[len(Cell._fields) :]
    return cell._asdict() | dict(zip(metrics, map(float, values), strict=True))
