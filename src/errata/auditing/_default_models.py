"""The default models: quick ones that differ in kind, chosen by the size of the table."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from .._neighbors import nearest, nearest_in
from ._cross_fitting import cross_fit_classifier, cross_fit_proba
from ._fitted_boosting import BoostedTrees
from ._forest import Forest
from ._models import CrossFit, OutOfFoldModel, TrainingData
from ._rbf_ridge import RBFRidge
from ._settings import (
    BOOSTED_CLASSES,
    BOOSTED_LEAVES,
    EARLY_STOPPING_ROWS,
    FEW_CLASSES,
    MEDIUM,
    NARROW,
    NEIGHBORS,
    RBF_FEATURES,
    RBF_FEATURES_SMALL,
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
class NearestRows:
    """The labels of the nearest other rows, weighted by how near they are."""

    name: str
    n_neighbors: int = NEIGHBORS

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs a neighbour search."""
        k = min(self.n_neighbors, len(data.codes) - 1)
        if not data.is_grouped:
            return _votes(nearest(data.X, k, n_jobs=data.n_jobs), data)
        found = np.empty((len(data.codes), k), dtype=np.intp)
        for train, test in data.splits():
            nearby = min(k, len(train))
            near = nearest_in(data.X[train], data.X[test], nearby, n_jobs=data.n_jobs)[1]
            found[test] = train[near[:, np.arange(k) % near.shape[1]]]
        return _votes(found, data)


def _votes(neighbors: np.ndarray, data: TrainingData) -> np.ndarray:
    """Votes of the neighbours of each row of the data."""
    distances = np.stack(
        [np.sqrt(((data.X - data.X[near]) ** 2).sum(axis=1)) for near in neighbors.T]
    )
    return votes_of_neighbors(distances, data.codes[neighbors], data.n_classes)


def votes_of_neighbors(distances: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Votes that fall as a Gaussian of the distance over the mean distance of the neighbours.

    ``distances`` have the shape (k, n), the ``codes`` of the neighbours (n, k).
    """
    n, k = codes.shape
    mean = np.maximum(distances.mean(axis=0), np.finfo(float).tiny)
    votes = np.full((n, n_classes), 0.5 / n_classes)
    for j in range(k):
        weight = np.exp(-((distances[j] / mean) ** 2))
        votes[np.arange(n), codes[:, j]] += weight
    return votes / votes.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class LinearModel:
    """Logistic regression: straight borders, which the others only approach."""

    name: str

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs five fits."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return cross_fit_proba(self._classifier(), data.X, data)

    def cross_fit(self, data: TrainingData) -> CrossFit:
        """Costs one fit more."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return cross_fit_classifier(self._classifier(), None, data)

    def _classifier(self) -> LogisticRegression:
        return LogisticRegression(max_iter=300)


@dataclass(frozen=True)
class GradientBoosting:
    """Histogram gradient boosting with small trees: the best single model of large tables."""

    name: str

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs five fits to 20,000 rows each at most, K times as much for K classes."""
        return cross_fit_proba(self._classifier(data), data.X, data, max_rows=TREE_ROWS)

    def cross_fit(self, data: TrainingData) -> CrossFit:
        """Costs one fit more."""
        return cross_fit_classifier(
            self._classifier(data), None, data, max_rows=TREE_ROWS, kept=BoostedTrees.of
        )

    def _classifier(self, data: TrainingData) -> HistGradientBoostingClassifier:
        rarest = np.bincount(data.codes).min() * min(1, TREE_ROWS / len(data.codes))
        return HistGradientBoostingClassifier(
            max_leaf_nodes=BOOSTED_LEAVES,
            early_stopping="auto" if rarest >= EARLY_STOPPING_ROWS else False,
            random_state=data.random_state,
        )
