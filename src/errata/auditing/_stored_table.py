"""A table that is read in parts, and what is learnt from rows drawn from it."""

from typing import Any, NamedTuple

import numpy as np

from ..tables._columns import column_array
from ..tables._sources import Source, take_source_rows
from ..tables._sources_types import stacked
from ._table_columns import TableColumns
from ._views import Looked


class StoredTable(NamedTuple):
    """A stored table, and what its columns are for."""

    source: Source
    columns: TableColumns
    seed: int

    @property
    def n_rows(self) -> int:
        """Rows of all parts."""
        return self.source.n_rows

    @property
    def parts(self) -> list[Any]:
        """Its parts."""
        return self.source.parts

    def look(self, drawn: Any, classes: np.ndarray, rows: np.ndarray) -> Looked:
        """Rows read again, to be looked at among those that were drawn."""
        table = take_source_rows(self.source, rows, self.columns.read)
        given = self.columns.labelled(table, classes)
        both = stacked([drawn, given.table]).combine_chunks()
        return Looked(self.columns.rows(table, rows, given), given.labels, both)

    def ids(self, rows: np.ndarray) -> np.ndarray | None:
        """What rows are called, where a column says so; ``rows`` are in order."""
        name = self.columns.ids
        if name is None:
            return None
        return column_array(take_source_rows(self.source, rows, [name]), name)
