"""Items as a person wants to see them: who voted what, what the table holds, items like it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._inputs import Inputs
from .._nearby import Near
from .._reasons import labels_nearby
from .._views import Likely, RowsView, inputs_to_show
from ._ballots import Ballots
from ._items import Items


@dataclass(frozen=True, kw_only=True)
class ItemView(RowsView):
    """All items."""

    proba: np.ndarray  # (N, K)
    other: np.ndarray  # (N,), code of the most probable class besides the majority
    ballots: Ballots

    @property
    def others(self) -> np.ndarray:
        """The most probable class of each item besides the majority."""
        return self.inputs.classes[self.other]

    def reasons(self, rows: np.ndarray, near: Sequence[Near]) -> list[list[str]]:
        """How many votes there are for what, and the labels of items around it."""
        codes, names = self.inputs.codes, self.inputs.classes
        return [
            [
                self.ballots.told(row),
                *labels_nearby(
                    around.rows, codes[row], self.other[row], codes, names, rows="items"
                ),
            ]
            for row, around in zip(rows.tolist(), near, strict=True)
        ]

    def likely(self, rows: np.ndarray) -> Likely:
        """Probabilities of the classes."""
        return Likely(self.inputs.classes, self.proba[rows], np.ones(len(rows), dtype=bool))

    def more(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """Who voted what."""
        return [{"votes": self.ballots.shown(row)} for row in rows.tolist()]


def inputs_for_people(items: Items, labels: np.ndarray) -> Inputs:
    """What is needed to show items: neighbours are looked for among those with votes."""
    votes, voted = items.votes, np.flatnonzero(items.votes.n_votes)
    X = None if items.X is None else items.X[voted]
    return inputs_to_show(
        *(items.table, labels, X, voted),
        used=items.used,
        classes=votes.classes,
        codes=votes.majority,
    )
