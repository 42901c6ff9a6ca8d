"""Judged rows: what is known of the rows of one part of a table before flags can be drawn."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._files import atomic_path, readable
from .._optional import require
from ._flag_line import Ranking


class Judged(NamedTuple):
    """One entry per row of the part."""

    code: np.ndarray  # of the label among all classes; -1 for a row without a label
    other: np.ndarray  # the most probable other class; the most probable of all without a label
    p_wrong: np.ndarray
    p_other: np.ndarray  # probability of ``other``
    suspicion: np.ndarray
    p_elsewhere: np.ndarray  # p_wrong if labels near the borders of classes are not noisy
    audited: np.ndarray  # bool; False where the class is too rare, or there is no label
    known: np.ndarray | None = None  # bool: the label is certain

    @property
    def doubtful(self) -> np.ndarray:
        """Whether a row has a label that may be wrong."""
        labelled = self.code >= 0
        return labelled if self.known is None else labelled & ~self.known

    @property
    def may_be_flagged(self) -> np.ndarray:
        """Rows whose label may be wrong, and which models could judge."""
        return self.doubtful & self.audited

    def ranking(self) -> Ranking:
        """What these rows add to the line that flags are drawn by."""
        rows = self.may_be_flagged
        return Ranking.of(self.p_wrong[rows], self.suspicion[rows])


# Small, but for the two that decide: a row must not change sides of the line on its way to disk.
_KINDS = {
    "code": np.int16,
    "other": np.int16,
    "p_wrong": np.float64,
    "p_other": np.float32,
    "suspicion": np.float64,
    "p_elsewhere": np.float32,
    "audited": np.bool_,
    "known": np.bool_,
}


def part_path(folder: Path, start: int) -> Path:
    """The file of the part that begins with a row, so that names sort as the rows do.

    >>> part_path(Path("rows"), 1_500).name
    'part-000000001500.parquet'
    """
    return folder / f"part-{start:012d}.parquet"


def write_judged(path: Path, judged: Judged) -> None:
    """Write the rows of a part; the file appears when it is whole."""
    columns = {
        name: column.astype(kind, copy=False)
        for name, kind in _KINDS.items()
        if (column := getattr(judged, name)) is not None
    }
    table = require("pyarrow", extra="tables").table(columns)
    with atomic_path(path) as temporary:
        require("pyarrow.parquet", extra="tables").write_table(table, temporary)


def read_judged(path: Path) -> Judged:
    """What :func:`write_judged` has written."""
    return Judged(**_read(path))


def read_codes(path: Path) -> np.ndarray:
    """Its labels alone."""
    return _read(path, ["code"])["code"]


def _read(path: Path, names: list[str] | None = None) -> dict[str, np.ndarray]:
    parquet = require("pyarrow.parquet", extra="tables")
    with readable(path), parquet.ParquetFile(path) as file:
        table = file.read(names)
    return {name: table[name].to_numpy() for name in table.column_names}
