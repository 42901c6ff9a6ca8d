"""Support vector machines on Gram matrices, tuned by inner folds: what the ELM papers measure."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, ParameterGrid, StratifiedKFold

from ..._random import clone_with_seed
from ...elm import ELMFeatures, asymptotic_elm_kernel, elm_kernel
from .._experiment import Bench, Cell
from ._datasets import load_complete

# Iterations after which LIBSVM itself gives up; scikit-learn's default, -1, never does.
LIBSVM_LIMIT = 10_000_000


# The three kernels are called alike, kernel(X, Z, seed), though only drawn units use the seed.


@dataclass(frozen=True)
class Gaussian:
    """exp(-gamma |x - z|²)."""

    gamma: float

    def __call__(self, X: np.ndarray, Z: np.ndarray, seed: int) -> np.ndarray:
        """Kernel between the rows of X and Z."""
        return rbf_kernel(X, Z, gamma=self.gamma)


@dataclass(frozen=True)
class DrawnUnits:
    """The ELM kernel as in the 2010 paper: logistic units, weights and biases from U(-3, 3)."""

    n_hidden: int

    def __call__(self, X: np.ndarray, Z: np.ndarray, seed: int) -> np.ndarray:
        """Kernel between the rows of X and Z; the seed draws the units."""
        features = ELMFeatures(
            n_hidden=self.n_hidden,
            activation="logistic",
            weight_distribution="uniform",
            random_state=seed,
        )
        return elm_kernel(X, Z, features=features.fit(Z))


@dataclass(frozen=True)
class InfiniteUnits:
    """The normalised asymptotic ELM kernel of the 2011 paper."""

    weight_scale: float

    def __call__(self, X: np.ndarray, Z: np.ndarray, seed: int) -> np.ndarray:
        """Kernel between the rows of X and Z."""
        return asymptotic_elm_kernel(X, Z, weight_scale=self.weight_scale)


class GramSearch(BaseEstimator):
    """A support vector machine whose kernel and parameters ten inner folds choose.

    Inputs, and the target of a regression, are scaled by the rows of each training part. Its Gram
    matrix is computed once for all parameters of the estimator. Of equally good settings the first
    is taken.

    Parameters
    ----------
    estimator : SVC or SVR
        With ``kernel="precomputed"``.
    kernels : sequence of callables
        ``kernel(X, Z, seed)`` gives a Gram matrix.
    grid : mapping of str to sequence
        Parameters of the estimator.
    scaler : transformer
        Scales the inputs.
    cv : int, default=10
        Number of inner folds.
    search_rows : int, optional
        Search on that many rows, drawn at random, where there are more; the settings chosen are
        fitted to all rows all the same.
    random_state : int or None
        Draws folds and hidden units.
    """

    def __init__(
        self,
        estimator: Any,
        kernels: Sequence[Callable],
        grid: Mapping[str, Sequence],
        *,
        scaler: Any,
        cv: int = 10,
        search_rows: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.kernels = kernels
        self.grid = grid
        self.scaler = scaler
        self.cv = cv
        self.search_rows = search_rows
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> "GramSearch":
        """Choose kernel and parameters, then fit to all rows."""
        folds = _make_folds(self.estimator, self.cv, self.random_state)
        some = np.random.RandomState(self.random_state).permutation(len(y))[: self.search_rows]
        # Where all rows are searched they stay in their order, as do the folds made of them.
        Xs, ys = (X, y) if len(some) == len(y) else (X[some], y[some])
        errors = [self._errors(Xs, ys, *fold) for fold in folds.split(Xs, ys)]
        best = np.mean(errors, axis=0).argmin()
        settings = [(k, p) for k in self.kernels for p in ParameterGrid(self.grid)]
        self.kernel_, self.parameters_ = settings[best]
        self._trained = _TrainingPart(self, X, y, self.kernel_)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Predict with the settings chosen."""
        return self._trained.predict(self._trained.gram(X), self.parameters_)

    def _errors(
        self, X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray
    ) -> list[float]:
        """Error of every kernel with every setting of the estimator on one inner fold."""
        errors = []
        for kernel in self.kernels:
            part = _TrainingPart(self, X[train], y[train], kernel)
            K = part.gram(X[test])
            for parameters in ParameterGrid(self.grid):
                predicted = part.predict(K, parameters)
                wrong = predicted != y[test] if part.labels else (predicted - y[test]) ** 2
                errors.append(float(np.mean(wrong)))
        return errors


class _TrainingPart:
    """Scaled rows and their Gram matrix, ready for any setting of the estimator."""

    def __init__(self, search: GramSearch, X: np.ndarray, y: np.ndarray, kernel: Callable) -> None:
        self.estimator = search.estimator
        self.kernel = kernel
        self.seed = search.random_state
        self.labels = is_classifier(search.estimator)
        self.scaler = clone(search.scaler).fit(X)
        self.X = self.scaler.transform(X)
        self.K = kernel(self.X, self.X, self.seed)
        # Epsilon is in the unit of the target: once that is standardised, one grid suits all sets.
        self.mean, self.scale = (0.0, 1.0) if self.labels else (float(y.mean()), float(y.std()))
        self.target = y if self.labels else (y - self.mean) / self.scale

    def gram(self, X: np.ndarray) -> np.ndarray:
        """Kernel between new rows and the training rows."""
        return self.kernel(self.scaler.transform(X), self.X, self.seed)

    def predict(self, K: np.ndarray, parameters: Mapping[str, Any]) -> np.ndarray:
        """Fit the estimator with these parameters and predict rows by their Gram matrix."""
        model = clone(self.estimator).set_params(max_iter=LIBSVM_LIMIT, **parameters)
        with warnings.catch_warnings():
            # A setting that does not converge loses by its error on the inner folds.
            warnings.simplefilter("ignore", ConvergenceWarning)
            predicted = model.fit(self.K, self.target).predict(K)
        return predicted if self.labels else self.scale * predicted + self.mean


def _make_folds(estimator: Any, n: int, seed: int | None) -> KFold | StratifiedKFold:
    splitter = StratifiedKFold if is_classifier(estimator) else KFold
    return splitter(n, shuffle=True, random_state=seed)


@dataclass(frozen=True)
class OuterFold:
    """Measure one outer fold: the repetitions of a cell are the folds of one cross-validation.

    All methods see the same folds. ``score(y_test, predicted, y)`` gives the value of every metric,
    ``y`` being the target of all rows.
    """

    score: Callable[[np.ndarray, np.ndarray, np.ndarray], Mapping[str, float]]
    n_splits: int = 10

    def __call__(
        self, cell: Cell, estimator: GramSearch, dataset: str, bench: Bench
    ) -> Mapping[str, float]:
        """Score on the fold that the repetition names."""
        X, y = load_complete(dataset, bench.folder)
        # Seeded by the data set alone: the repetitions are the parts of one division.
        folds = _make_folds(estimator.estimator, self.n_splits, bench.seed_of(cell.dataset))
        train, test = list(folds.split(X, y))[cell.repetition]
        model = clone_with_seed(estimator, bench.seed_of(*cell)).fit(X[train], y[train])
        return self.score(y[test], model.predict(X[test]), y)


def make_powers_of_ten(low: float, high: float, step: float) -> tuple[float, ...]:
    """10**low, ..., 10**high, to six digits."""
    # Half a step beyond the end, which arange would include or not by rounding.
    exponents = np.arange(low, high + step / 2, step)
    return tuple(float(f"{10**e:.6g}") for e in exponents)
