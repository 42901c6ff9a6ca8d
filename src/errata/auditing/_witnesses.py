"""Witnesses: what models that never saw a row's label say about it.

A witness gives, for every row, the probability of each *label*, from a model that was not fitted to
that row. Those here are quick and differ in kind. A new one is a class with a name and
``testify``; nothing else in this room needs to know it.
"""

import warnings
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from scipy.special import softmax
from sklearn.base import clone
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestNeighbors
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from .._compat import take_rows
from ..elm import ELMClassifier
from ..exceptions import SuspicionWarning
from ..hardness import nearest
from ._groups import bagged_by_group, group_splits
from ._settings import (
    BOOSTED_CLASSES,
    FEW_CLASSES,
    LEAVE_ONE_OUT,
    SMALL,
    TREE_ROWS,
    TREES,
)


@dataclass(frozen=True)
class Case:
    """What witnesses are asked about.

    ``groups`` holds for each row the number of its group where rows must be left out together,
    and is None where each may be left out by itself.
    """

    X: np.ndarray  # (n, d), every column with mean 0 and spread 1
    codes: np.ndarray  # (n,), labels from 0 to n_classes - 1
    n_classes: int
    groups: np.ndarray | None = None
    seed: int = 0
    n_jobs: int | None = None

    def splits(self, n_folds: int = 5) -> list[tuple[np.ndarray, np.ndarray]]:
        """Training and test rows: stratified folds, which keep the rows of a group together."""
        if self.groups is not None:
            return group_splits(self.groups, self.codes, n_folds, self.seed)
        n_folds = min(n_folds, int(np.bincount(self.codes).max()))
        dealt = StratifiedKFold(n_folds, shuffle=True, random_state=self.seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a class of fewer rows than folds
            return list(dealt.split(np.zeros(len(self.codes)), self.codes))


class Witness(Protocol):
    """Anything with a name that can testify."""

    @property
    def name(self) -> str:
        """How reports call it."""

    def testify(self, case: Case) -> np.ndarray:
        """Probability of each label for each row, shape (n, n_classes), out of sample."""


@dataclass(frozen=True)
class Bumps:
    """Ridge regression on Gaussian bumps around drawn rows; rows are left out in closed form."""

    name: str
    sharpness: float
    n_hidden: int = 400

    def testify(self, case: Case) -> np.ndarray:
        """Costs O(n m²) for m bumps."""
        many = len(case.codes) > LEAVE_ONE_OUT
        model = ELMClassifier(
            n_hidden=self.n_hidden,
            activation="gauss",
            sigma_w=self.sharpness,
            alpha="kfold" if case.groups is not None else "gcv" if many else "press",
            cv=case.splits(10) if many or case.groups is not None else None,
            random_state=case.seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SuspicionWarning)  # lonely classes: the user was told
            model.fit(case.X, case.codes)
        scores = model.loo_predictions_ if model.cv is None else model.oof_predictions_
        single = (scores / model.temperature_).astype(np.float32)  # many classes fill the memory
        proba = softmax(np.nan_to_num(single, copy=False, nan=1 / case.n_classes), axis=1)
        return among_all(proba, model.classes_, case)


@dataclass(frozen=True)
class Trees:
    """A bootstrapped forest, asked about each row by the trees that were grown without it."""

    name: str
    extra: bool
    n_trees: int
    min_samples_leaf: int

    def testify(self, case: Case) -> np.ndarray:
        """Costs O(B m log m) to grow B trees from m rows each, and O(B n log m) to ask them."""
        if case.groups is not None:
            return certain_or_uniform(self._out_of_group(case))
        forest = (ExtraTreesClassifier if self.extra else RandomForestClassifier)(
            self.n_trees,
            min_samples_leaf=self.min_samples_leaf,
            bootstrap=True,
            oob_score=True,
            max_samples=None if len(case.codes) <= TREE_ROWS else TREE_ROWS,
            random_state=case.seed,
            n_jobs=case.n_jobs,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # few trees: some rows are in all of them
            votes = forest.fit(case.X, case.codes)
        return certain_or_uniform(among_all(votes.oob_decision_function_, votes.classes_, case))

    def _out_of_group(self, case: Case) -> np.ndarray:
        """The same with groups drawn instead of rows; each tree votes on groups it has not seen."""
        tree = (ExtraTreeClassifier if self.extra else DecisionTreeClassifier)(
            max_features="sqrt", min_samples_leaf=self.min_samples_leaf
        )
        return bagged_by_group(tree, self.n_trees, TREE_ROWS, case)


@dataclass(frozen=True)
class Neighbors:
    """The labels of the nearest other rows, the nearer the weightier."""

    name: str
    n_neighbors: int = 20

    def testify(self, case: Case) -> np.ndarray:
        """Costs a neighbour search."""
        k = min(self.n_neighbors, len(case.codes) - 1)
        if case.groups is None:
            return self._votes(nearest(case.X, k, n_jobs=case.n_jobs), case)
        found = np.empty((len(case.codes), k), dtype=np.intp)
        for train, test in case.splits():
            search = NearestNeighbors(n_neighbors=min(k, len(train)), n_jobs=case.n_jobs)
            near = search.fit(case.X[train]).kneighbors(case.X[test], return_distance=False)
            found[test] = train[near[:, np.arange(k) % near.shape[1]]]
        return self._votes(found, case)

    def _votes(self, neighbors: np.ndarray, case: Case) -> np.ndarray:
        n, k = neighbors.shape
        distances = np.stack(
            [np.sqrt(((case.X - case.X[neighbors[:, j]]) ** 2).sum(axis=1)) for j in range(k)]
        )
        mean = np.maximum(distances.mean(axis=0), np.finfo(float).tiny)
        votes = np.full((n, case.n_classes), 0.5 / case.n_classes)
        for j in range(k):
            weight = np.exp(-((distances[j] / mean) ** 2))
            votes[np.arange(n), case.codes[neighbors[:, j]]] += weight
        return votes / votes.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class Linear:
    """Logistic regression: plain borders, which the others only approach."""

    name: str

    def testify(self, case: Case) -> np.ndarray:
        """Costs five fits."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return cross_fitted(LogisticRegression(max_iter=300), case.X, case)


@dataclass(frozen=True)
class Boosting:
    """Histogram gradient boosting with small trees: the best single model of large tables."""

    name: str

    def testify(self, case: Case) -> np.ndarray:
        """Costs five fits to 20,000 rows each at most, K times as much for K classes."""
        rarest = np.bincount(case.codes).min() * min(1, TREE_ROWS / len(case.codes))
        model = HistGradientBoostingClassifier(
            max_leaf_nodes=15,
            early_stopping="auto" if rarest >= 10 else False,  # it sets rows of every class aside
            random_state=case.seed,
        )
        return cross_fitted(model, case.X, case, most_rows=TREE_ROWS)


@dataclass(frozen=True)
class Model:
    """A classifier of the user's, fitted to the table as it was given."""

    estimator: Any
    table: Any
    classes: np.ndarray  # what the estimator knows the codes of the case as
    name: str = "your model"

    def testify(self, case: Case) -> np.ndarray:
        """Costs a fit for each of five folds."""
        return cross_fitted(self.estimator, self.table, case, self.classes)

    def for_rows(self, rows: np.ndarray) -> "Model":
        """The same witness for some of the rows."""
        return replace(self, table=take_rows(self.table, rows))


@dataclass(frozen=True)
class Given:
    """Probabilities that the user has already."""

    proba: np.ndarray
    name: str = "your probabilities"

    def testify(self, case: Case) -> np.ndarray:
        """Nothing to do."""
        return self.proba

    def for_rows(self, rows: np.ndarray) -> "Given":
        """The same witness for some of the rows."""
        return replace(self, proba=self.proba[rows])


def default_witnesses(n_rows: int, n_classes: int) -> list[Witness]:
    """Those that the bench showed to add something, and that the size of the table allows."""
    n_trees = next(trees for rows, trees in TREES.items() if n_rows <= rows)
    n_hidden = 800 if n_rows <= SMALL else 400
    chosen: list[Witness] = [
        Bumps("wide bumps", 0.5, n_hidden),
        Bumps("bumps", 1.0, n_hidden),
        Trees("extra trees", True, n_trees, 3),
    ]
    if n_rows <= SMALL:
        chosen.append(Trees("random forest", False, n_trees, 2))
    if n_rows > SMALL and n_classes <= BOOSTED_CLASSES:
        chosen.append(Boosting("gradient boosting"))
    else:  # where boosting is heard, these two add nothing
        chosen.append(Bumps("narrow bumps", 2.0, n_hidden))
        if n_rows <= TREE_ROWS:
            chosen.append(Neighbors("neighbours"))
    if n_rows <= TREE_ROWS and n_classes <= FEW_CLASSES:
        chosen.append(Linear("linear model"))
    return chosen


def cross_fitted(
    estimator: Any,
    table: Any,
    case: Case,
    classes: np.ndarray | None = None,
    most_rows: int | None = None,
) -> np.ndarray:
    """Probabilities of the rows of each fold by the estimator fitted to the others, or to some."""
    names = np.arange(case.n_classes) if classes is None else classes
    proba = np.zeros((len(case.codes), case.n_classes))
    random = np.random.default_rng(case.seed)
    for train, test in case.splits():
        if most_rows is not None and len(train) > most_rows:
            train = np.sort(random.choice(train, most_rows, replace=False))
        if len(only := np.unique(case.codes[train])) == 1:
            proba[test, only] = 1  # many models refuse to learn a single class
            continue
        model = clone(estimator).fit(take_rows(table, train), names[case.codes[train]])
        known = np.searchsorted(names, model.classes_)
        proba[np.ix_(test, known)] = model.predict_proba(take_rows(table, test))
    return certain_or_uniform(proba)


def among_all(proba: np.ndarray, present: np.ndarray, case: Case) -> np.ndarray:
    """Columns for all classes, zero for those that no row has at the moment."""
    if len(present) == case.n_classes:
        return proba
    spread = np.zeros((len(proba), case.n_classes))
    spread[:, present] = proba
    return spread


def certain_or_uniform(proba: np.ndarray) -> np.ndarray:
    """Rows that sum to one; those about which nothing is known become uniform."""
    proba = np.nan_to_num(proba, nan=0.0)
    total = proba.sum(axis=1, keepdims=True)
    uniform = np.full_like(proba, 1 / proba.shape[1])
    return np.divide(proba, total, out=uniform, where=total > 0)
