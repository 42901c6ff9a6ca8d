"""A part of a stored table: some of its rows, read when they are asked for."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._format import count
from ._records import check_named_once


@dataclass(frozen=True)
class SourcePart(ABC):
    """The rows from ``start`` to ``stop`` of a stored table; small, and can be pickled."""

    start: int
    stop: int
    name: str  # for messages: the file, and which of its rows
    columns: tuple[str, ...]

    def read(self, columns: Sequence[str] | None = None) -> Any:
        """The rows as an Arrow table, with the named columns (all when None) in that order."""
        names = list(self.columns if columns is None else columns)
        check_named_once(self.columns, names, self.name)
        table = self._read(names)
        if table.num_rows != self.stop - self.start:
            raise ValueError(
                f"{self.name}: {count(table.num_rows)} rows are there now; the table has changed "
                "since it was opened. Begin again."
            )
        return table.select(names)

    @abstractmethod
    def _read(self, names: list[str]) -> Any:
        """At least the named columns of these rows."""


def rows_of(where: str, start: int, n_rows: int) -> str:
    """The name of a part.

    >>> rows_of("visits/b.parquet", 0, 200_000)
    'visits/b.parquet, rows 0 to 199,999'
    """
    return f"{where}, rows {count(start)} to {count(start + n_rows - 1)}"
