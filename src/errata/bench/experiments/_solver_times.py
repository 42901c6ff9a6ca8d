"""Solvers of one support vector problem, timed beside each other on the folds of a nested search.

Processor time in one thread, as a ratio to the fastest solver of the same fold: a number of seconds
would say more about the machine than about the solver.
"""

import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ...elm import ELMFeatures
from .._experiment import Bench, Cell
from ._complete import load_complete


class Contestant(BaseEstimator):
    """A solver, and what it is given: ``rows``, their ``features``, or the ``gram`` of these.

    Its ``fit`` is on the clock; features and Gram matrices are made before. A solver that is given
    rows makes them itself, on the clock.

    Parameters
    ----------
    estimator : SVC, LinearSVC or ELMSVC
        With a parameter ``C``.
    given : {"rows", "features", "gram"}
        What it is fitted to.
    unit : float, default=1
        The ``C`` of the search is multiplied by it.
    """

    def __init__(self, estimator: Any, given: str, unit: float = 1.0) -> None:
        self.estimator = estimator
        self.given = given
        self.unit = unit

    def run(self, split: "Split", C: float) -> tuple[float, float]:
        """Processor time of the fit in seconds, and the fraction of test rows that are wrong."""
        train, test = getattr(split, self.given)
        model = clone(self.estimator).set_params(C=self.unit * C, random_state=split.seed)
        start = time.process_time()
        model.fit(train, split.y)
        seconds = time.process_time() - start
        return seconds, float(np.mean(model.predict(test) != split.y_test))


@dataclass(frozen=True)
class Split:
    """Training and test rows of a fold, standardised by the first, and what becomes of them."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    n_hidden: int
    seed: int

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """The rows themselves."""
        scaler = StandardScaler().fit(self.X)
        return scaler.transform(self.X), scaler.transform(self.X_test)

    @cached_property
    def features(self) -> tuple[np.ndarray, np.ndarray]:
        """Hidden activations H of erf units with standard normal weights."""
        train, test = self.rows
        layer = ELMFeatures(n_hidden=self.n_hidden, random_state=self.seed).fit(train)
        root = np.sqrt(self.n_hidden)  # which ELMFeatures divides by, and the thesis does not
        return root * layer.transform(train), root * layer.transform(test)

    @cached_property
    def gram(self) -> tuple[np.ndarray, np.ndarray]:
        """HH', and the same between test and training rows."""
        train, test = self.features
        return train @ train.T, test @ train.T


class Outcome(NamedTuple):
    """What the search of one solver took, and how often its choice is wrong on the outer fold."""

    seconds: float
    error: float


@dataclass(frozen=True, eq=False)  # a race is equal to itself alone, which makes it a quick key
class Race:
    """Measure one outer fold: every solver of a group tunes ``C`` by inner folds.

    The repetitions of a cell are the outer folds. A cell runs all solvers of its group, as their
    ratios mean something only if they were timed in one go; the next cells of the same process
    take their numbers from there. Times differ from run to run.

    Parameters
    ----------
    groups : tuple of mappings of str to Contestant
        Solvers that are compared with each other.
    C : tuple of float
        The grid, in ascending order; of equally good values the smallest is taken.
    n_hidden : int, default=300
        Number of hidden units.
    cv, n_splits : int, default=5 and 10
        Number of inner and of outer folds.
    """

    groups: tuple[Mapping[str, Contestant], ...]
    C: tuple[float, ...]
    n_hidden: int = 300
    cv: int = 5
    n_splits: int = 10

    def __call__(
        self, cell: Cell, estimator: BaseEstimator, dataset: str, bench: Bench
    ) -> dict[str, float]:
        """Accuracy on the outer fold, and the time of the search over that of the fastest."""
        group = next(i for i, group in enumerate(self.groups) if cell.method in group)
        # Not the method's own seed: a race is over one set of folds and hidden units. 31 bits fit a
        # signed integer, whatever solver reads it.
        seed = bench.seed_of(cell.dataset) % 2**31
        outcomes = _outcomes(self, group, dataset, bench.folder, cell.repetition, seed)
        fastest = min(outcome.seconds for outcome in outcomes.values())
        own = outcomes[cell.method]
        return {
            "test_accuracy_percent": 100 * (1 - own.error),
            "time_over_fastest": own.seconds / fastest,
        }

    def run(
        self, group: int, X: np.ndarray, y: np.ndarray, fold: int, seed: int
    ) -> dict[str, Outcome]:
        """The outcomes of all solvers of a group on one outer fold."""
        outer = list(self._splits(self.n_splits, X, y, seed))[fold]
        solvers = self.groups[group]
        # process_time adds up all threads: with several, BLAS would look slower than it is.
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            # Solvers take turns, so that whatever else the machine does slows all of them down.
            found = np.array(
                [
                    [[solver.run(inner, C) for solver in solvers.values()] for C in self.C]
                    for inner in self._splits(self.cv, outer.X, outer.y, seed)
                ]
            )
            seconds, errors = found[..., 0].sum(axis=(0, 1)), found[..., 1].mean(axis=0)
            outcomes = {}
            for i, (name, solver) in enumerate(solvers.items()):
                last, error = solver.run(outer, self.C[errors[:, i].argmin()])
                outcomes[name] = Outcome(float(seconds[i]) + last, error)
        return outcomes

    def _splits(self, n: int, X: np.ndarray, y: np.ndarray, seed: int) -> Iterator[Split]:
        """One after the other, so that one Gram matrix is held at a time."""
        folds = StratifiedKFold(n, shuffle=True, random_state=seed).split(X, y)
        return (Split(X[a], y[a], X[b], y[b], self.n_hidden, seed) for a, b in folds)


@lru_cache(maxsize=64)
def _outcomes(
    race: Race, group: int, dataset: str, folder: Path | None, fold: int, seed: int
) -> dict[str, Outcome]:
    return race.run(group, *load_two_largest(dataset, folder), fold, seed)


def load_two_largest(dataset: str, folder: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """The complete rows of the two largest classes of a data set; of equals, the first by name."""
    X, y = load_complete(dataset, folder)
    classes, sizes = np.unique(y, return_counts=True)
    largest = classes[np.argsort(-sizes, kind="stable")[:2]]
    chosen = np.isin(y, largest)
    return X[chosen], y[chosen]
