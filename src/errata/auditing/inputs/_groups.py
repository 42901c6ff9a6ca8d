"""Rows that must be left out together, and what rows are called.

Only pandas has one. Everything else calls its rows by their place.
"""

from hashlib import blake2b
from typing import Any

import numpy as np
from scipy.sparse import block_array, coo_array
from scipy.sparse.csgraph import connected_components

from ..._validation import is_missing
from ...tables._columns import column_array
from .._settings import GROUP_FOLDS

COLUMN = "index {}"  # of each level, in a table on disk


def joined(groups: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Groups of rows that share a group in either, directly or through other rows."""
    sides = coo_array((np.ones(len(groups)), (groups, others)))
    graph = block_array([[None, sides], [sides.T, None]])
    return connected_components(graph, directed=False)[1][groups]


def renumbered(groups: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    """Groups of some of the rows, counted anew from 0; None where a single one is left."""
    if groups is None:
        return None
    numbers = np.unique(groups[rows], return_inverse=True)[1]
    return numbers if numbers.max() > 0 else None


def group_numbers(groups: np.ndarray, audited: np.ndarray) -> np.ndarray:
    """For each audited row the number of its group."""
    missing = np.flatnonzero([is_missing(group, text=True) for group in groups])
    if len(missing):
        raise ValueError(
            f"groups is missing in {len(missing)} of the rows (the first is row {missing[0]}); a "
            "row without a group needs one of its own."
        )
    names, numbers = _numbered(groups[audited])
    if len(names) < 2:
        raise ValueError(
            "groups holds one group only; a row is predicted from rows of other groups."
        )
    return numbers


def group_folds(groups: np.ndarray, seed: int) -> np.ndarray:
    """A fold for each row, by the name of its group: the same in any part of a table.

    Examples
    --------
    >>> folds = group_folds(np.array(["ann", "ben", "ann"]), seed=0)
    >>> bool(folds[0] == folds[2])
    True
    """
    names, numbers = _numbered(groups)
    key = seed.to_bytes(8, "little")
    digests = [blake2b(name.encode(), digest_size=8, key=key).digest() for name in names]
    folds = np.array([int.from_bytes(digest, "little") % GROUP_FOLDS for digest in digests])
    return folds[numbers]


def _numbered(groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The names of the groups in order, and which of them each row has."""
    # Objects, as an array of strings would be as wide as the longest of them in every row.
    texts = np.array([str(group) for group in groups.tolist()], dtype=object)
    return np.unique(texts, return_inverse=True)


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
    import pandas

    columns = [column_array(table, COLUMN.format(place)) for place in range(len(names))]
    if len(columns) == 1:
        return pandas.Index(columns[0], name=names[0])
    return pandas.MultiIndex.from_arrays(columns, names=names)


def places_among(ordered: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The place of each row among those in order, and whether it is there at all.

    The place of a row that is not there means nothing, but is that of some row.

    Examples
    --------
    >>> places_among(np.array([2, 5, 9]), np.array([9, 3, 2, 11]))
    (array([2, 1, 0, 2]), array([ True, False,  True, False]))
    """
    at = np.searchsorted(ordered, rows).clip(max=len(ordered) - 1)
    return at, ordered[at] == rows
