"""Frénay, Doquire and Verleysen (2013): mutual information against errors of a regression.

The paper has figures and no table: curves of mean squared and absolute error against entropy, for
five families of errors. Here they are drawn again, the closed forms are held against samples of
y = sin(x) + error, and pairs of feature subsets are compared: each subset has an entropy between
-1 and 1 nat and an error distribution of its own, and a pair fails when the subset with more
information has the larger error. The distributions of these pairs are ours: the paper gives none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import differential_entropy
from sklearn.base import BaseEstimator

from ...feature_selection.information import (
    failure_statistics,
    make_noisy_sine,
    regression_error,
)
from .._experiment import Bench, Cell, Experiment
from ._mi_regression_report import illustrate_regression

ENTROPY = 0.1  # of the samples, as in figures 1 and 4
_ENTROPIES = (-1.0, 1.0)
_DEGREES = (2.3, 30.0)  # of Student's distributions in the figures
_RATIOS = (1.0, 10.0)


class ErrorCriterion(BaseEstimator):
    """What a regression is judged by: a method of this experiment."""

    def __init__(self, criterion: str = "mse") -> None:
        self.criterion = criterion


class OneCurve(NamedTuple):
    """Subsets whose errors have one distribution but for their scale."""

    family: str
    shape: dict[str, float]

    def constants(self, criterion: str, size: tuple[int, int], _: np.random.Generator) -> Any:
        """Error of each subset at entropy zero."""
        return np.full(size, regression_error(0, self.family, criterion, **self.shape))


class ManyCurves(NamedTuple):
    """Subsets that draw their distribution: ``draw(criterion, size, random)`` at entropy zero."""

    constants: Callable[[str, tuple[int, int], np.random.Generator], np.ndarray]


def _log_uniform(random: np.random.Generator, ends: tuple[float, float], size: Any) -> np.ndarray:
    low, high = np.log(ends)
    return np.exp(random.uniform(low, high, size))


def _any_tails(criterion: str, size: tuple[int, int], random: np.random.Generator) -> np.ndarray:
    return regression_error(0, "student", criterion, df=_log_uniform(random, _DEGREES, size))


def _light_tails(criterion: str, size: tuple[int, int], random: np.random.Generator) -> np.ndarray:
    return regression_error(0, "student", criterion, df=_log_uniform(random, (5.0, 30.0), size))


def _any_ratio(criterion: str, size: tuple[int, int], random: np.random.Generator) -> np.ndarray:
    ratio = _log_uniform(random, _RATIOS, size)
    return regression_error(0, "two_gaussians", criterion, ratio=ratio)


def _any_of_three(criterion: str, size: tuple[int, int], random: np.random.Generator) -> np.ndarray:
    three = [regression_error(0, f, criterion) for f in ("uniform", "laplace", "gaussian")]
    return random.choice(three, size)


KINDS: dict[str, OneCurve | ManyCurves] = {
    "uniform": OneCurve("uniform", {}),
    "Laplace": OneCurve("laplace", {}),
    "Gauss": OneCurve("gaussian", {}),
    "Student, 2.3 degrees": OneCurve("student", {"df": 2.3}),
    "Student, 5 degrees": OneCurve("student", {"df": 5.0}),
    "Student, 30 degrees": OneCurve("student", {"df": 30.0}),
    "two Gaussians, ratio 3": OneCurve("two_gaussians", {"ratio": 3.0}),
    "uniform, Laplace or Gauss": ManyCurves(_any_of_three),
    "Student, 5 to 30 degrees": ManyCurves(_light_tails),
    "Student, 2.3 to 30 degrees": ManyCurves(_any_tails),
    "two Gaussians, ratio 1 to 10": ManyCurves(_any_ratio),
}


@dataclass(frozen=True)
class PairsOfSubsets:
    """Draw a sample and pairs of feature subsets, and count the failures."""

    n_pairs: int = 100_000

    def __call__(self, cell: Cell, method: Any, _: None, bench: Bench) -> dict[str, float]:
        """Closed form and sample of a kind with one curve, and failures of any kind."""
        kind, seed = KINDS[cell.dataset], bench.seed_of(cell.dataset, cell.repetition)
        return self._sample(kind, method.criterion, seed) | self._pairs(
            kind, method.criterion, np.random.default_rng(seed)
        )

    def _sample(self, kind: OneCurve | ManyCurves, criterion: str, seed: int) -> dict[str, float]:
        if isinstance(kind, ManyCurves):
            return dict.fromkeys(("error", "sampled_error", "sampled_entropy"), np.nan)
        X, y = make_noisy_sine(
            self.n_pairs, family=kind.family, entropy=ENTROPY, **kind.shape, random_state=seed
        )
        errors = y - np.sin(X[:, 0])
        # Given x, errors have one distribution on each side of 0.
        halves = (errors[X[:, 0] < 0], errors[X[:, 0] >= 0])
        return {
            "error": float(regression_error(ENTROPY, kind.family, criterion, **kind.shape)),
            "sampled_error": float(np.mean(np.abs(errors) ** (2 if criterion == "mse" else 1))),
            "sampled_entropy": float(np.mean([differential_entropy(half) for half in halves])),
        }

    def _pairs(
        self, kind: OneCurve | ManyCurves, criterion: str, random: np.random.Generator
    ) -> dict[str, float]:
        size = (self.n_pairs, 2)
        entropies = random.uniform(*_ENTROPIES, size)
        power = 2 if criterion == "mse" else 1
        # Logarithms fail where errors fail, and their differences are those in percent.
        logs = np.log(kind.constants(criterion, size, random)) + power * entropies
        found = failure_statistics(-entropies, logs)
        some = found.failing.any()
        return {
            "failures_percent": 100 * found.failure_rate,
            "loss_95_percent": 100 * float(np.expm1(found.loss_95)),
            "largest_gap": float(found.gaps.max()) if some else np.nan,
        }


mi_regression = Experiment(
    name="mi-regression",
    title="Frénay and others 2013: mutual information and errors of a regression",
    datasets=dict.fromkeys(KINDS),
    methods={"MSE": ErrorCriterion("mse"), "MAE": ErrorCriterion("mae")},
    metrics=(
        *("error", "sampled_error", "sampled_entropy"),
        *("failures_percent", "loss_95_percent", "largest_gap"),
    ),
    measure=PairsOfSubsets(),
    repetitions=10,
    illustrate=illustrate_regression,
    quick={"repetitions": 2, "measure": PairsOfSubsets(20_000)},
)
