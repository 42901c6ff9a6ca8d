"""Any classifier, fitted to rows that are of several classes in part.

A row that is of class c with probability r is shown to the classifier as a row of that class with
weight r, once for each class that it may be of.
"""

from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from ..._compat import take_rows
from ..._crossfit import Fold, not_learnable
from ..._routing import params_of_rows
from ._em import ClassFit, Labels

_LEAST_PROBABILITY = 1e-6  # of a class: a leaf without it must not rule it out for ever


class SoftFits(NamedTuple):
    """How to fit the classifier again and again, and how to ask it about the rows."""

    estimator: Any
    X: Any
    labels: Labels
    classes: np.ndarray
    folds: list[Fold] | None  # None: rows are judged by a fit that saw them
    params: dict[str, Any]  # what else its fit asked for, by metadata routing
    prune_below: float
    n_jobs: int | None

    def step(self, responsibilities: np.ndarray, transition: np.ndarray) -> ClassFit:
        """P(class | x) of each row, by a fit to the responsibilities of all rows or other folds."""
        if self.folds is None:
            proba = aligned_proba(self.fit(responsibilities), self.X, self.classes)
        else:
            proba = self._out_of_fold(responsibilities, self.folds)
        if np.isnan(proba).any():
            raise ValueError(
                f"{type(self.estimator).__name__} gives probabilities that are no numbers; columns "
                "without any variation do that to some classifiers: drop them, or choose another."
            )
        proba = np.maximum(proba, _LEAST_PROBABILITY)
        return ClassFit(None, np.log(proba / proba.sum(axis=1, keepdims=True)))

    def fit(self, responsibilities: np.ndarray, rows: np.ndarray | None = None) -> Any:
        """The classifier fitted to these rows, or to all."""
        n = len(responsibilities)
        rows = np.arange(n) if rows is None else rows
        counted = (responsibilities > self.prune_below) & (self.labels.weights > 0)[:, None]
        position, code = np.nonzero(counted[rows])
        stacked = rows[position]
        weights = self.labels.weights[stacked] * responsibilities[stacked, code]
        return clone(self.estimator).fit(
            take_rows(self.X, stacked),
            self.classes[code],
            sample_weight=weights,
            **params_of_rows(self.params, n, stacked),
        )

    def _out_of_fold(self, responsibilities: np.ndarray, folds: list[Fold]) -> np.ndarray:
        found = Parallel(n_jobs=self.n_jobs)(
            delayed(_held_out_proba)(self, responsibilities, *fold) for fold in folds
        )
        proba = np.empty_like(responsibilities)
        for (_, test), of_fold in zip(folds, found, strict=True):
            proba[test] = of_fold
        # A label that only its own fold has cannot be judged; it is believed.
        rare = not_learnable(self.labels.codes, folds)
        proba[rare] = np.eye(len(self.classes))[self.labels.codes[rare]]
        return proba


def _held_out_proba(
    fits: SoftFits, responsibilities: np.ndarray, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    mass = responsibilities[train].sum(axis=0)
    if (mass > fits.prune_below).sum() == 1:  # some classifiers refuse to learn one class
        return np.tile(mass / mass.sum(), (len(test), 1))
    return aligned_proba(fits.fit(responsibilities, train), take_rows(fits.X, test), fits.classes)


def aligned_proba(model: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """Its probabilities in the order of ``classes``; of a class it does not know, 0."""
    proba = model.predict_proba(X)
    if len(model.classes_) == len(classes):
        return proba
    aligned = np.zeros((len(proba), len(classes)))
    aligned[:, np.searchsorted(classes, model.classes_)] = proba
    return aligned
