"""The models of an audit, fitted to what items probably are: how items speak for each other."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._compat import take_rows
from .._default_models import LinearModel
from .._forest import Forest
from .._group_names import group_folds
from .._groups import renumbered
from .._models import NewRows, OutOfFoldModel, TrainingData
from .._pooling import Pool, pool_models, pooled_new_rows
from .._rbf_ridge import RBFRidge
from .._settings import (
    FEW_CLASSES,
    LEARN_ROWS,
    MEDIUM,
    RBF_FEATURES,
    RBF_FEATURES_SMALL,
    SMALL,
    SMALLEST_PROBABILITY,
    TREE_ROWS,
    TREES,
    WIDE,
)
from .._skill import skill_of
from .._user_models import CrossFitted
from ._features import Heard


def vote_models(n_items: int, n_classes: int) -> list[OutOfFoldModel]:
    """Those of the default models that are quick, as they are fitted twice, and differ in kind."""
    n_trees = next(trees for rows, trees in TREES.items() if n_items <= rows)
    n_hidden = RBF_FEATURES_SMALL if n_items <= SMALL else RBF_FEATURES
    chosen: list[OutOfFoldModel] = [
        RBFRidge("wide RBF features", WIDE, n_hidden),
        RBFRidge("RBF features", MEDIUM, n_hidden),
        Forest("extra trees", True, n_trees, 3),
    ]
    if n_items <= TREE_ROWS and n_classes <= FEW_CLASSES:
        chosen.append(LinearModel("linear model"))
    return chosen


@dataclass(frozen=True)
class ItemModels:
    """Gives out-of-fold probabilities of the classes of items, by their columns.

    Attributes
    ----------
    X : array of shape (N, d)
        Scaled features of all items.
    n_classes : int
    estimator : classifier, optional
        Of the user; joins the others, and looks at ``table``, or at ``X`` without one.
    table : table of N rows, optional
    classes : array of shape (K,), optional
        What the estimator learns the classes as.
    groups : array of shape (N,), optional
        Items of a group are left out together.
    seed, n_jobs, progress
        As for :func:`errata.audit`.
    """

    X: np.ndarray
    n_classes: int
    estimator: Any = None
    table: Any = None
    classes: np.ndarray | None = None
    groups: np.ndarray | None = None
    seed: int = 0
    n_jobs: int | None = None
    progress: Callable[[str], None] | None = None

    def __call__(self, codes: np.ndarray) -> Heard:
        """Hear the models that learn these classes of the items, -1 where unknown."""
        taught = self._taught(codes)
        present, own = np.unique(codes[taught], return_inverse=True)
        if len(present) < 2:
            return Heard(np.full((len(codes), self.n_classes), 1 / self.n_classes), [], False)
        data = self._training_data(taught, own, len(present))
        pool = pool_models(data, self._models(taught, present), progress=self.progress)
        proba = np.full((len(codes), self.n_classes), SMALLEST_PROBABILITY)
        proba[np.ix_(taught, present)] = np.exp(pool.logs.T)
        self._predict_others(proba, taught, present, pool)
        models = [
            {"name": model.name, "weight": model.weight, "agreement": model.agreement}
            for model in pool.models
        ]
        return Heard(proba, models, skill_of(pool.logs, own, data.groups).enough)

    def _taught(self, codes: np.ndarray) -> np.ndarray:
        """Items to learn from: those of classes that have two."""
        sizes = np.bincount(codes[codes >= 0], minlength=self.n_classes)
        taught = np.flatnonzero((codes >= 0) & (sizes[codes] >= 2))
        if len(taught) <= LEARN_ROWS:
            return taught
        random = np.random.default_rng(self.seed)
        return np.sort(random.choice(taught, LEARN_ROWS, replace=False))

    def _training_data(self, taught: np.ndarray, own: np.ndarray, n_classes: int) -> TrainingData:
        groups = renumbered(self.groups, taught)
        data = TrainingData(self.X[taught], own, n_classes, groups, self.seed, self.n_jobs)
        if len(taught) == len(self.X):
            return data
        folds = None if self.groups is None else self._folds()[taught]
        return replace(data, folds=folds, more_rows=True)

    def _folds(self) -> np.ndarray:
        return group_folds(np.asarray(self.groups), self.seed)

    def _models(self, taught: np.ndarray, present: np.ndarray) -> list[OutOfFoldModel]:
        models = vote_models(len(taught), len(present))
        if self.estimator is None:
            return models
        table = None if self.table is None else take_rows(self.table, taught)
        names = present if self.classes is None else self.classes[present]
        return [*models, CrossFitted("your model", self.estimator, table, names)]

    def _predict_others(
        self, proba: np.ndarray, taught: np.ndarray, present: np.ndarray, pool: Pool
    ) -> None:
        """What was learnt says of items that were not learnt from."""
        others = np.setdiff1d(np.arange(len(proba)), taught)
        if not len(others):
            return
        table = self.X if self.table is None else self.table
        folds = None if self.groups is None else self._folds()
        rows = NewRows(self.X, table, None, folds).take(others)
        logs = pooled_new_rows(pool.fitted, pool.weights, rows)[0]
        proba[np.ix_(others, present)] = np.exp(logs.T)
