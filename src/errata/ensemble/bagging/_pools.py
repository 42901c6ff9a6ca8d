"""Pools of classifiers, each fitted on its own bag of rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Perceptron

from ..._blocks import blocks, map_blocks
from ..._kernels import kernels
from ..._random import clone_with_seed
from ..._routing import take_params_of_rows
from ..._validation import fit_to_codes
from .._bags import vote_fractions

_ORDERS = 32  # orders in which a bag is visited, over and over if there are more epochs
_REDRAWS = 100  # attempts to draw such orders
_BLOCK = 4096  # rows that all base estimators predict at a time


class EstimatorPool:
    """Base estimators of any kind, fitted one by one."""

    def __init__(self, estimators: list[BaseEstimator], n_classes: int) -> None:
        self.estimators = estimators
        self.n_classes = n_classes

    @classmethod
    def fit(
        cls, estimator: BaseEstimator, X: Any, codes: np.ndarray,
        bags: np.ndarray | Sequence[np.ndarray], random: Any, n_jobs: int | None,
        fit_params: dict[str, Any],
    ) -> "EstimatorPool":  # fmt: skip
        """Fit a clone on the rows of each bag; a constant where a bag holds one class only."""
        # Seeds are drawn before anything runs in parallel, so that n_jobs changes nothing.
        clones = [clone_with_seed(estimator, random) for _ in bags]
        estimators = Parallel(n_jobs=n_jobs)(
            delayed(_fit_base)(
                fresh, X[bag], codes[bag], take_params_of_rows(fit_params, len(codes), bag)
            )
            for fresh, bag in zip(clones, bags, strict=True)
        )
        return cls(estimators, int(codes.max()) + 1)

    def votes(self, X: Any) -> np.ndarray:
        """Code of the class that each base estimator predicts: (row, estimator)."""
        return np.column_stack([fitted.predict(X) for fitted in self.estimators])

    def proba(self, X: Any) -> np.ndarray:
        """Mean of the class probabilities; zero for a class that an estimator never saw."""
        total = np.zeros((X.shape[0], self.n_classes))
        for fitted in self.estimators:
            total[:, fitted.classes_] += fitted.predict_proba(X)
        return total / len(self.estimators)


class PerceptronPool:
    """Perceptrons trained together by a compiled loop."""

    def __init__(self, weights: np.ndarray, biases: np.ndarray, seen: np.ndarray) -> None:
        self.weights = weights
        self.biases = biases
        self.seen = seen  # (perceptron, class): whether the class was in its bag

    @staticmethod
    def can_train(estimator: BaseEstimator, X: Any) -> bool:
        """Whether this is a plain perceptron on dense rows; anything more is scikit-learn's."""
        # Not isinstance: a subclass may learn in another way.
        if type(estimator) is not Perceptron or not isinstance(X, np.ndarray):
            return False
        plain = Perceptron().get_params()
        # What the loop knows how to follow, and what makes no difference to what is learnt.
        free = {"max_iter", "tol", "n_iter_no_change", "random_state", "n_jobs", "verbose"}
        given = estimator.get_params()
        return all(given[name] == plain[name] for name in plain if name not in free)

    @classmethod
    def fit(
        cls, estimator: Perceptron, X: np.ndarray, codes: np.ndarray, bags: np.ndarray, random: Any,
        n_jobs: int | None,
    ) -> "PerceptronPool":  # fmt: skip
        """Train one perceptron per bag and class."""
        m, n = bags.shape
        n_classes = int(codes.max()) + 1
        positives = np.array([1]) if n_classes == 2 else np.arange(n_classes)
        multipliers, offsets = _draw_orders(m, min(estimator.max_iter, _ORDERS), n, random)
        # The kernel stops where the loss has not fallen by tol; by minus infinity it always has.
        tol = -np.inf if estimator.tol is None else float(estimator.tol)
        X = np.ascontiguousarray(X, dtype=float)
        # The loop lets go of the interpreter, so threads share the rows and nothing is copied.
        train = kernels("perceptrons").train_pool
        trained = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(train)(
                X, codes, bags[part], positives, multipliers[part], offsets[part],
                estimator.max_iter, tol,
                estimator.n_iter_no_change,
            )
            for part in np.array_split(np.arange(m), min(m, effective_n_jobs(n_jobs)))
        )  # fmt: skip
        weights, biases = map(np.concatenate, zip(*trained, strict=True))
        if n_classes == 2:  # one hyperplane for both
            weights = np.hstack([-weights, weights])
            biases = np.hstack([-biases, biases])
        seen = np.array([np.bincount(codes[bag], minlength=n_classes) > 0 for bag in bags])
        return cls(weights, biases, seen)

    def votes(self, X: np.ndarray) -> np.ndarray:
        """Code of the class that each perceptron predicts: (row, perceptron)."""
        m, k, d = self.weights.shape
        weights = self.weights.reshape(m * k, d).T

        def votes_of(rows: slice) -> np.ndarray:
            scores = (X[rows] @ weights).reshape(-1, m, k) + self.biases
            scores[:, ~self.seen] = -np.inf  # nobody votes for a class that was not in the bag
            return scores.argmax(axis=2)

        return map_blocks(votes_of, blocks(len(X), _BLOCK))

    def proba(self, X: np.ndarray) -> np.ndarray:
        """Perceptrons have no probabilities: the fractions of their votes."""
        return vote_fractions(self.votes(X), self.seen.shape[1])

    @property
    def estimators(self) -> list[BaseEstimator]:
        """The same as scikit-learn's perceptrons (constants where a bag held one class)."""
        triples = zip(self.weights, self.biases, self.seen, strict=True)
        return [_make_perceptron(*triple) for triple in triples]


