"""Evidence on items besides annotators: models of the table, or probabilities of the user."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from ..._canonical import number_by_appearance
from ..._compat import take_rows
from .._settings import (
    FEW_CLASSES,
    LEARN_ROWS,
    MEDIUM,
    SMALLEST_PROBABILITY,
    TREE_ROWS,
    TREES,
    WIDE,
)
from ..inputs._groups import group_folds, renumber_groups
from ..models._base import NewRows, OutOfFoldModel, TrainingData
from ..models._default import (
    CrossFitted,
    Forest,
    LinearModel,
    RBFRidge,
)
from ..models._pooling import Pool, pool_models, pool_new_rows, skill_of

# Several annotators. `python benchmarks/votes.py`
FIRST_STEPS = 6  # in all of which something is chosen anew
LATER_STEPS = 3  # one in so many, later
FEATURE_WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
FEATURE_FLOORS = (0.0, 0.05, 0.2, 0.5)
POWERS = (-np.log(10), np.log(10))  # logarithms of those by which probabilities may be surer

# Out-of-fold probabilities (N, K); name, weight and agreement of models; whether they have skill.
Predicted = tuple[np.ndarray, list[dict[str, Any]], bool]

Prior = Callable[[np.ndarray, int], np.ndarray]  # logs of votes (N, K), step -> log prior (N, K)


def vote_models(n_items: int, n_classes: int) -> list[OutOfFoldModel]:
    """The quick ones of the default models, as they are fitted twice, of different kinds."""
    n_trees = next(trees for rows, trees in TREES.items() if n_items <= rows)
    chosen: list[OutOfFoldModel] = [
        RBFRidge("wide RBF features", WIDE),
        RBFRidge("RBF features", MEDIUM),
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
    order : array of shape (N,), optional
        Items in the order in which models see them; that of ``X`` by default.
    seed, n_jobs, progress
        As for :func:`errata.audit`.
    """

    X: np.ndarray
    n_classes: int
    estimator: Any = None
    table: Any = None
    classes: np.ndarray | None = None
    groups: np.ndarray | None = None
    order: np.ndarray | None = None
    seed: int = 0
    n_jobs: int | None = None
    progress: Callable[[str], None] | None = None

    def __call__(self, codes: np.ndarray) -> Predicted:
        """Fit the models to these classes of the items, -1 where unknown, and predict."""
        taught = self._taught(codes)
        own = number_by_appearance(codes[taught])  # whatever the classes are called
        present = codes[taught][np.unique(own, return_index=True)[1]]
        if len(present) < 2:
            return np.full((len(codes), self.n_classes), 1 / self.n_classes), [], False
        data = self._training_data(taught, own, len(present))
        pool = pool_models(data, self._models(taught, present), progress=self.progress)
        proba = np.full((len(codes), self.n_classes), SMALLEST_PROBABILITY)
        proba[np.ix_(taught, present)] = np.exp(pool.logs.T)
        self._predict_others(proba, taught, present, pool)
        of_models = zip(pool.names, pool.weights.tolist(), pool.agreement.tolist(), strict=True)
        models = [
            {"name": name, "weight": weight, "agreement": agreement}
            for name, weight, agreement in of_models
        ]
        return proba, models, skill_of(pool.logs, own, data.groups).enough

    def _taught(self, codes: np.ndarray) -> np.ndarray:
        """Items to learn from: those of classes that have two."""
        sizes = np.bincount(codes[codes >= 0], minlength=self.n_classes)
        order = np.arange(len(codes)) if self.order is None else self.order
        taught = order[((codes >= 0) & (sizes[codes] >= 2))[order]]
        if len(taught) <= LEARN_ROWS:
            return taught
        random = np.random.default_rng(self.seed)
        return taught[np.sort(random.choice(len(taught), LEARN_ROWS, replace=False))]

    def _training_data(self, taught: np.ndarray, own: np.ndarray, n_classes: int) -> TrainingData:
        groups = renumber_groups(self.groups, taught)
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
        """Predict items that were not learnt from."""
        others = np.setdiff1d(np.arange(len(proba)), taught)
        if not len(others):
            return
        table = self.X if self.table is None else self.table
        folds = None if self.groups is None else self._folds()
        rows = NewRows(self.X, table, None, folds).take(others)
        logs = pool_new_rows(pool.fitted, pool.weights, rows)[0]
        proba[np.ix_(others, present)] = np.exp(logs.T)


class UserProbabilities:
    """The user's own probabilities, made as sure as they may be."""

    def __init__(self, proba: np.ndarray) -> None:
        self.logs = np.log(np.maximum(proba, SMALLEST_PROBABILITY))

    def __call__(self, codes: np.ndarray) -> Predicted:
        """The probabilities, to the power that predicts these codes best, and how good they are."""
        known = codes >= 0
        logs = self.logs[known]

        def measure_loss(log_power: float) -> float:
            powered = log_softmax(np.exp(log_power) * logs, axis=1)
            return float(-np.take_along_axis(powered, codes[known][:, None], axis=1).sum())

        power = np.exp(minimize_scalar(measure_loss, bounds=POWERS, method="bounded").x)
        agreement = float(np.mean(logs.argmax(axis=1) == codes[known]))
        model = {"name": "your probabilities", "weight": 1.0, "agreement": agreement}
        has_skill = skill_of(log_softmax(power * logs, axis=1).T, codes[known]).enough
        return softmax(power * self.logs, axis=1), [model], has_skill


def is_chosen_in(step: int) -> bool:
    """Whether numbers that are searched for are chosen anew: later they hardly change."""
    return step < FIRST_STEPS or step % LATER_STEPS == 0


class ByFeatures:
    """A prior from what models say of each item, as far as that makes the votes likely.

    The prior is (1 - e) s^(1 - beta) P^beta + e s, the first part normalised, for shares s and
    probabilities P. Where beta is 0, features say nothing.
    """

    weight = 0.0
    floor = 0.0

    def __init__(self, shares: np.ndarray, proba: np.ndarray) -> None:
        self.shares = shares
        self.proba = proba

    def __call__(self, votes: np.ndarray, step: int) -> np.ndarray:
        """Logarithm of the prior, (N, K), with weight and floor by the likelihood of the votes."""
        if is_chosen_in(step):
            self.weight, self.floor = self._most_likely(votes)
        return np.log(self._mixed(self._powered(self.weight), self.floor))

    def _most_likely(self, votes: np.ndarray) -> tuple[float, float]:
        likelihood = np.exp(votes - votes.max(axis=1, keepdims=True))
        best = -np.inf
        chosen = (0.0, 0.0)
        for weight in FEATURE_WEIGHTS:
            powered = self._powered(weight)
            for floor in FEATURE_FLOORS:
                value = np.log((self._mixed(powered, floor) * likelihood).sum(axis=1)).sum()
                if value > best:
                    best = value
                    chosen = (float(weight), float(floor))
        return chosen

    def _powered(self, weight: float) -> np.ndarray:
        """The shares to some power times what models say to another, normalised."""
        by_models = np.log(np.maximum(self.proba, SMALLEST_PROBABILITY))
        logs = (1 - weight) * np.log(self.shares) + weight * by_models
        powered = np.exp(logs - logs.max(axis=1, keepdims=True))
        return powered / powered.sum(axis=1, keepdims=True)

    def _mixed(self, powered: np.ndarray, floor: float) -> np.ndarray:
        return (1 - floor) * powered + floor * self.shares
