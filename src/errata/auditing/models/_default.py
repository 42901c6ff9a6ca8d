"""The default models, quick ones that differ in kind, and those that a user brings."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..._compat import take_rows
from ..._kernels import kernels
from ..._kernels._forest import put_behind_each_other
from ..._neighbors import nearest, nearest_in
from ..._random import clone_keeping_seeds
from ..._validation import fit_to_codes
from ...elm import ELMClassifier
from ...elm._hidden_layer import RBF
from ...exceptions import SuspicionWarning
from ...tables._columns import is_arrow_table
from .._settings import (
    FEW_CLASSES,
    GROUP_FOLDS,
    LEAVE_ONE_OUT,
    MEDIUM,
    NEIGHBORS,
    RIDGE_FOLDS,
    TREE_ROWS,
    TREES,
    WIDE,
)
from ._base import (
    CrossFit,
    NewRows,
    OutOfFoldModel,
    TrainingData,
    all_columns,
    certain_or_uniform,
    cross_fit_classifier,
    cross_fit_proba,
    single_precision,
)
from ._fitted import BoostedTrees, FittedRidge, FittedTrees

# Sizes: how much is learnt from at most. `python benchmarks/speed.py tables given`,
# `python benchmarks/speed.py stored million trees`
SMALL = 1_000  # rows above which boosting pays, and a second forest gets fewer trees
BAGGED_ROWS = 3_000  # rows up to which a second forest stands in for boosting of many classes
BOOSTED_CLASSES = 5  # up to which gradient boosting is: `python benchmarks/detection.py large`
WORTH_GROWING = 200_000  # rows of all trees times the features they try: the same for forests

# Models and their parameters. `python benchmarks/detection.py detect --rows 500 --seeds 1 --alone`
BOOSTED_FOLDS = 3  # of boosting, which stops early: better and four times as fast as five
NARROW = 2.0  # sharpness of RBF features
RBF_FEATURES = 400
LINEAR_STEPS = 300  # of logistic regression, at most
GCV_ROWS = 5  # for each feature, from which GCV chooses the ridge as well as leaving rows out
BOOSTED_LEAVES = 15  # of each boosted tree
BOOSTED_BINS = 63  # of each column
BOOSTED_RATE = 0.1  # of learning
BOOSTED_PATIENCE = 5  # trees without gain after which it stops
EARLY_STOPPING_ROWS = 10  # of the rarest class: early stopping sets rows of every class aside

# Self-check. `python benchmarks/honesty.py claims null selfcheck`, `detection.py`
CHECK_TREES = 60  # of each forest there, at most
CHECK_FEATURES = 200  # of each RBF model there, at most
CHECK_RATE = 0.2  # of boosting there
CHECK_PATIENCE = 3  # trees without gain there

# Learning from an audit. `python benchmarks/learning.py tolerant`, the sets of its first list
COMMITTEE_C = 3.0  # of the kernel logistic regression
COMMITTEE_LANDMARKS = 300
COMMITTEE_TREES = 100  # extremely randomised
COMMITTEE_LEAF = 3  # rows at least


def default_models(n_rows: int, n_classes: int) -> list[OutOfFoldModel]:
    """The models of an audit that is given no ``estimators``.

    They are those that a benchmark showed to add something, and that the size of the table allows.

    Examples
    --------
    >>> from errata.auditing import default_models
    >>> [model.name for model in default_models(10_000, n_classes=2)]
    ['RBF features', 'extra trees', 'gradient boosting', 'linear model']
    """
    n_trees = next(trees for rows, trees in TREES.items() if n_rows <= rows)
    chosen: list[OutOfFoldModel] = [
        RBFRidge("RBF features", MEDIUM),
        Forest("extra trees", True, n_trees, 3),
    ]
    boosts = n_rows > SMALL and n_classes <= BOOSTED_CLASSES
    if n_rows <= BAGGED_ROWS and not boosts:
        chosen.append(Forest("random forest", False, min(n_trees, n_trees * SMALL // n_rows), 2))
    if boosts:
        chosen.append(GradientBoosting("gradient boosting"))
    else:  # beside boosting, these add nothing
        chosen.append(RBFRidge("wide RBF features", WIDE))
        chosen.append(RBFRidge("narrow RBF features", NARROW))
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
    data: TrainingData | None = field(default=None, repr=False)  # among which others are predicted

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

    def predict_proba(self, rows: NewRows) -> np.ndarray:
        """Of rows of one fold, by those outside of it."""
        assert self.data is not None
        outside = np.flatnonzero(self.data.folds != np.asarray(rows.folds)[0])
        X = self.data.X[outside]
        k = min(self.n_neighbors, len(outside))
        distances, near = nearest_in(X, rows.X, k, n_jobs=self.data.n_jobs)
        codes = self.data.codes[outside[near]]
        return _votes_of_neighbors(distances.T, codes, self.data.n_classes)


def _votes(neighbors: np.ndarray, data: TrainingData) -> np.ndarray:
    """Votes of the neighbours of each row of the data."""
    distances = np.stack(
        [np.sqrt(((data.X - data.X[near]) ** 2).sum(axis=1)) for near in neighbors.T]
    )
    return _votes_of_neighbors(distances, data.codes[neighbors], data.n_classes)


def _votes_of_neighbors(distances: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
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
            return cross_fit_proba(LogisticRegression(max_iter=LINEAR_STEPS), data.X, data)

    def cross_fit(self, data: TrainingData) -> CrossFit:
        """Costs one fit more."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return cross_fit_classifier(LogisticRegression(max_iter=LINEAR_STEPS), None, data)


