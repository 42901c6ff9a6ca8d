"""Any table as a list of named columns."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np


class Column(NamedTuple):
    """A column: what the table calls it, what we call it, its cells."""

    key: Any
    name: str
    values: np.ndarray


def columns_of(table: Any) -> list[Column]:
    """The columns of a mapping, a pandas or polars dataframe, or a two-dimensional array."""
    keys, values = _parts(table)
    lengths = {len(column) for column in values}
    if len(lengths) > 1:
        raise ValueError(f"the columns are not of one length, but of {sorted(lengths)}.")
    if lengths in (set(), {0}):
        raise ValueError("the table is empty; errata needs rows and columns.")
    names = [f"x{key}" for key in keys] if isinstance(keys, range) else _distinct_names(keys)
    return [Column(*parts) for parts in zip(keys, names, values, strict=True)]


def without(columns: list[Column], drop: Sequence[Any]) -> list[Column]:
    """The columns that are not to be dropped, by what either side calls them."""
    drop = [drop] if isinstance(drop, str) else list(drop)
    known = {key for column in columns for key in (column.key, column.name)}
    for key in drop:
        if key not in known:
            names = ", ".join(column.name for column in columns)
            raise ValueError(f"there is no column {key!r} to drop; the columns are {names}.")
    return [column for column in columns if not {column.key, column.name} & set(drop)]


def _parts(table: Any) -> tuple[Sequence[Any], list[np.ndarray]]:
    if isinstance(table, Mapping):
        return list(table), [np.asarray(column) for column in table.values()]
    if hasattr(table, "iloc") and hasattr(table, "columns"):  # pandas: names may occur twice
        width = len(table.columns)
        return list(table.columns), [table.iloc[:, i].to_numpy() for i in range(width)]
    if hasattr(table, "get_columns"):  # polars
        return list(table.columns), [column.to_numpy() for column in table.get_columns()]
    array = np.asarray(table)
    if array.ndim != 2:
        raise ValueError(f"a table has rows and columns, but this one has the shape {array.shape}.")
    return range(array.shape[1]), list(array.T)


def _distinct_names(keys: Sequence[Any]) -> list[str]:
    """Names as text; the second "a" is called "a (2)"."""
    seen: Counter[str] = Counter()
    names = []
    for key in keys:
        seen[str(key)] += 1
        times = seen[str(key)]
        names.append(str(key) if times == 1 else f"{key} ({times})")
    return names
