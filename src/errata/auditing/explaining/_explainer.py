"""One row of an audit explained, by models that have not learnt from it."""

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._format import four_digits
from ..._names import instead
from .._inputs import Inputs
from .._learning import Learnt
from .._nearby import Near, Neighborhood
from .._places import places_among
from .._reasons import labels_nearby
from .._row_values import RowValues
from .._settings import EXPLAINED_ROWS, SIMILAR_ROWS
from ..cards._maker import plain
from ._by_fold import ModelsByFold, fit_by_fold
from ._explanation import RowExplanation
from ._left_out import feature_places, leave_columns_out

if TYPE_CHECKING:
    from .._audit_rows import AuditRows

NO_COLUMNS = "Columns are not told apart: models looked at {} instead."


@dataclass(frozen=True)
class Explainer:
    """Explains rows of the audit that this was learnt for."""

    learnt: Learnt

    @cached_property
    def models(self) -> ModelsByFold:
        """Fitted when a row is first asked about, and kept."""
        return fit_by_fold(self.learnt)

    def explain(
        self, audit: "AuditRows", row: int, *, names: np.ndarray | None, other: Any
    ) -> RowExplanation:
        """What speaks for and against the label of a row, and for the class ``other``."""
        inputs = self.learnt.inputs
        at = self._place(row)
        label, new = self.learnt.data.codes[at], _code_of(other, inputs)
        X = self.learnt.data.X[at]
        near = Neighborhood(inputs, n_jobs=self.learnt.data.n_jobs).around(np.array([row]))[0]
        pooled = self.models.proba(X[None], at)[0]
        return RowExplanation(
            row=row,
            id=None if names is None else str(names[row]),
            label=plain(audit.labels[row]),
            suggested=plain(other),
            p_wrong=float(audit.p_wrong[row]),
            p_label=float(pooled[label]),
            p_suggested=float(pooled[new]),
            models=self._models(X, at, label, new),
            neighbors=_neighbors(near, inputs, names),
            columns=self._columns(X, at, row, label, new),
            notes=[*self._around(near, label, new), *self._notes(audit)],
        )

    def _place(self, row: int) -> int:
        """The place of a row among the audited ones."""
        at, is_audited = places_among(self.learnt.inputs.audited, np.array([row]))
        if not is_audited[0]:
            has_label = self.learnt.inputs.codes[row] >= 0
            why = "its label is the only one of its class" if has_label else "it has no label"
            raise ValueError(f"row {row} was not audited, as {why}; there is nothing to explain.")
        return int(at[0])

    def _models(self, X: np.ndarray, at: int, label: int, new: int) -> list[dict[str, Any]]:
        """What each model says, the one that weighs most first."""
        told, share = self.models.by_model(X, at), self.models.weights
        share = share / (share.sum() or 1.0)
        return [
            {
                "model": self.models.names[place],
                "weight": round(float(share[place]), 4),
                "p_label": four_digits(told[place, label]),
                "p_suggested": four_digits(told[place, new]),
            }
            for place in np.argsort(-share, kind="stable").tolist()
        ]

    def _columns(
        self, X: np.ndarray, at: int, row: int, label: int, new: int
    ) -> list[dict[str, Any]]:
        """The columns, those that speak most against the label first."""
        inputs = self.learnt.inputs
        if _unnamed(inputs) or inputs.features is None or inputs.features.plan is None:
            return []
        plan = inputs.features.plan
        found = leave_columns_out(
            lambda rows: self.models.proba(rows, at),
            *(X, self._others(at), feature_places(plan)),
            label=label,
            other=new,
        )
        names, cells = _named_cells(inputs, row)
        return [
            {
                "column": names[plan.columns[j]],
                "value": cells.get(plan.columns[j]),
                "against": round(float(found.against[j]), 4),
                "p_label": four_digits(found.p_label[j]),
            }
            for j in np.argsort(-found.against, kind="stable").tolist()
        ]

    def _others(self, at: int) -> np.ndarray:
        """Rows whose values stand in; the same for all columns, so that these can be compared."""
        data = self.learnt.data
        groups = np.arange(len(data.codes)) if data.groups is None else data.groups
        others = np.flatnonzero(groups != groups[at])
        random = np.random.default_rng([data.random_state, at])
        drawn = random.choice(others, min(EXPLAINED_ROWS, len(others)), replace=False)
        return data.X[np.sort(drawn)]

    def _around(self, near: Near, label: int, new: int) -> list[str]:
        inputs = self.learnt.inputs
        codes = np.searchsorted(inputs.present, inputs.codes)
        return labels_nearby(near.rows, label, new, codes, inputs.classes[inputs.present])

    def _notes(self, audit: "AuditRows") -> list[str]:
        unasked, looked = self.models.unasked, _unnamed(self.learnt.inputs)
        return [
            *([NO_COLUMNS.format(looked)] if looked else []),
            *([f"Not asked about columns: {', '.join(unasked)}."] if unasked else []),
            *([] if audit.has_skill else ["The columns do not tell the labels apart: doubt this."]),
        ]


def chosen_row(row: Any, n: int, names: np.ndarray | None) -> int:
    """The place of the row that is meant: a whole number is a place, a text is an id.

    Examples
    --------
    >>> chosen_row(1, 3, None), chosen_row("b", 3, np.array(["a", "c", "b"]))
    (1, 2)
    """
    if isinstance(row, Integral) and not isinstance(row, bool):
        if not 0 <= int(row) < n:
            raise ValueError(f"there is no row {row}; the rows are 0 to {n - 1}.")
        return int(row)
    if names is None:
        raise ValueError(f"row={row!r} must be the place of a row, from 0; the audit has no ids.")
    places = np.flatnonzero(names.astype(str) == str(row))
    if len(places) != 1:
        told = f"{len(places)} rows are called" if len(places) else "no row is called"
        hint = "pass its place instead." if len(places) else instead(row, names, what="ids")
        raise ValueError(f"{told} {str(row)!r}; {hint}")
    return int(places[0])


def _code_of(other: Any, inputs: Inputs) -> int:
    """The class among those that were audited."""
    return int(np.flatnonzero(inputs.classes[inputs.present] == other)[0])


def _unnamed(inputs: Inputs) -> str:
    """What models looked at that is not a column of the table; nothing where they are."""
    if inputs.used is None:
        return "embeddings"
    return "" if inputs.scale is None or inputs.scale.axes is None else "main axes of many columns"


def _named_cells(inputs: Inputs, row: int) -> tuple[dict[Any, str], dict[Any, str]]:
    """For each column what it is called, and what the row holds there."""
    values = RowValues(inputs.table, None)
    places = range(len(values.columns))
    held = values.of(row, list(places))
    names = {column.key: column.name for column in values.columns}
    return names, {column.key: held[column.name] for column in values.columns}


def _neighbors(near: Near, inputs: Inputs, names: np.ndarray | None) -> list[dict[str, Any]]:
    return [
        {
            "row": place,
            "id": None if names is None else str(names[place]),
            "label": plain(inputs.labels[place]),
            "distance": round(away, 4),
        }
        for place, away in zip(
            near.rows[:SIMILAR_ROWS].tolist(), near.distances.tolist(), strict=False
        )
    ]
