"""How classifiers are cross-fitted: each row is predicted by a fit to the other folds.

Rows that were not there are predicted by a fit to all rows; where groups fall into folds, by the
fit without the fold of the row.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._compat import take_rows
from .._crossfit import (
    FittedToCodes,
    Fold,
    fit_codes,
    out_of_fold_proba,
    with_fewer_rows,
)
from ._models import CrossFit, NewRows, Predictor, TrainingData, split_of_fold
from ._settings import FOLDS


def cross_fit_proba(
    classifier: Any,
    table: Any,
    data: TrainingData,
    classes: np.ndarray | None = None,
    max_rows: int | None = None,
) -> np.ndarray:
    """Probabilities of the rows of each fold by a clone fitted to the others, or to some."""
    proba = out_of_fold_proba(
        [classifier],
        table,
        data.codes,
        _fewer(data.splits(), max_rows, data),
        n_classes=data.n_classes,
        classes=classes,
    )
    return certain_or_uniform(proba[0])


def cross_fit_classifier(
    classifier: Any,
    table: Any,
    data: TrainingData,
    classes: np.ndarray | None = None,
    max_rows: int | None = None,
    kept: Callable[[Any], Any] | None = None,
) -> CrossFit:
    """The same, and a predictor of other rows. It looks at their features if ``table`` is None.

    ``kept`` makes of a fitted classifier what is kept of it, which needs ``predict_proba`` alone.
    """
    rows = data.X if table is None else table

    def fitted(train: np.ndarray) -> FittedClassifier:
        fit = fit_codes(classifier, take_rows(rows, train), data.codes[train], classes=classes)
        if kept is not None and fit.model is not None:
            fit = fit._replace(model=kept(fit.model))
        return FittedClassifier(fit, data.n_classes, by_features=table is None)

    if data.folds is None:
        everything = [(np.arange(len(data.codes)), np.empty(0, dtype=np.intp))]
        ((train, _),) = _fewer(everything, max_rows, data)
        proba = cross_fit_proba(classifier, rows, data, classes, max_rows)
        return CrossFit(proba, fitted(train))
    splits = _fewer(data.splits(), max_rows, data)
    by_fold = ByFold([fitted(train) for train, _ in splits], split_of_fold(data.folds, FOLDS))
    same_rows = NewRows(data.X, table, folds=data.folds)
    return CrossFit(by_fold.predict_proba(same_rows), by_fold)


def _fewer(folds: list[Fold], max_rows: int | None, data: TrainingData) -> list[Fold]:
    return folds if max_rows is None else with_fewer_rows(folds, max_rows, data.random_state)


@dataclass(frozen=True)
class FittedClassifier:
    """A classifier that was fitted to codes."""

    fit: FittedToCodes
    n_classes: int
    by_features: bool = True  # and not by the table that the user gave

    def predict_proba(self, rows: NewRows) -> np.ndarray:
        """What the classifier says, with a column for each class."""
        proba = self.fit.predict_proba(rows.X if self.by_features else rows.table)
        return certain_or_uniform(all_columns(proba, self.fit.codes, self.n_classes))


@dataclass(frozen=True)
class ByFold:
    """A predictor for each split of the folds; a row is asked of the one without its fold."""

    predictors: Sequence[Predictor]
    split_of_fold: np.ndarray

    def predict_proba(self, rows: NewRows) -> np.ndarray:
        """Rows of each split by its own predictor, put together in their order."""
        split = self.split_of_fold[rows.folds]
        asked = [np.flatnonzero(split == k) for k in range(len(self.predictors))]
        told = [
            predictor.predict_proba(rows.take(own))
            for predictor, own in zip(self.predictors, asked, strict=True)
            if len(own)
        ]
        proba = np.empty((len(rows), told[0].shape[1]))
        proba[np.concatenate(asked)] = np.concatenate(told)
        return proba


def all_columns(proba: np.ndarray, present: np.ndarray, n_classes: int) -> np.ndarray:
    """Columns for all classes, zero for those that no row has at the moment."""
    if np.array_equal(present, np.arange(n_classes)):
        return proba
    spread = np.zeros((len(proba), n_classes))
    spread[:, present] = proba
    return spread


def certain_or_uniform(proba: np.ndarray) -> np.ndarray:
    """Rows that sum to one; those about which nothing is known become uniform."""
    proba = np.nan_to_num(proba, nan=0.0)
    total = proba.sum(axis=1, keepdims=True)
    uniform = np.full_like(proba, 1 / proba.shape[1])
    return np.divide(proba, total, out=uniform, where=total > 0)
