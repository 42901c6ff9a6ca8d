"""The default models of numeric targets: quick ones that differ in kind."""

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor

from ..._neighbors import NeighborIndex, nearest_in
from ...elm import ELMRegressor
from ...elm._fit import choose_alpha, gather, predict_outside
from ...elm._hidden_layer import RBF
from ...elm._rows import HiddenRows
from ...exceptions import SuspicionWarning
from .._settings import LEAVE_ONE_OUT, RIDGE_FOLDS, TREE_ROWS
from ._settings import (
    FOREST_LEAF,
    FOREST_TREES,
    NEAR_TARGETS,
    RBF_SHARPNESS,
    RBF_UNITS,
    TWO_FORESTS,
)
from ._training import TargetData, TargetPredictor, row_weights, weighted_median


def default_target_models(n_rows: int) -> list[TargetPredictor]:
    """The models of an audit of numeric targets that is given no ``estimators``."""
    n_trees = next(trees for rows, trees in FOREST_TREES.items() if n_rows <= rows)
    models: list[TargetPredictor] = [RBFRegression(*named) for named in RBF_SHARPNESS.items()]
    models.append(TreesRegression("extra trees", True, n_trees))
    if n_rows <= TWO_FORESTS:
        models.append(TreesRegression("random forest", False, n_trees))
    models.append(LinearRidge("linear model"))
    if n_rows <= TREE_ROWS:
        models.append(NearestTargets("neighbours"))
    return models


@dataclass(frozen=True)
class RBFRegression:
    """Ridge regression on Gaussian RBF features around drawn rows; left out in closed form."""

    name: str
    sharpness: float

    def predict_unseen(self, data: TargetData) -> np.ndarray:
        """Costs O(n m²) for m features."""
        rule, folds = _ridge_rule(data)
        model = ELMRegressor(
            n_hidden=RBF_UNITS,
            activation=RBF,
            weight_scale=self.sharpness,
            alpha=rule,
            cv=folds,
            random_state=data.random_state,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SuspicionWarning)  # extreme alphas are no concern here
            model.fit(data.learnt, data.targets, data.weight)
        outside = model.loo_predictions_ if folds is None else model.oof_predictions_
        return _with_others(outside, model.predict, data)


def _ridge_rule(data: TargetData) -> tuple[str, Any]:
    """How alpha is chosen, and the folds that are left out; None for one row at a time."""
    if data.groups is not None:
        return "kfold", data.folds(RIDGE_FOLDS)
    return ("press", None) if len(data) <= LEAVE_ONE_OUT else ("gcv", data.folds(RIDGE_FOLDS))


def _with_others(outside: np.ndarray, predict: Any, data: TargetData) -> np.ndarray:
    """Predictions of rows with a target, the mean where there is none, and of other rows."""
    mean = np.average(data.targets, weights=row_weights(data))
    others = predict(data.others) if len(data.others) else np.empty(0)
    return np.r_[np.where(np.isfinite(outside), outside, mean), others]


class Unchanged(NamedTuple):
    """The features themselves, in the place of a hidden layer."""

    bias: np.ndarray

    def __call__(self, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """In double precision."""
        return X.astype(float)


@dataclass(frozen=True)
class LinearRidge:
    """Ridge regression: straight lines, which the others only approach; in closed form."""

    name: str

    def predict_unseen(self, data: TargetData) -> np.ndarray:
        """Costs O(n d²)."""
        rule, folds = _ridge_rule(data)
        held_out = [] if folds is None else [test for _, test in folds]
        layer: Any = Unchanged(np.zeros(data.X.shape[1]))
        rows = HiddenRows(layer, data.learnt, data.targets[:, None], data.weight)
        sums = gather(rows, held_out, fit_intercept=True, record_all=rule == "kfold")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SuspicionWarning)  # as above
            model = sums.system.solved(choose_alpha(rule, None, sums, rows)[0])
        outside = predict_outside(model, sums, rows).predictions[:, 0]
        return _with_others(outside, lambda X: model.predict(layer(X))[:, 0], data)


@dataclass(frozen=True)
class TreesRegression:
    """A bootstrapped forest; each row is predicted by the trees that were grown without it."""

    name: str
    extra: bool
    n_trees: int
    leaf: int = FOREST_LEAF

    def predict_unseen(self, data: TargetData) -> np.ndarray:
        """Costs O(B m log m) to grow B trees from m rows each; as much for each fold of groups."""
        forest = (ExtraTreesRegressor if self.extra else RandomForestRegressor)(
            self.n_trees,
            min_samples_leaf=self.leaf,
            bootstrap=True,
            max_samples=None if len(data) <= TREE_ROWS else TREE_ROWS,
            random_state=data.random_state,
            n_jobs=data.n_jobs,
        )
        if data.groups is not None:
            return unseen_by_folds(forest.set_params(max_samples=None), data.X, data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # few trees: some rows are in all of them
            forest.set_params(oob_score=True).fit(data.learnt, data.targets, data.weight)
        return _with_others(forest.oob_prediction_, forest.predict, data)


def unseen_by_folds(regressor: Any, table: Any, data: TargetData) -> np.ndarray:
    """Rows as predicted without their fold; rows without a target, by the mean of all fits."""
    n, others = len(data), np.arange(len(data), len(data.X))
    told, of_others = np.empty(len(data.X)), []
    for train, test in data.folds():
        weight = row_weights(data)[train]
        model = clone(regressor).fit(table[train], data.targets[train], sample_weight=weight)
        told[test] = model.predict(table[test])
        if len(others):
            of_others.append(model.predict(table[others]))
    told[n:] = np.mean(of_others, axis=0) if len(others) else 0
    return told


@dataclass(frozen=True)
class NearestTargets:
    """The median target of the nearest other rows, weighted by how near they are."""

    name: str
    n_neighbors: int = NEAR_TARGETS

    def predict_unseen(self, data: TargetData) -> np.ndarray:
        """Costs a neighbour search. A median needs no weights of rows."""
        k = min(self.n_neighbors, len(data) - 1)
        told = np.empty(len(data.X))
        if data.groups is None:
            found = NeighborIndex(data.learnt, n_jobs=data.n_jobs).others(k)
            told[: len(data)] = _nearby_median(*found, data.targets)
        else:
            for train, test in data.folds():
                told[test] = self._of_others(data.learnt[test], train, data)
        if len(data.others):
            told[len(data) :] = self._of_others(data.others, np.arange(len(data)), data)
        return told

    def _of_others(self, points: np.ndarray, rows: np.ndarray, data: TargetData) -> np.ndarray:
        k = min(self.n_neighbors, len(rows))
        found = nearest_in(data.learnt[rows], points, k, n_jobs=data.n_jobs)
        return _nearby_median(*found, data.targets[rows])


def _nearby_median(distances: np.ndarray, neighbors: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Weights fall as a Gaussian of the distance over the mean distance of a row's neighbours."""
    mean = np.maximum(distances.mean(axis=1, keepdims=True), np.finfo(float).tiny)
    return weighted_median(targets[neighbors], np.exp(-((distances / mean) ** 2)))
