"""Rows with several labels as a person wants to see them, to decide which of them are right."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._format import four_digits
from .._inputs import Inputs
from .._nearby import Near
from .._settings import CARD_CELLS
from .._views import RowsView, inputs_to_show
from ._cell_examples import doubted_cells, reasons_for_cells
from ._inputs import CellInputs

if TYPE_CHECKING:
    from ._result import MultilabelAudit


@dataclass(frozen=True, kw_only=True)
class CellView(RowsView):
    """All rows."""

    audit: "MultilabelAudit"

    @property
    def others(self) -> np.ndarray:
        """The labels of each row without its doubted cells."""
        audit = self.audit
        places, worst = np.arange(len(audit.names)), audit.p_wrong_cells.argmax(axis=1)
        doubted = np.where(audit.flagged[:, None], audit.flagged_cells, places == worst[:, None])
        return sets_of(audit.names, np.where(doubted, 1 - audit.labels, audit.labels))

    def reasons(self, rows: np.ndarray, near: Sequence[Near]) -> list[list[str]]:
        """Which labels look missing or wrongly set."""
        return [
            reasons_for_cells(self.audit, row, around.rows.tolist())
            for row, around in zip(rows.tolist(), near, strict=True)
        ]

    def more(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """Labels that are set or doubted most, the most doubted first."""
        return [{"cells": self._cells(row)} for row in rows.tolist()]

    def _cells(self, row: int) -> list[list[Any]]:
        audit = self.audit
        p, is_set, doubted = audit.p_wrong_cells[row], audit.labels[row], doubted_cells(audit, row)
        order = np.lexsort((-p, ~doubted))
        shown = (np.arange(len(order)) < CARD_CELLS) | (is_set[order] == 1)
        return [
            [audit.names[place], bool(is_set[place]), four_digits(p[place]), bool(doubted[place])]
            for place in order[shown].tolist()
        ]


def sets_of(names: Sequence[Any], labels: np.ndarray) -> np.ndarray:
    """The names of the labels that each row has.

    >>> sets_of(["cat", "dog"], np.array([[1, 1], [0, 0]])).tolist()
    [['cat', 'dog'], []]
    """
    sets = np.empty(len(labels), dtype=object)
    sets[:] = [[names[place] for place in np.flatnonzero(row).tolist()] for row in labels]
    return sets


def cells_to_show(audit: "MultilabelAudit", inputs: CellInputs, *, are_embedded: bool) -> Inputs:
    """What is needed to show rows."""
    features, X = inputs.features, inputs.rows.X
    used = None if features is None or are_embedded else features.columns
    return inputs_to_show(
        *(inputs.given.table, sets_of(audit.names, audit.labels)),
        *(X if X.shape[1] else None, np.arange(len(audit))),
        used=used,
    )
