"""What rows hold, a column at a time, and where a row stands out among its neighbours."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ..._format import shortened
from ..._validation import is_missing
from ...tables._columns import Column
from .._evidence import Cells, read_cells
from .._settings import CARD_COLUMNS, CARD_SAMPLE, CARD_TEXT, STANDS_OUT


def texts_of(column: Column, rows: np.ndarray) -> list[str]:
    """The cells of some rows as text, whole; nothing where one is missing."""
    cells = column.array(rows)
    if cells.dtype == float:  # there may be millions of them: what Python does itself is quickest
        return ["" if cell != cell else repr(cell) for cell in cells.tolist()]
    return [cell if _is_plain(cell) else _as_text(cell) for cell in cells]


def _is_plain(cell: Any) -> bool:
    return isinstance(cell, str) and len(cell) <= CARD_TEXT


def _as_text(cell: Any) -> str:
    return "" if is_missing(cell) else shortened(str(cell), CARD_TEXT)


def standing_out(
    columns: Sequence[Column],
    is_used: Sequence[bool],
    rows: np.ndarray,
    near: np.ndarray,
    random: np.random.Generator,
) -> list[list[int]]:
    """For each row the places of eight columns at most, to be read first.

    Those in which it differs more from its neighbours than these do among themselves come first,
    then texts, then others as the table has them. So an identifier, which differs from row to row,
    does not stand out, and a fever among the healthy does.

    Parameters
    ----------
    columns, is_used
        Columns of the table, and whether models looked at them. Others never stand out.
    rows, near : arrays of shape (m,) and (m, k)
        Rows, and their neighbours: none (k = 0) where none are known.
    random : Generator
        Draws the rows that tell how far the values of a column are spread.
    """
    if not len(columns):
        return [[] for _ in rows]
    n = len(columns[0].values)
    drawn = random.choice(n, min(n, CARD_SAMPLE), replace=False)
    kept = np.unique(np.r_[drawn, rows, near.ravel()])
    at, beside = np.searchsorted(kept, rows), np.searchsorted(kept, near)
    scores, is_text = np.zeros((len(rows), len(columns))), np.zeros(len(columns), dtype=bool)
    for j, column in enumerate(columns):
        cells = read_cells(column.take(kept))
        is_text[j] = cells.is_text
        if is_used[j] and near.shape[1] > 1:
            scores[:, j] = _difference(cells, at, beside)
    return [_in_order(score, is_text) for score in scores]


def _difference(cells: Cells, at: np.ndarray, near: np.ndarray) -> np.ndarray:
    """How much rows differ from their neighbours on the mean, less what these do by themselves."""
    away = np.mean([_apart(cells, at, others) for others in near.T], axis=0)
    pairs = combinations(near.T, 2)
    return away - np.mean([_apart(cells, one, other) for one, other in pairs], axis=0)


def _apart(cells: Cells, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """From 0 for the same to 1: a half for numbers as far apart as the column is spread."""
    a, b = cells.values[rows], cells.values[others]
    if cells.bins is cells.values:  # words, which are the same or not
        return (a != b).astype(float)
    gap = np.abs(a - b)
    apart = np.divide(gap, gap + cells.spread, out=np.zeros(len(gap)), where=gap > 0)
    return np.where(np.isnan(a) | np.isnan(b), np.isnan(a) != np.isnan(b), apart)


def _in_order(score: np.ndarray, is_text: np.ndarray) -> list[int]:
    stands_out = score >= STANDS_OUT
    order = np.lexsort((-score * stands_out, ~is_text, ~stands_out))
    return order[:CARD_COLUMNS].tolist()
