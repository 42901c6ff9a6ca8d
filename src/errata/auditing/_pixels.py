"""Rows that are pictures: their pixels, and whether there are as many as a shape asks for."""

from typing import Any

import numpy as np
from scipy import sparse

from ..tables._cells import numbers
from ..tables._columns import column_names, columns_of


def check_pixels(table: Any, shape: tuple[int, ...]) -> None:
    """Raise when the rows of a table are not pictures of this shape."""
    if column_names(table):
        columns = as_pixels(table).shape[1]
    else:
        columns = 0 if table is None else np.shape(table)[1]
    if columns != int(np.prod(shape)):
        wanted = " x ".join(map(str, shape))
        raise ValueError(f"image_shape says {wanted} pixels, but the table has {columns} columns.")


def as_pixels(table: Any) -> np.ndarray:
    """The numbers of a table of any kind, one row for each picture."""
    if column_names(table):
        columns = [numbers(column.values) for column in columns_of(table)]
        return np.column_stack([column for column in columns if column is not None])
    return np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=float)