@dataclass(frozen=True)
class GradientBoosting:
    """Histogram gradient boosting with small trees: the best single model of large tables."""

    name: str
    learning_rate: float = BOOSTED_RATE
    patience: int = BOOSTED_PATIENCE  # trees that gain nothing before it stops

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs three fits to 20,000 rows each at most, K times as much for K classes."""
        return cross_fit_proba(
            self._classifier(data), data.X, data, max_rows=TREE_ROWS, n_splits=BOOSTED_FOLDS
        )

    def cross_fit(self, data: TrainingData) -> CrossFit:
        """Costs one fit more."""
        return cross_fit_classifier(
            self._classifier(data),
            None,
            data,
            max_rows=TREE_ROWS,
            kept=BoostedTrees,
            n_splits=BOOSTED_FOLDS,
        )

    def lighter(self) -> "GradientBoosting":
        """Fewer and larger steps, for a self-check."""
        return replace(self, learning_rate=CHECK_RATE, patience=CHECK_PATIENCE)

    def _classifier(self, data: TrainingData) -> HistGradientBoostingClassifier:
        rarest = np.bincount(data.codes).min() * min(1, TREE_ROWS / len(data.codes))
        return HistGradientBoostingClassifier(
            learning_rate=self.learning_rate,
            max_leaf_nodes=BOOSTED_LEAVES,
            max_bins=BOOSTED_BINS,
            early_stopping=bool(rarest >= EARLY_STOPPING_ROWS),
            n_iter_no_change=self.patience,
            random_state=data.random_state,
        )


@dataclass(frozen=True)
class Forest:
    """A bootstrapped forest; each row is predicted by the trees that were grown without it."""

    name: str
    extra: bool
    n_trees: int
    min_samples_leaf: int

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs O(B m log m) to grow B trees from m rows each, and O(B n log m) to predict."""
        if data.folds is not None:
            return self.cross_fit(data).out_of_fold
        return certain_or_uniform(self.votes_outside(data))

    def cross_fit(self, data: TrainingData) -> CrossFit:
        """Costs no more: the trees are there already."""
        times, seen = draw_samples(self.n_trees, TREE_ROWS, data)
        votes, trees = self._grow(data, times, keep=True)
        fitted = FittedTrees(trees, seen)
        if seen is not None:
            return CrossFit(fitted.predict_proba(NewRows(data.X, folds=data.folds)), fitted)
        return CrossFit(certain_or_uniform(votes), fitted)

    def lighter(self) -> "Forest":
        """As many trees as it takes to see how well planted errors are found."""
        return replace(self, n_trees=min(self.n_trees, CHECK_TREES))

    def votes_outside(self, data: TrainingData) -> np.ndarray:
        """Sums of votes on each row by trees without it; ``codes`` may have a column a label.

        Those of the classes of the first label come first, then those of the second.
        """
        times, _ = draw_samples(self.n_trees, TREE_ROWS, data)
        return self._grow(data, times, keep=False)[0]

    def _grow(self, data: TrainingData, times: np.ndarray, *, keep: bool) -> tuple[np.ndarray, Any]:
        """Votes on rows left out, and the trees if kept; a thread a job grows some of them."""
        columns = np.ascontiguousarray(single_precision(data.X).T)
        codes = data.codes.reshape(len(columns.T), -1)
        codes = codes + data.n_classes * np.arange(codes.shape[1])
        n_votes = data.n_classes * codes.shape[1]
        n_tried = max(1, int(np.sqrt(len(columns))))
        keys = np.random.SeedSequence(data.random_state).generate_state(self.n_trees, np.uint64)
        pays = times.size * n_tried >= WORTH_GROWING
        grow = kernels("forest", compiled=pays).grow_forest
        how = n_tried, self.min_samples_leaf, self.extra, keep
        parts = Parallel(n_jobs=data.n_jobs, prefer="threads")(
            delayed(grow)(columns, codes, n_votes, times[block], keys[block], *how)
            for block in np.array_split(np.arange(self.n_trees), effective_n_jobs(data.n_jobs))
        )
        # Doubles hold sums of votes, which are of single precision, without rounding.
        votes = np.sum([outside for outside, _ in parts], axis=0)
        return votes, put_behind_each_other([trees for _, trees in parts]) if keep else None


