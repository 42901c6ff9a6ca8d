"""One card after the other: what the audit says of a row, what it holds, and the rows like it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._format import four_digits
from .._nearby import NOTHING_NEAR, Near, Neighborhood
from .._row_values import RowValues
from .._settings import CARD_CLASSES, SIMILAR_ROWS
from .._views import RowsView
from ._cells import standing_out, texts_of


class CardMaker:
    """Makes cards of rows; holds what is the same for all of them."""

    def __init__(
        self,
        *,
        view: RowsView,
        table: Any,
        image_shape: tuple[int, ...] | None,
        ids: np.ndarray | None,
        keys: np.ndarray,
        p_wrong: np.ndarray,
        seed: int,
        n_jobs: int | None,
    ) -> None:
        self.view, self.inputs = view, view.inputs
        self.values = RowValues(table, image_shape)
        used = view.inputs.used
        self.is_used = [used is None or column.key in used for column in self.values.columns]
        self.neighborhood = Neighborhood(view.inputs, n_jobs=n_jobs)
        self.suggested = view.others
        self.ids, self.keys, self.p_wrong = ids, keys, p_wrong
        self.random = np.random.default_rng(seed)

    def cards(self, rows: np.ndarray, *, with_neighbors: bool) -> list[dict[str, Any]]:
        """The cards of these rows, in this order."""
        near = [NOTHING_NEAR] * len(rows)
        if with_neighbors:
            near = self.neighborhood.around(rows)
        reasons, more = self.view.reasons(rows, near), self.view.more(rows)
        parts = zip(self._classes(rows), reasons, self._held(rows, near), more, strict=True)
        return [
            {
                **self._judged(row),
                "classes": classes,
                "reasons": sentences,
                **held,
                **told,
                "image": self.values.drawn(row),
                "picture": self.values.file_name(row),
            }
            for row, (classes, sentences, held, told) in zip(rows.tolist(), parts, strict=True)
        ]

    def _judged(self, row: int) -> dict[str, Any]:
        return {
            "row": row,
            "id": None if self.ids is None else str(self.ids[row]),
            "key": self.keys[row],
            "label": plain(self.inputs.labels[row]),
            "suggested": plain(self.suggested[row]),
            "p_wrong": four_digits(self.p_wrong[row]),
        }

    def _classes(self, rows: np.ndarray) -> list[list[list[Any]]]:
        """The most probable classes of each row and their probabilities; none if not audited."""
        classes, p, is_known = self.view.likely(rows)
        names = [plain(name) for name in classes]
        top = np.argsort(-p, axis=1, kind="stable")[:, :CARD_CLASSES]
        found = iter(
            [[names[code], four_digits(own[code])] for code in codes]
            for codes, own in zip(top.tolist(), p, strict=True)
        )
        return [next(found) if known else [] for known in is_known]

    def _held(self, rows: np.ndarray, near: Sequence[Near]) -> list[dict[str, Any]]:
        """What each row and those like it hold, and in which columns it stands out."""
        places = self._places(rows, near)
        values: list[dict[str, str]] = [{} for _ in rows]
        beside: list[list[dict[str, str]]] = [[{} for _ in _shown(around)] for around in near]
        for j, column in enumerate(self.values.columns):
            asking = [i for i, speaking in enumerate(places) if j in speaking]
            wanted = [rows, *(_shown(near[i]) for i in asking)]
            cells = [*values, *(held for i in asking for held in beside[i])]
            for held, text in zip(cells, texts_of(column, np.concatenate(wanted)), strict=True):
                held[column.name] = text
        return [
            {
                "values": values[i],
                "speaking": [self.values.columns[j].name for j in places[i]],
                "similar": self._similar(near[i], beside[i]),
            }
            for i in range(len(rows))
        ]

    def _places(self, rows: np.ndarray, near: Sequence[Near]) -> list[list[int]]:
        """The columns of each row that are read first, whether it has neighbours or not."""
        found: list[list[int]] = [[] for _ in rows]
        counts = np.array([len(_shown(around)) for around in near])
        for count in np.unique(counts):
            some = np.flatnonzero(counts == count).tolist()
            shown = np.array([_shown(near[i]) for i in some]).reshape(len(some), count)
            columns = self.values.columns
            told = standing_out(columns, self.is_used, rows[some], shown, self.random)
            for i, places in zip(some, told, strict=True):
                found[i] = places
        return found

    def _similar(self, near: Near, held: list[dict[str, str]]) -> list[dict[str, Any]] | None:
        """The nearest rows whatever their label; None where they were not looked for."""
        if not len(near.rows):
            return None
        return [
            {
                "row": row,
                "label": plain(self.inputs.labels[row]),
                "distance": round(away, 4),
                "values": cells,
                "image": self.values.drawn(row),
            }
            for row, away, cells in zip(
                _shown(near).tolist(), near.distances.tolist(), held, strict=False
            )
        ]


def _shown(near: Near) -> np.ndarray:
    return near.rows[:SIMILAR_ROWS].astype(np.intp)


def plain(label: Any) -> Any:
    """A label as Python's own value, which JSON can hold."""
    return label.item() if isinstance(label, np.generic) else label
