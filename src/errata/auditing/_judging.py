"""Any rows of the table, judged by what was learnt from the drawn ones."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..tables._columns import take_table_rows, without_columns
from ..tables._plan import FeaturePlan
from ._copies import mixed_bits
from ._cross_fitting import certain_or_uniform
from ._group_names import group_folds
from ._labels import are_among, codes_among
from ._learning import Learnt
from ._models import NewRows, Predictor
from ._places import places_among
from ._pooling import pooled_new_rows
from ._scaling import Scale
from ._unlabelled import Filler
from ._user_models import AsGiven, estimator_table
from .classes import RowRule, RowsPosterior, rows_posterior


class TableRows(NamedTuple):
    """Some rows of a table, as the user gave them."""

    places: np.ndarray  # of the rows in the whole table
    table: Any  # without the label; None for none
    codes: np.ndarray  # of labels among all classes; -1 where a row has none
    known: np.ndarray | None = None
    embeddings: Any = None  # what features come from instead of the table
    pred_proba: np.ndarray | None = None
    groups: np.ndarray | None = None

    def for_rows(self, rows: np.ndarray | slice) -> "TableRows":
        """The same for some of these rows; a slice of arrays is no copy."""
        return TableRows(
            places=self.places[rows],
            table=None if self.table is None else _taken(self.table, rows),
            codes=self.codes[rows],
            known=None if self.known is None else self.known[rows],
            embeddings=None if self.embeddings is None else _taken(self.embeddings, rows),
            pred_proba=None if self.pred_proba is None else self.pred_proba[rows],
            groups=None if self.groups is None else self.groups[rows],
        )


def _taken(table: Any, rows: np.ndarray | slice) -> Any:
    if isinstance(table, np.ndarray):
        return table[rows]
    places = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
    return take_table_rows(table, places)


class JudgedRows(NamedTuple):
    """What is known of some rows, and more of those whose label could be audited."""

    audited: np.ndarray  # whether the class of each label could be learnt
    codes: np.ndarray  # of the labels of the audited ones, among classes that could be
    rows: RowsPosterior
    logs: np.ndarray  # (K, audited), of the pooled probabilities
    predicted: np.ndarray  # (models, audited), the class that each model finds most probable
    X: np.ndarray | None  # scaled features of the audited ones
    filled: np.ndarray  # the most probable class of each row without a label
    p_filled: np.ndarray
    bits: np.ndarray | None  # equal for rows with equal features
    unread: Counter[str]  # cells of a column that are of another kind than those learnt from


@dataclass(frozen=True)
class Judge:
    """What was learnt, without the rows it was learnt from: small, and able to travel."""

    plan: FeaturePlan | None
    scale: Scale | None
    leaks: list[Any]
    fitted: list[Predictor]
    weights: np.ndarray
    rule: RowRule
    present: np.ndarray  # codes of the classes that could be learnt
    learnt: np.ndarray  # places of the rows that were learnt from
    logs: np.ndarray  # (K, learnt), what models that did not learn from the row say of it
    predicted: np.ndarray  # (models, learnt)
    filler: Filler | None
    seed: int
    shows_table: bool  # whether a model of the user looks at the table itself

    @classmethod
    def of(cls, learnt: Learnt) -> "Judge":
        """The judge of the table that the rows were drawn from."""
        inputs, pool = learnt.inputs, learnt.pool
        return cls(
            plan=None if inputs.features is None else inputs.features.plan,
            scale=inputs.scale,
            leaks=list(inputs.leaks),
            fitted=pool.fitted,
            weights=pool.weights,
            rule=learnt.posterior.rule,
            present=inputs.present,
            learnt=np.asarray(inputs.drawn)[inputs.audited],
            logs=pool.logs,
            predicted=np.stack([model.predicted for model in pool.models]),
            filler=learnt.filler,
            seed=learnt.data.random_state,
            shows_table=any(getattr(m, "table", None) is not None for m in learnt.models),
        )

    def judge(self, rows: TableRows) -> JudgedRows:
        """Judge some rows; those that were learnt from by models that were not fitted to them."""
        new, bits, unread = self._new_rows(rows)
        audited = are_among(rows.codes, self.present)
        codes = codes_among(rows.codes[audited], self.present)
        known = None if rows.known is None else rows.known[audited]
        asked = _some(new, audited)
        logs, predicted = self._logs(rows.places[audited], asked)
        filled, p_filled = self._filled(new, rows.codes < 0)
        return JudgedRows(
            audited=audited,
            codes=codes,
            rows=rows_posterior(self.rule, logs, codes, known=known, of_many=True),
            logs=logs,
            predicted=predicted,
            X=asked.X,
            filled=filled,
            p_filled=p_filled,
            bits=bits,
            unread=unread,
        )

    def _new_rows(self, rows: TableRows) -> tuple[NewRows, np.ndarray | None, Counter[str]]:
        """Rows as models see them, what they can be known again by, and cells that do not fit."""
        given, folds, table = rows.pred_proba, None, None
        if given is not None and given.shape[1] > len(self.present):
            given = certain_or_uniform(given[:, self.present])
        if rows.groups is not None:
            folds = group_folds(rows.groups, self.seed)
        if self.plan is None or self.scale is None:
            return NewRows(np.empty((len(rows.places), 0)), None, given, folds), None, Counter()
        applied = self.plan.apply(rows.table if rows.embeddings is None else rows.embeddings)
        if self.shows_table:
            kept = without_columns(rows.table, self.leaks) if self.leaks else rows.table
            table = estimator_table(kept, applied.X)
        new = NewRows(self.scale.apply(applied.X), table, given, folds)
        return new, mixed_bits(applied.X), applied.unread

    def _logs(self, places: np.ndarray, rows: NewRows) -> tuple[np.ndarray, np.ndarray]:
        """Of rows that were learnt from what was said then; models are asked of all others."""
        if all(isinstance(predictor, AsGiven) for predictor in self.fitted):  # the same of all rows
            return pooled_new_rows(self.fitted, self.weights, rows, dtype=self.logs.dtype)
        at, is_learnt = places_among(self.learnt, places)
        logs, predicted = self.logs[:, at], self.predicted[:, at]
        is_new = ~is_learnt
        if is_new.any():
            found = pooled_new_rows(self.fitted, self.weights, _some(rows, is_new))
            logs[:, is_new], predicted[:, is_new] = found
        return logs, predicted

    def _filled(self, rows: NewRows, blank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.filler is None or not blank.any():
            return np.empty(0, dtype=np.intp), np.empty(0)
        asked = _some(rows, blank)
        return self.filler.fill(asked.X, asked.pred_proba)


def _some(rows: NewRows, chosen: np.ndarray) -> NewRows:
    return rows if chosen.all() else rows.take(np.flatnonzero(chosen))