def draw_samples(
    n_trees: int, most_rows: int, data: TrainingData
) -> tuple[np.ndarray, np.ndarray | None]:
    """How often each row is in the sample of each tree, and which folds each tree has seen.

    Groups are drawn instead of rows. Where they fall into folds, a tree is grown on half of these,
    and the next tree on the other half, so that each fold is left out by every second tree.
    """
    n = len(data.codes)
    random = np.random.default_rng(data.random_state)
    times = np.empty((n_trees, n), dtype=np.uint8)
    if data.folds is not None:
        present = np.unique(data.folds)
        seen = np.zeros((n_trees, GROUP_FOLDS), dtype=bool)
        for pair in range(0, n_trees, 2):
            half = random.permutation(present)[: len(present) // 2]
            seen[pair, half] = True
            seen[pair + 1 : pair + 2, np.setdiff1d(present, half)] = True
        for tree, folds in enumerate(seen):
            inside = np.flatnonzero(folds[data.folds])
            drawn = random.choice(inside, min(most_rows, len(inside)))
            times[tree] = np.bincount(drawn, minlength=n)
        return times, seen
    groups = np.arange(n) if data.groups is None else data.groups
    n_groups = int(groups.max()) + 1
    n_drawn = min(n_groups, max(1, most_rows * n_groups // n))
    for own in times:
        own[:] = np.bincount(random.integers(n_groups, size=n_drawn), minlength=n_groups)[groups]
    return times, None


@dataclass(frozen=True)
class RBFRidge:
    """Ridge regression on Gaussian RBF features around drawn rows; left out in closed form."""

    name: str
    sharpness: float
    n_hidden: int = RBF_FEATURES

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs O(n m²) for m features."""
        return _out_of_fold(self._fitted(data), data.n_classes)

    def cross_fit(self, data: TrainingData) -> CrossFit:
        """Costs no more: the model of all rows, and those without each fold, are there already."""
        model = self._fitted(data)
        return CrossFit(_out_of_fold(model, data.n_classes), FittedRidge(model, data))

    def lighter(self) -> "RBFRidge":
        """Fewer features, for a self-check."""
        return replace(self, n_hidden=min(self.n_hidden, CHECK_FEATURES))

    def _fitted(self, data: TrainingData) -> ELMClassifier:
        n = len(data.codes)
        grouped = data.is_grouped
        few = n < GCV_ROWS * self.n_hidden
        model = ELMClassifier(
            n_hidden=self.n_hidden,
            activation=RBF,
            weight_scale=self.sharpness,
            alpha="kfold" if grouped else "press" if few else "gcv",
            cv=data.splits(RIDGE_FOLDS) if n > LEAVE_ONE_OUT or grouped else None,
            random_state=data.random_state,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SuspicionWarning)  # rare classes: the user was told
            return fit_to_codes(model, data.X, data.codes)  # the labels were checked before


def _out_of_fold(model: ELMClassifier, n_classes: int) -> np.ndarray:
    scores = model.loo_predictions_ if model.cv is None else model.oof_predictions_
    single = (scores / model.temperature_).astype(np.float32)  # many classes fill the memory
    proba = softmax(np.nan_to_num(single, copy=False, nan=1 / n_classes), axis=1)
    return all_columns(proba, model.classes_, n_classes)


class KernelAndTrees(ClassifierMixin, BaseEstimator):
    """The mean of a kernel logistic regression and of extremely randomised trees.

    They err in different places: the one is smooth, the others cut along the axes.
    """

    def __init__(self, random_state: Any = None, n_jobs: int | None = None) -> None:
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> Self:
        """Fit both."""
        landmarks = min(COMMITTEE_LANDMARKS, len(X))
        features = Nystroem(
            gamma=1 / X.shape[1], n_components=landmarks, random_state=self.random_state
        )
        machine = LogisticRegression(C=COMMITTEE_C, max_iter=1_000)
        self.kernel_ = make_pipeline(StandardScaler(), features, machine)
        self.kernel_.fit(X, y, logisticregression__sample_weight=sample_weight)
        self.trees_ = ExtraTreesClassifier(
            COMMITTEE_TREES,
            min_samples_leaf=COMMITTEE_LEAF,
            max_features=None,
            bootstrap=True,  # or a leaf would follow every wrong label it holds
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        ).fit(X, y, sample_weight=sample_weight)
        self.classes_ = self.trees_.classes_
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """The mean of the two."""
        return (self.kernel_.predict_proba(X) + self.trees_.predict_proba(X)) / 2

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The more probable class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@dataclass(frozen=True)
class CrossFitted:
    """A classifier, fitted to errata's features or to a table of its own."""

    name: str
    classifier: Any
    table: Any = None  # errata's features if None
    classes: np.ndarray | None = None  # what the classifier knows the codes as

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Costs a fit for each of five folds."""
        table = data.X if self.table is None else self.table
        classifier = clone_keeping_seeds(self.classifier, data.random_state)
        with name_failing_model(self.name):
            return cross_fit_proba(classifier, table, data, self.classes)

    def cross_fit(self, data: TrainingData) -> CrossFit:
        """Costs one fit more."""
        classifier = clone_keeping_seeds(self.classifier, data.random_state)
        with name_failing_model(self.name):
            return cross_fit_classifier(classifier, self.table, data, self.classes)

    def for_rows(self, rows: np.ndarray) -> "CrossFitted":
        """The same model for some of the rows."""
        return self if self.table is None else replace(self, table=take_rows(self.table, rows))


@contextmanager
def name_failing_model(name: str) -> Iterator[None]:
    """Say which model failed, whatever it raises: libraries have exceptions of their own."""
    try:
        yield
    except Exception as error:
        message = f"{name} failed: {error}" if str(error) else f"{name} failed."
        raise ValueError(message) from error


@dataclass(frozen=True)
class GivenProbabilities:
    """Probabilities that the user has already."""

    proba: np.ndarray
    name: str = "your probabilities"

    def out_of_fold_proba(self, data: TrainingData) -> np.ndarray:
        """Nothing to fit."""
        return self.proba

    def cross_fit(self, data: TrainingData) -> CrossFit:
        """The user has those of other rows, too."""
        return CrossFit(self.proba, AsGiven())

    def for_rows(self, rows: np.ndarray) -> "GivenProbabilities":
        """The same model for some of the rows."""
        return replace(self, proba=self.proba[rows])


class AsGiven:
    """Rows as the user's probabilities predict them."""

    def predict_proba(self, rows: NewRows) -> np.ndarray:
        """Nothing to compute."""
        return np.asarray(rows.pred_proba)


def estimator_table(table: Any, features: Any) -> Any:
    """The table for the user's estimator: as it was given, or errata's features of it.

    Of the columns of a text file, only errata's features are numbers.
    """
    of_columns = isinstance(table, Mapping) or is_arrow_table(table)
    return features if of_columns and features is not None else table


def check_classifier(parameter: str, classifier: Any) -> None:
    if isinstance(classifier, str):
        raise ValueError(
            f"{parameter} holds the text {classifier!r}; pass the classifier itself, for instance "
            "sklearn.neighbors.KNeighborsClassifier()."
        )
    if not hasattr(classifier, "predict_proba"):
        raise ValueError(
            f"{parameter}={type(classifier).__name__} has no predict_proba; pass a classifier that "
            "gives probabilities."
        )
