"""Models to be asked about rows that do not exist: each fitted without one fold after the other.

An audit keeps what models say of its rows, not the models. They are fitted once more, so that a
changed copy of a row is judged by models that have not learnt from that row, nor from its group.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..._crossfit import make_folds
from ..._neighbors import nearest_in
from .._default_models import NearestRows, votes_of_neighbors
from .._learning import Learnt
from .._models import NewRows, OutOfFoldModel, Predictor, TrainingData
from .._pooling import pooled_new_rows
from .._settings import GROUP_FOLDS


class ModelsByFold(NamedTuple):
    """What of the pool can be asked about any row, and what cannot."""

    names: list[str]
    weights: np.ndarray  # in the pool
    fitted: list[Predictor]
    folds: np.ndarray  # of the audited rows
    unasked: list[str]

    def rows(self, X: np.ndarray, at: int) -> NewRows:
        """Copies of an audited row, to be judged by models that have not seen its fold."""
        return NewRows(X, folds=np.full(len(X), self.folds[at]))

    def proba(self, X: np.ndarray, at: int) -> np.ndarray:
        """Pooled probabilities of the labels, shape (n, K)."""
        return np.exp(pooled_new_rows(self.fitted, self.weights, self.rows(X, at))[0].T)

    def by_model(self, X: np.ndarray, at: int) -> np.ndarray:
        """What each model says of one row, shape (models, K)."""
        rows = self.rows(X[None], at)
        return np.concatenate([predictor.predict_proba(rows) for predictor in self.fitted])


def fit_by_fold(learnt: Learnt) -> ModelsByFold:
    """Fit the models of an audit once more, in ten folds; costs one to three times as much."""
    data = learnt.data
    if learnt.inputs.X is None:
        raise ValueError("the audit looked at no columns, only at probabilities; pass a table.")
    folds = np.empty(len(data.codes), dtype=np.intp)
    dealt = make_folds(GROUP_FOLDS, data.codes, groups=data.groups, random_state=data.random_state)
    for fold, (_, test) in enumerate(dealt):
        folds[test] = fold
    by_fold = replace(data, groups=None, folds=folds, more_rows=True)
    found = [_predictor(model, by_fold) for model in learnt.models]
    can = [place for place, predictor in enumerate(found) if predictor is not None]
    names = [model.name for model in learnt.models]
    if not can:
        raise ValueError(
            f"no model of the audit can be asked about other rows than it was given: {names[0]}."
        )
    return ModelsByFold(
        names=[names[place] for place in can],
        weights=learnt.pool.weights[can],
        fitted=[predictor for predictor in found if predictor is not None],
        folds=folds,
        unasked=[name for place, name in enumerate(names) if place not in can],
    )


def _predictor(model: OutOfFoldModel, data: TrainingData) -> Predictor | None:
    """None for a model that knows nothing but the rows, or looks at the user's own table."""
    if isinstance(model, NearestRows):
        return NeighborsByFold(data, model.n_neighbors)
    by_features = getattr(model, "table", None) is None and not hasattr(model, "proba")
    if not by_features or not hasattr(model, "cross_fit"):
        return None
    return model.cross_fit(data).predictor


@dataclass(frozen=True)
class NeighborsByFold:
    """The labels of the nearest rows outside the fold, weighted by how near they are."""

    data: TrainingData
    n_neighbors: int

    def predict_proba(self, rows: NewRows) -> np.ndarray:
        """Of rows that belong to one fold."""
        data, fold = self.data, np.asarray(rows.folds)[0]
        outside = np.flatnonzero(data.folds != fold)
        k = min(self.n_neighbors, len(outside))
        distances, near = nearest_in(data.X[outside], rows.X, k, n_jobs=data.n_jobs)
        return votes_of_neighbors(distances.T, data.codes[outside[near]], data.n_classes)
