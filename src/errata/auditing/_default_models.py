"""The default models: quick ones that differ in kind, chosen by the size of the table."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from .._neighbors import nearest, nearest_in
from .._validation import fit_to_codes
from ..elm import ELMClassifier
from ..exceptions import SuspicionWarning
from ._groups import bagged_by_group
from ._models import (
    OutOfFoldModel,
    TrainingData,
    all_columns,
    certain_or_uniform,
    cross_fit_proba,
)
from ._settings import (
    BOOSTED_CLASSES,
    BOOSTED_LEAVES,
    EARLY_STOPPING_ROWS,
    FEW_CLASSES,
    LEAVE_ONE_OUT,
    MEDIUM,
    NARROW,
    NEIGHBORS,
    RBF_FEATURES,
    RBF_FEATURES_SMALL,
    RIDGE_FOLDS,
    SMALL,
    TREE_ROWS,
    TREES,
    WIDE,
)


def default_models(n_rows: int, n_classes: int) -> list[OutOfFoldModel]:
    """The models of an audit that is given no ``estimators``.

    They are those that a benchmark showed to add something, and that the size of the table allows.

    Examples
    --------
    >>> from errata.auditing import default_models
    >>> [model.name for model in default_models(10_000, n_classes=2)]
    ['wide RBF features', 'RBF features', 'extra trees', 'gradient boosting', 'linear model']
    """
    n_trees = next(trees for rows, trees in TREES.items() if n_rows <= rows)
    n_hidden = RBF_FEATURES_SMALL if n_rows <= SMALL else RBF_FEATURES
    chosen: list[OutOfFoldModel] = [
        RBFRidge("wide RBF features", WIDE, n_hidden),
        RBFRidge("RBF features", MEDIUM, n_hidden),
        Forest("extra trees", True, n_trees, 3),
    ]
    if n_rows <= SMALL:
        chosen.append(Forest("random forest", False, n_trees, 2))
    if n_rows > SMALL and n_classes <= BOOSTED_CLASSES:
        chosen.append(GradientBoosting("gradient boosting"))
    else:  # beside boosting, these two add nothing
        chosen.append(RBFRidge("narrow RBF features", NARROW, n_hidden))
        if n_rows <= TREE_ROWS:
            chosen.append(NearestRows("neighbours"))
    if n_rows <= TREE_ROWS and n_classes <= FEW_CLASSES:
        chosen.append(LinearModel("linear model"))
    return chosen


@dataclass(frozen=True)
class RBFRidge:
    """Ridge regression on Gaussian RBF features around drawn rows; left out in closed form."""

    name: str
    sharpness: float
    n_hidden: int = RBF_FEATURES

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs O(n m²) for m features."""
        many, grouped = len(data.codes) > LEAVE_ONE_OUT, data.groups is not None
        model = ELMClassifier(
            n_hidden=self.n_hidden,
            activation="rbf",
            weight_scale=self.sharpness,
            alpha="kfold" if grouped else "gcv" if many else "press",
            cv=data.splits(RIDGE_FOLDS) if many or grouped else None,
            random_state=data.random_state,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SuspicionWarning)  # rare classes: the user was told
            fit_to_codes(model, data.X, data.codes)  # the labels were checked before
        scores = model.loo_predictions_ if model.cv is None else model.oof_predictions_
        single = (scores / model.temperature_).astype(np.float32)  # many classes fill the memory
        proba = softmax(np.nan_to_num(single, copy=False, nan=1 / data.n_classes), axis=1)
        return all_columns(proba, model.classes_, data.n_classes)


@dataclass(frozen=True)
class Forest:
    """A bootstrapped forest; each row is predicted by the trees that were grown without it."""

    name: str
    extra: bool
    n_trees: int
    min_samples_leaf: int

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs O(B m log m) to grow B trees from m rows each, and O(B n log m) to predict."""
        if data.groups is not None:
            return certain_or_uniform(self._out_of_group(data))
        forest = (ExtraTreesClassifier if self.extra else RandomForestClassifier)(
            self.n_trees,
            min_samples_leaf=self.min_samples_leaf,
            bootstrap=True,
            oob_score=True,
            max_samples=None if len(data.codes) <= TREE_ROWS else TREE_ROWS,
            random_state=data.random_state,
            n_jobs=data.n_jobs,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # few trees: some rows are in all of them
            forest.fit(data.X, data.codes)
        votes = all_columns(forest.oob_decision_function_, forest.classes_, data.n_classes)
        return certain_or_uniform(votes)

    def _out_of_group(self, data: TrainingData) -> np.ndarray:
        """The same with groups drawn instead of rows; each tree votes on groups it has not seen."""
        tree = (ExtraTreeClassifier if self.extra else DecisionTreeClassifier)(
            max_features="sqrt", min_samples_leaf=self.min_samples_leaf
        )
        return bagged_by_group(tree, self.n_trees, TREE_ROWS, data)


@dataclass(frozen=True)
class NearestRows:
    """The labels of the nearest other rows, weighted by how near they are."""

    name: str
    n_neighbors: int = NEIGHBORS

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs a neighbour search."""
        k = min(self.n_neighbors, len(data.codes) - 1)
        if data.groups is None:
            return _votes(nearest(data.X, k, n_jobs=data.n_jobs), data)
        found = np.empty((len(data.codes), k), dtype=np.intp)
        for train, test in data.splits():
            nearby = min(k, len(train))
            near = nearest_in(data.X[train], data.X[test], nearby, n_jobs=data.n_jobs)[1]
            found[test] = train[near[:, np.arange(k) % near.shape[1]]]
        return _votes(found, data)


def _votes(neighbors: np.ndarray, data: TrainingData) -> np.ndarray:
    """Votes of the neighbours, falling as a Gaussian of the distance over their mean distance."""
    n, k = neighbors.shape
    distances = np.stack(
        [np.sqrt(((data.X - data.X[neighbors[:, j]]) ** 2).sum(axis=1)) for j in range(k)]
    )
    mean = np.maximum(distances.mean(axis=0), np.finfo(float).tiny)
    votes = np.full((n, data.n_classes), 0.5 / data.n_classes)
    for j in range(k):
        weight = np.exp(-((distances[j] / mean) ** 2))
        votes[np.arange(n), data.codes[neighbors[:, j]]] += weight
    return votes / votes.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class LinearModel:
    """Logistic regression: straight borders, which the others only approach."""

    name: str

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs five fits."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return cross_fit_proba(LogisticRegression(max_iter=300), data.X, data)


@dataclass(frozen=True)
class GradientBoosting:
    """Histogram gradient boosting with small trees: the best single model of large tables."""

    name: str

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs five fits to 20,000 rows each at most, K times as much for K classes."""
        rarest = np.bincount(data.codes).min() * min(1, TREE_ROWS / len(data.codes))
        model = HistGradientBoostingClassifier(
            max_leaf_nodes=BOOSTED_LEAVES,
            early_stopping="auto" if rarest >= EARLY_STOPPING_ROWS else False,
            random_state=data.random_state,
        )
        return cross_fit_proba(model, data.X, data, max_rows=TREE_ROWS)
