"""Rows that a person wants to see, with what is known of them and of the rows around them.

Of a large table these are looked at among the drawn rows: their cells and features are at hand.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ._inputs import Inputs, for_all_rows
from ._judging import Judge, JudgedRows, TableRows
from ._learning import Learnt
from ._nearby import Near
from ._places import places_among
from ._pooling import PooledModel
from ._reasons import most_probable_others, reasons_for
from .classes import Posterior, classes_of_rows

PER_ROW = ("p_wrong", "suspicion", "other", "p_other", "p_elsewhere")  # of a posterior


class Likely(NamedTuple):
    """How probable each class is, of those rows of which it is known."""

    names: np.ndarray  # (classes,)
    p: np.ndarray  # (known rows, classes)
    is_known: np.ndarray  # (rows,), bool


@dataclass(frozen=True, kw_only=True)
class RowsView(ABC):
    """Some rows of a table, or all, whoever gave them their labels."""

    inputs: Inputs
    rows: np.ndarray | None = None  # their places in the table; None for all

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Where rows of the table are in the view."""
        if self.rows is None:
            return rows
        return self._order[np.searchsorted(self.rows, rows, sorter=self._order)]

    @cached_property
    def _order(self) -> np.ndarray:
        return np.argsort(np.asarray(self.rows))

    def of_all(self, values: np.ndarray) -> np.ndarray:
        """What is known of all rows of the table, of those in the view."""
        return values if self.rows is None else values[self.rows]

    def in_table(self, told: Any) -> Any:
        """What is told of rows of the view, with their places in the table."""
        if self.rows is None:
            return told
        if isinstance(told, list):
            return [self.in_table(part) for part in told]
        if isinstance(told, dict):
            moved = {key: self.in_table(part) for key, part in told.items()}
            return moved | ({"row": self._row(told["row"])} if "row" in told else {})
        return told

    def _row(self, place: Any) -> Any:
        found = np.asarray(self.rows)[place]
        return found.tolist()

    @property
    @abstractmethod
    def others(self) -> np.ndarray:
        """The most probable other class of each row in the view."""

    @abstractmethod
    def reasons(self, rows: np.ndarray, near: Sequence[Near]) -> list[list[str]]:
        """Sentences about rows of the view, given those around them."""

    def likely(self, rows: np.ndarray) -> Likely:
        """Probabilities of the classes, of those rows of which they are known."""
        return Likely(np.empty(0), np.empty((0, 0)), np.zeros(len(rows), dtype=bool))

    def more(self, rows: np.ndarray) -> list[dict[str, Any]]:
        """What a card tells besides, of each row."""
        return [{} for _ in rows]


@dataclass(frozen=True, kw_only=True)
class View(RowsView):
    """Rows with one label each, and what is known of them."""

    posterior: Posterior  # of the audited ones
    logs: np.ndarray  # (K, audited)
    models: Sequence[PooledModel]

    @property
    def p_wrong(self) -> np.ndarray:
        """That of the rows in the view, those that were not audited included."""
        p_wrong = for_all_rows(self.inputs, self.posterior.p_wrong, self.posterior.rate)
        return np.where(self.inputs.doubtful, p_wrong, 0.0)

    @property
    def others(self) -> np.ndarray:
        """The most probable other class of each row in the view."""
        return most_probable_others(self.inputs, self.posterior.other)

    def reasons(self, rows: np.ndarray, near: Sequence[Near]) -> list[list[str]]:
        """Sentences about rows of the view, given those around them."""
        return reasons_for(rows, near, self.inputs, self.posterior.other, self.models)

    def likely(self, rows: np.ndarray) -> Likely:
        """Probabilities of the classes, of those rows that were audited."""
        at, is_audited = places_among(self.inputs.audited, rows)
        codes = self.inputs.audited_codes
        p = classes_of_rows(self.posterior, self.logs, codes, at[is_audited]).T
        return Likely(self.inputs.classes[self.inputs.present], p, is_audited)


def inputs_to_show(
    table: Any,
    labels: np.ndarray,
    X: np.ndarray | None,
    audited: np.ndarray,
    *,
    used: list[Any] | None = None,
    classes: np.ndarray | None = None,
    codes: np.ndarray | None = None,
) -> Inputs:
    """What is needed to show rows of another kind; ``X`` are the features of ``audited`` ones."""
    return Inputs(
        table=table,
        model_table=None,
        labels=labels,
        classes=np.empty(0, dtype=object) if classes is None else classes,
        codes=np.zeros(len(labels), dtype=np.intp) if codes is None else codes,
        features=None,
        used=used,
        X=X,
        audited=audited,
        groups=None,
        notes=[],
    )


class Looked(NamedTuple):
    """Rows that were fetched to be looked at."""

    rows: TableRows
    labels: np.ndarray
    beside: Any  # their table under that of the drawn rows


@dataclass(frozen=True)
class Viewer:
    """Shows rows of a table among those that were drawn from it."""

    learnt: Learnt
    judge: Judge
    fetch: Callable[[np.ndarray], Looked]
    posterior_at: Callable[[np.ndarray], Posterior] | None = None  # where it is known of all rows

    def view(self, rows: np.ndarray) -> View:
        """The drawn rows and these."""
        drawn = np.asarray(self.learnt.inputs.drawn)
        _, are_drawn = places_among(drawn, rows)
        extra = np.sort(rows[~are_drawn])
        looked = self.fetch(extra)
        judged = self.judge.judge(looked.rows)
        places = np.r_[drawn, extra]
        inputs = _stacked(self.learnt.inputs, looked, judged)
        if self.posterior_at is None:
            posterior = _with_rows(self.learnt.posterior, judged)
        else:
            posterior = self.posterior_at(places[inputs.audited])
        logs = np.concatenate([self.learnt.pool.logs, judged.logs], axis=1)
        models = [
            model._replace(predicted=np.r_[model.predicted, predicted])
            for model, predicted in zip(self.learnt.pool.models, judged.predicted, strict=True)
        ]
        return View(inputs=inputs, posterior=posterior, logs=logs, models=models, rows=places)


def _stacked(drawn: Inputs, looked: Looked, judged: JudgedRows) -> Inputs:
    """The drawn rows, and under them those that were fetched."""
    known = None
    if drawn.known is not None and looked.rows.known is not None:
        known = np.r_[drawn.known, looked.rows.known]
    X = drawn.X
    if X is not None and judged.X is not None:
        X = np.concatenate([X, judged.X.astype(X.dtype)])  # and not all rows in double precision
    return drawn._replace(
        table=looked.beside,
        labels=np.concatenate([drawn.labels, looked.labels]),
        codes=np.r_[drawn.codes, looked.rows.codes],
        X=X,
        audited=np.r_[drawn.audited, len(drawn.codes) + np.flatnonzero(judged.audited)],
        groups=None,
        folds=None,
        known=known,
    )


def _with_rows(posterior: Posterior, judged: JudgedRows) -> Posterior:
    return posterior._replace(
        **{name: np.r_[getattr(posterior, name), getattr(judged.rows, name)] for name in PER_ROW}
    )
