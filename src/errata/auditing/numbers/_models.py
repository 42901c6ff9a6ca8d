"""Models of numeric targets: what they learn from, the default ones, and those of a user."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.utils.validation import has_fit_parameter

from ..._compat import take_rows
from ..._crossfit import Fold, make_folds
from ..._neighbors import NeighborIndex, nearest_in
from ..._random import clone_keeping_seeds
from ...elm import ELMRegressor
from ...elm._hidden_layer import RBF, HiddenRows
from ...elm._ridge import choose_alpha, predict_outside, split_folds, sum_up
from ...exceptions import SuspicionWarning
from .._settings import LEAVE_ONE_OUT, RIDGE_FOLDS, TREE_ROWS

# `python benchmarks/targets.py` measures the constants of this folder.
RBF_SHARPNESS = {"wide RBF features": 0.5, "RBF features": 1.0, "narrow RBF features": 2.0}
RBF_UNITS = 400
FOREST_LEAF = 2
FOREST_TREES = {20_000: 60, np.inf: 50}  # by rows at most
TARGET_STEP = 2.0**-13  # at which trees see targets
WEIGHT_STEP = 2.0**-8  # and weights of rows
TWO_FORESTS = 3_000  # rows up to which a random forest stands beside extra trees
NEAR_TARGETS = 20  # neighbours
FOLDS_OF_TARGETS = 5  # of regressors without a closed form
SMALLEST_SCALE = 1e-3  # of the targets' own: what differs by less is no error, but rounding


@dataclass(frozen=True)
class TargetData:
    """Features of all rows, the first of which have a target.

    Attributes
    ----------
    X : array of shape (n + m, d)
        Rows with a target, then rows without.
    targets : array of shape (n,)
    weight : array of shape (n,) or None
        How much each row is to be learnt from.
    groups : array of int of shape (n,) or None
        Rows that must be left out together.
    smallest_scale : float
        What right targets differ by at least, as they are rounded.
    repeated : array, optional
        Targets of rows that are judged on their own.
    random_state : int
    n_jobs : int or None
    """

    X: np.ndarray
    targets: np.ndarray
    weight: np.ndarray | None = None
    groups: np.ndarray | None = None
    smallest_scale: float = SMALLEST_SCALE
    repeated: np.ndarray = field(default_factory=lambda: np.empty(0))
    random_state: int = 0
    n_jobs: int | None = None

    def __len__(self) -> int:
        """Number of rows with a target."""
        return len(self.targets)

    @property
    def learnt(self) -> np.ndarray:
        """Features of rows with a target."""
        return self.X[: len(self)]

    @property
    def others(self) -> np.ndarray:
        """Features of rows without."""
        return self.X[len(self) :]

    def folds(self, n_folds: int = FOLDS_OF_TARGETS) -> list[Fold]:
        """Training and test rows; they do not depend on the targets, and keep groups together."""
        same = np.zeros(len(self))
        seed = self.random_state
        return make_folds(n_folds, same, groups=self.groups, stratify=False, random_state=seed)


# A model of numeric targets: every row as predicted without its own target, shape (n + m,); trees
# also tell how far apart they are, shape (2, n + m).
Predict = Callable[[TargetData], np.ndarray]


def weighted_median(values: np.ndarray, weight: np.ndarray) -> Any:
    """The value that half of the weight lies at or below, along the last axis."""
    return weighted_quantile(values, weight, 0.5)


def weighted_quantile(values: np.ndarray, weight: np.ndarray, level: float) -> Any:
    """The value that this fraction of the weight lies at or below, along the last axis."""
    order = np.argsort(values, axis=-1, kind="stable")
    weight = np.broadcast_to(weight, values.shape)
    reached = np.cumsum(np.take_along_axis(weight, order, -1), axis=-1)
    place = (reached >= level * reached[..., -1:]).argmax(axis=-1)[..., None]
    return np.take_along_axis(values, np.take_along_axis(order, place, -1), -1)[..., 0]


def robust_scale(residuals: np.ndarray, weight: np.ndarray | None = None) -> float:
    """The standard deviation of normal residuals, by their median size."""
    weight = np.ones(len(residuals)) if weight is None else weight
    return 1.4826 * float(weighted_median(np.abs(residuals), weight))


def row_weights(data: TargetData) -> np.ndarray:
    """The weights of the rows, one each where none are given."""
    return np.ones(len(data)) if data.weight is None else data.weight


def default_target_models(n_rows: int) -> list[tuple[str, Predict]]:
    """The models of an audit of numeric targets that is given no ``estimators``."""
    n_trees = next(trees for rows, trees in FOREST_TREES.items() if n_rows <= rows)
    models: list[tuple[str, Predict]] = [
        (name, partial(predict_by_rbf, sharpness=sharpness))
        for name, sharpness in RBF_SHARPNESS.items()
    ]
    models.append(("extra trees", partial(ask_trees, extra=True, n_trees=n_trees)))
    if n_rows <= TWO_FORESTS:
        models.append(("random forest", partial(ask_trees, extra=False, n_trees=n_trees)))
    models.append(("linear model", predict_linearly))
    if n_rows <= TREE_ROWS:
        models.append(("neighbours", predict_by_neighbors))
    return models


def predict_by_rbf(data: TargetData, *, sharpness: float) -> np.ndarray:
    """Ridge regression on Gaussian RBF features around drawn rows; left out in closed form.

    Costs O(n m²) for m features.
    """
    rule, folds = _ridge_rule(data)
    model = ELMRegressor(
        n_hidden=RBF_UNITS,
        activation=RBF,
        weight_scale=sharpness,
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


class UnchangedFeatures:
    """The features themselves, in the place of a hidden layer."""

    def __init__(self, n_features: int) -> None:
        self.bias = np.zeros(n_features)

    def __call__(self, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """In double precision."""
        return X.astype(float)


def predict_linearly(data: TargetData) -> np.ndarray:
    """Ridge regression: straight lines, which the others only approach; in closed form.

    Costs O(n d²).
    """
    rule, folds = _ridge_rule(data)
    held_out = [] if folds is None else [test for _, test in folds]
    layer: Any = UnchangedFeatures(data.X.shape[1])
    rows = HiddenRows(layer, data.learnt, data.targets[:, None], data.weight)
    large, small = split_folds(held_out, rows.m, all_large=rule == "kfold")
    system, records = sum_up(rows, large, small, fit_intercept=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuspicionWarning)  # as above
        model = system.solved(choose_alpha(rule, None, system, records, rows)[0])
    outside, _, _ = predict_outside(model, rows, records, large, small)
    return _with_others(outside[:, 0], lambda X: model.predict(layer(X))[:, 0], data)


def predict_by_trees(data: TargetData, **options: Any) -> np.ndarray:
    """The mean of trees; ``options`` as :func:`ask_trees` takes them."""
    return ask_trees(data, **options)[0]


def ask_trees(
    data: TargetData, *, extra: bool, n_trees: int, leaf: int = FOREST_LEAF
) -> np.ndarray:
    """A bootstrapped forest: what the trees that were grown without a row predict for it.

    The mean, and the standard deviation of single trees; shape (2, n + m). Costs O(B m log m) to
    grow B trees from m rows each; as much for each fold of groups.
    """
    data = _in_steps(data)
    forest = (ExtraTreesRegressor if extra else RandomForestRegressor)(
        n_trees,
        min_samples_leaf=leaf,
        bootstrap=True,
        max_samples=None if len(data) <= TREE_ROWS else TREE_ROWS,
        random_state=data.random_state,
        n_jobs=data.n_jobs,
    )
    if data.groups is not None:
        return _trees_unseen_by_folds(forest.set_params(max_samples=None), data)
    forest.fit(data.learnt, data.targets, data.weight)
    X = np.asarray(data.X, dtype=np.float32)  # as trees see it
    count, total, squares = np.zeros((3, len(X)))
    for tree, drawn in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        unseen = np.ones(len(X), dtype=bool)
        unseen[drawn] = False
        predicted = tree.predict(X[unseen])
        count[unseen] += 1
        total[unseen] += predicted
        squares[unseen] += predicted**2
    grown = np.maximum(count, 1)  # few trees: some rows are in all of them
    mean = np.where(count > 0, total / grown, np.average(data.targets, weights=row_weights(data)))
    return np.stack([mean, np.sqrt(np.maximum(squares / grown - (total / grown) ** 2, 0))])


def _trees_unseen_by_folds(forest: Any, data: TargetData) -> np.ndarray:
    """Rows as predicted without their fold; rows without a target, by the mean of all fits."""
    n = len(data)
    told = np.empty((2, len(data.X)))
    of_others = []
    for train, test in data.folds():
        weight = row_weights(data)[train]
        fitted = clone(forest).fit(data.X[train], data.targets[train], sample_weight=weight)
        trees = fitted.estimators_
        told[:, test] = _mean_and_deviation(trees, data.X[test])
        if len(data.others):
            of_others.append(_mean_and_deviation(trees, data.others))
    told[:, n:] = np.mean(of_others, axis=0) if of_others else 0
    return told


def _mean_and_deviation(trees: Sequence[Any], X: np.ndarray) -> np.ndarray:
    predicted = np.stack([tree.predict(X) for tree in trees])
    return np.stack([predicted.mean(axis=0), predicted.std(axis=0)])


def _in_steps(data: TargetData) -> TargetData:
    """Targets and weights in steps so coarse that trees add them up, and their squares, exactly.

    Which of two equal splits is taken, and whether a leaf of equal targets is split at all, would
    hang on rounding otherwise, and with it all that is drawn after that.
    """
    targets = np.round(data.targets / TARGET_STEP) * TARGET_STEP
    if data.weight is None:
        return replace(data, targets=targets)
    weight = np.maximum(np.round(data.weight / WEIGHT_STEP), 1) * WEIGHT_STEP
    return replace(data, targets=targets, weight=weight)


def predict_by_neighbors(data: TargetData, *, n_neighbors: int = NEAR_TARGETS) -> np.ndarray:
    """The median target of the nearest other rows, weighted by how near they are.

    Costs a neighbour search. A median needs no weights of rows.
    """

    def ask(points: np.ndarray, rows: np.ndarray) -> np.ndarray:
        k = min(n_neighbors, len(rows))
        found = nearest_in(data.learnt[rows], points, k, n_jobs=data.n_jobs)
        return _nearby_median(*found, data.targets[rows])

    predictions = np.empty(len(data.X))
    if data.groups is None:
        k = min(n_neighbors, len(data) - 1)
        found = NeighborIndex(data.learnt, n_jobs=data.n_jobs).others(k)
        predictions[: len(data)] = _nearby_median(*found, data.targets)
    else:
        for train, test in data.folds():
            predictions[test] = ask(data.learnt[test], train)
    if len(data.others):
        predictions[len(data) :] = ask(data.others, np.arange(len(data)))
    return predictions


def _nearby_median(distances: np.ndarray, neighbors: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """Weights fall as a Gaussian of the distance over the mean distance of a row's neighbours."""
    mean = np.maximum(distances.mean(axis=1, keepdims=True), np.finfo(float).tiny)
    return weighted_median(targets[neighbors], np.exp(-((distances / mean) ** 2)))


def cross_fit_regressor(data: TargetData, *, regressor: Any, table: Any = None) -> np.ndarray:
    """A regressor of the user, fitted to ``table``, or to errata's features where that is None.

    Costs a fit for each of five folds, and one more where rows have no target.
    """
    table = data.X if table is None else table
    regressor = clone_keeping_seeds(regressor, data.random_state)
    predictions = np.empty(len(data.X))
    for train, test in data.folds():
        predictions[test] = _fit_rows(regressor, table, train, data).predict(take_rows(table, test))
    others = np.arange(len(data), len(data.X))
    if len(others):
        model = _fit_rows(regressor, table, np.arange(len(data)), data)
        predictions[others] = model.predict(take_rows(table, others))
    return predictions


def _fit_rows(regressor: Any, table: Any, rows: np.ndarray, data: TargetData) -> Any:
    """A clone fitted with weights, or without the rows that weigh little if it knows no weights."""
    weight = row_weights(data)[rows]
    if has_fit_parameter(regressor, "sample_weight"):
        params = {"sample_weight": weight}
    else:
        rows = rows[weight >= 0.5] if (weight >= 0.5).any() else rows
        params = {}
    return clone(regressor).fit(take_rows(table, rows), data.targets[rows], **params)
