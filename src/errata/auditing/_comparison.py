"""Each example beside the nearest rows: which columns to show first, and which cells differ."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..tables._columns import Column
from ._evidence import differs, evidence, read_cells
from ._settings import EVIDENCE_ROWS, EXAMPLE_COLUMNS, SPEAKS


class Told(NamedTuple):
    """The columns of one example, in the order to read them in."""

    places: list[int]
    speaking: int  # so many of the first speak against the label
    differing: list[set[int]]  # for each of the nearest rows, the columns in which it differs


def compare_rows(
    columns: Sequence[Column],
    is_used: Sequence[bool],
    codes: np.ndarray,
    rows: np.ndarray,
    other: np.ndarray,
    nearest: Sequence[Sequence[int]],
    *,
    random: np.random.Generator,
) -> list[Told]:
    """What to tell about ``rows``; it costs a sort of 20,000 rows at most for each column.

    Parameters
    ----------
    columns : sequence of Column
        Those of the table.
    is_used : sequence of bool
        Whether models looked at the column. Others never speak: identifiers, and columns that
        look made from the label.
    codes, other : arrays of shape (n,) and of the shape of ``rows``
        Labels, and the class that speaks against the label of each of ``rows``.
    rows : array
        The examples.
    nearest : sequence of sequences of int
        The rows that each example is shown beside.
    random : Generator
        Draws the rows that frequencies are taken from, if there are too many.

    Returns
    -------
    list of Told
        One for each of ``rows``.
    """
    if not len(columns):
        return [Told([], 0, [set() for _ in near]) for near in nearest]
    pairs = [(i, near) for i, found in enumerate(nearest) for near in found]
    which, beside = np.array(pairs, dtype=int).reshape(-1, 2).T
    kept, counted = _looked_at(codes, np.union1d(rows, beside), random)
    at, near = np.searchsorted(kept, rows), np.searchsorted(kept, beside)
    weights = np.zeros((len(rows), len(columns)))
    unequal = np.zeros((len(near), len(columns)), dtype=bool)
    is_text = np.zeros(len(columns), dtype=bool)
    for j, column in enumerate(columns):
        cells = read_cells(column.take(kept))
        is_text[j] = cells.is_text
        unequal[:, j] = differs(cells, at[which], near)
        if is_used[j]:
            weights[:, j] = evidence(cells.bins, codes[kept], at, other, counted)
    return [
        Told(
            *_in_order(weight, is_text),
            [set(np.flatnonzero(u).tolist()) for u in unequal[which == i]],
        )
        for i, weight in enumerate(weights)
    ]


def _looked_at(
    codes: np.ndarray, needed: np.ndarray, random: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rows to look at in their order, and which of them are labelled, drawn and not just needed."""
    n = len(codes)
    drawn = np.arange(n) if n <= EVIDENCE_ROWS else random.choice(n, EVIDENCE_ROWS, replace=False)
    kept = np.union1d(drawn, needed)
    return kept, np.isin(kept, drawn) & (codes[kept] >= 0)


def _in_order(weight: np.ndarray, is_text: np.ndarray) -> tuple[list[int], int]:
    """Columns that speak, the weightiest first; then texts; then others as the table has them."""
    speaks = weight >= np.log(SPEAKS)
    order = np.lexsort((-weight * speaks, ~is_text, ~speaks))[:EXAMPLE_COLUMNS]
    return order.tolist(), int(speaks[order].sum())
