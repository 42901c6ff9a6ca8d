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
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import NearestNeighbors

from .._compat import take_rows
from ..exceptions import SuspicionWarning
from ..extreme import ELMClassifier
from ..hardness import nearest

LEAVE_ONE_OUT = 20_000  # rows up to which each is left out by itself; beyond, in ten folds
TREE_ROWS = 20_000  # rows that a tree is grown from at most; it is asked about all the others
LEFT_OUT = np.exp(-1)  # share of bootstrapped trees that a row is not in; in folds, all speak
FEW_CLASSES = 30  # up to which a linear model is quick
SMALL = 3_000  # rows up to which a second forest, slower and a little different, costs little


@dataclass(frozen=True)
class Case:
    """What witnesses are asked about.

    ``folds`` holds the rows of each fold where rows must be left out together, and is None where
    each may be left out by itself.
    """

    X: np.ndarray  # (n, d), every column with mean 0 and spread 1
    codes: np.ndarray  # (n,), labels from 0 to n_classes - 1
    n_classes: int
    folds: list[np.ndarray] | None = None
    seed: int = 0
    n_jobs: int | None = None

    def splits(self, n_folds: int = 5) -> list[tuple[np.ndarray, np.ndarray]]:
        """Training and test rows: the folds that must be, or else stratified ones."""
        if self.folds is not None:
            everyone = np.arange(len(self.codes))
            return [(np.setdiff1d(everyone, fold), fold) for fold in self.folds]
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
            alpha="gcv" if many else "press",
            cv=case.splits(10) if many or case.folds is not None else None,
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
        largest = 0 if case.folds is None else max(map(len, case.folds))
        few = len(case.codes) - largest <= TREE_ROWS
        forest = (ExtraTreesClassifier if self.extra else RandomForestClassifier)(
            self.n_trees,
            min_samples_leaf=self.min_samples_leaf,
            bootstrap=True,
            max_samples=None if few else TREE_ROWS,
            random_state=case.seed,
            n_jobs=case.n_jobs,
        )
        if case.folds is not None:
            asked = max(1, round(LEFT_OUT * self.n_trees))
            return cross_fitted(forest.set_params(n_estimators=asked), case.X, case)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # few trees: some rows are in all of them
            votes = forest.set_params(oob_score=True).fit(case.X, case.codes)
        return certain_or_uniform(among_all(votes.oob_decision_function_, votes.classes_, case))


@dataclass(frozen=True)
class Neighbors:
    """The labels of the nearest other rows, the nearer the weightier."""

    name: str
    n_neighbors: int = 20

    def testify(self, case: Case) -> np.ndarray:
        """Costs a neighbour search."""
        k = min(self.n_neighbors, len(case.codes) - 1)
        if case.folds is None:
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
class Model:
    """A classifier of the user's, fitted to the table as it was given."""

    estimator: Any
    table: Any
    classes: np.ndarray  # what the estimator knows the codes of the case as
    name: str = "your model"

    def testify(self, case: Case) -> np.ndarray:
        """Costs a fit for each of five folds, or for each of those that must be."""
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
    n_trees = 200 if n_rows <= SMALL else 100 if n_rows <= TREE_ROWS else 50
    chosen: list[Witness] = [
        Bumps("wide bumps", 0.5),
        Bumps("bumps", 1.0),
        Bumps("narrow bumps", 2.0),
        Trees("extra trees", True, n_trees, 3),
    ]
    if n_rows <= SMALL:
        chosen.append(Trees("random forest", False, n_trees, 2))
    if n_rows <= TREE_ROWS:
        chosen.append(Neighbors("neighbours"))
    if n_rows <= TREE_ROWS and n_classes <= FEW_CLASSES:
        chosen.append(Linear("linear model"))
    return chosen


def cross_fitted(
    estimator: Any, table: Any, case: Case, classes: np.ndarray | None = None
) -> np.ndarray:
    """Probabilities of the rows of each fold by the estimator fitted to the others."""
    names = np.arange(case.n_classes) if classes is None else classes
    proba = np.zeros((len(case.codes), case.n_classes))
    for train, test in case.splits():
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
