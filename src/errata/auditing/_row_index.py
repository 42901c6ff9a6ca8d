"""The index of the user's dataframe: what its rows are called, carried from table to result.

Only pandas has one. Everything else calls its rows by their place.
"""

from typing import Any

import numpy as np

from .._optional import require
from ..tables._columns import column_array

COLUMN = "index {}"  # of each level, in a table on disk


def row_index(table: Any) -> Any:
    """The index of a pandas dataframe; None where it merely counts the rows from 0."""
    if not (hasattr(table, "iloc") and hasattr(table, "index")):
        return None
    index = table.index
    counts = index.nlevels == 1 and index.name is None and index.dtype.kind in "iu"
    return None if counts and np.array_equal(index, np.arange(len(index))) else index


def names_by(index: Any) -> np.ndarray:
    """What each row is called, as text."""
    if index.nlevels == 1:
        return np.array([str(name) for name in index], dtype=object)
    return np.array([", ".join(map(str, levels)) for levels in index], dtype=object)


def index_columns(index: Any) -> dict[str, list[Any]]:
    """The levels as columns that can be written; none for no index."""
    if index is None:
        return {}
    levels = (index.get_level_values(place) for place in range(index.nlevels))
    return {COLUMN.format(place): _plain(level) for place, level in enumerate(levels)}


def _plain(level: Any) -> list[Any]:
    """Values of a level that a file can hold; what none can, such as intervals, as text."""
    # Categories, periods, intervals and time zones are pandas' own, and need not come back.
    of_numpy = isinstance(level.dtype, np.dtype) and level.dtype.kind in "biufM"
    plain = of_numpy or (level.inferred_type in ("string", "integer") and not level.hasnans)
    return level.tolist() if plain else [str(value) for value in level]


def index_names(index: Any) -> list[str | int | None] | None:
    """What the levels are called, as JSON can hold it; None for no index."""
    if index is None:
        return None
    plain = (str, int, type(None))
    return [name if isinstance(name, plain) else str(name) for name in index.names]


def index_in(table: Any, names: list[Any] | None) -> Any:
    """What :func:`index_columns` took apart, put together from the columns of a table on disk."""
    if names is None:
        return None
    pandas = require("pandas", extra="tables")
    columns = [column_array(table, COLUMN.format(place)) for place in range(len(names))]
    if len(columns) == 1:
        return pandas.Index(columns[0], name=names[0])
    return pandas.MultiIndex.from_arrays(columns, names=names)