def make_pool(
    estimator: BaseEstimator, X: Any, codes: np.ndarray, bags: np.ndarray, random: Any,
    n_jobs: int | None, fit_params: dict[str, Any],
) -> EstimatorPool | PerceptronPool:  # fmt: skip
    """Fit a clone on each bag, in the fastest way there is for its kind."""
    if PerceptronPool.can_train(estimator, X) and not fit_params:
        return PerceptronPool.fit(estimator, X, codes, bags, random, n_jobs)
    return EstimatorPool.fit(estimator, X, codes, bags, random, n_jobs, fit_params)


def _fit_base(
    fresh: BaseEstimator, X: Any, codes: np.ndarray, fit_params: dict[str, Any]
) -> BaseEstimator:
    if codes.min() == codes.max():
        return DummyClassifier(strategy="most_frequent").fit(X, codes)
    return fit_to_codes(fresh, X, codes, **fit_params)


def _draw_orders(m: int, count: int, n: int, random: Any) -> tuple[np.ndarray, np.ndarray]:
    """For each perceptron some orders in which to visit a bag of n rows, two numbers each.

    A multiplier that shares a factor with n would visit some rows twice and others never. At least
    one in seven shares none, so drawing again soon gives one; and 1 will always do.
    """
    multipliers = random.randint(1, max(n, 2), size=(m, count))
    for _ in range(_REDRAWS):
        shared = np.gcd(multipliers, n) > 1
        if not shared.any():
            break
        multipliers[shared] = random.randint(1, n, size=shared.sum())
    multipliers[np.gcd(multipliers, n) > 1] = 1
    return multipliers, random.randint(n, size=(m, count))


def _make_perceptron(weights: np.ndarray, biases: np.ndarray, seen: np.ndarray) -> BaseEstimator:
    classes = np.flatnonzero(seen)
    if len(classes) == 1:
        return DummyClassifier(strategy="constant", constant=classes[0]).fit([[0]], classes)
    rows = classes[1:] if len(classes) == 2 else classes  # two classes share one hyperplane
    # All that ``predict`` looks at; a fit would train it a second time.
    perceptron = Perceptron()
    perceptron.classes_ = classes
    perceptron.coef_ = weights[rows]
    perceptron.intercept_ = biases[rows]
    perceptron.n_features_in_ = weights.shape[1]
    return perceptron
