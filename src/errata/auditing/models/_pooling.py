"""Pooling: the out-of-fold probabilities of all models become one, calibrated, with their skill.

The weights are fitted to the labels. Every probability is out of fold, so with a handful of weights
on many rows the loss is, too.

Where two classes overlap, the pool may be too sure or too unsure of just these two. A noise model
takes that for errors which go from one to the other. So the logarithms of the probabilities go
through a matrix first, fitted to make the labels likely and held close to the identity. Some of the
labels are taken to be drawn uniformly at random: what wrong labels have to tell must not be
explained away.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from ..._blocks import blocks
from ..._kernels._probabilities import (
    compute_logs_above,
    normalise,
    places_of_labels,
    pool_logs,
)
from ..._progress import Progress, count_models
from .._settings import CACHED, SMALLEST_PROBABILITY
from ._base import NewRows, OutOfFoldModel, Predictor, TrainingData
from ._fitted import FittedRidge, predict_together

# Sizes: how much is learnt from at most. `python benchmarks/speed.py tables given`,
# `python benchmarks/speed.py stored million trees`
FITTED_NUMBERS = 2e6  # probabilities that weights are fitted to at most

# Pooling and calibration. `python benchmarks/detection.py detect --rows 500 --seeds 1 --alone`
POOL_RIDGE = 1e-3
POOL_STEPS = 50  # of the fit of the weights at most
POOL_TOL = 1e-10  # slope that is none
STARTED_BY = 1_000  # rows, where they are twice as many
CALIBRATION_PRECISION = 20.0  # of the prior around the identity
CALIBRATION_CURVATURE = 0.02  # of a row's loss, about; decides how many steps are taken alone
UNIFORM_LABELS = 0.05  # fraction of labels taken to be drawn uniformly at random
CALIBRATED_CLASSES = 12  # with more, the matrix has too many numbers and memorises the labels

# Whether the columns tell anything. `python benchmarks/honesty.py claims null`
LEAST_SKILL_OF_A_POOL = 3.0  # standard errors; weights that were fitted to the labels add to chance


class Pool(NamedTuple):
    """Pooled log-probabilities of the labels, and what is kept of each of the models."""

    logs: np.ndarray  # (K, n)
    names: list[str]
    weights: np.ndarray  # (models,)
    agreement: np.ndarray  # (models,), fraction of rows whose label it finds most probable
    predicted: np.ndarray  # (models, n), the code it finds most probable
    fitted: list[Predictor]  # of rows that are still to come; empty where none are

    @property
    def certain(self) -> float:
        """Log-odds of a row that every model takes for certain."""
        return float(-np.log(SMALLEST_PROBABILITY) * self.weights.sum())

    def describe(self) -> list[dict[str, Any]]:
        """Models as a user reads of them, with weights as fractions of their sum."""
        weights = self.weights.tolist()
        total = sum(weights) or 1.0
        return [
            {"name": name, "weight": round(weight / total, 4), "agreement": round(agreement, 4)}
            for name, weight, agreement in zip(
                self.names, weights, self.agreement.tolist(), strict=True
            )
        ]


def pool_models(
    data: TrainingData,
    models: Sequence[OutOfFoldModel],
    *,
    equal: np.ndarray | None = None,
    progress: Progress | None = None,
) -> Pool:
    """Fit every model out of fold, and pool the probabilities.

    ``equal`` is the number of each row's group of equal rows. Those of one label get the mean of
    what a model says of them: which of them was in which fold says nothing.
    """
    if data.more_rows:
        _check_can_predict(models, len(data.codes))
    probas = []
    fitted = []
    for model in count_models(models, progress):
        if data.more_rows:
            proba, predictor = model.cross_fit(data)
            fitted.append(predictor)
        else:
            proba = model.out_of_fold_proba(data)
        wanted = len(data.codes), data.n_classes
        proba = _check_proba(np.asarray(proba, dtype=np.float32), wanted, model.name)
        probas.append(proba if equal is None else _mean_of_equals(proba, equal, data.codes))
    weights = pool_weights(probas, data.codes, np.random.default_rng(data.random_state))
    logs, predicted = pool_probabilities(probas, weights)
    agreement = np.array([np.mean(codes == data.codes) for codes in predicted])
    return Pool(logs, [model.name for model in models], weights, agreement, predicted, fitted)


def _mean_of_equals(proba: np.ndarray, equal: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Probabilities that are the same for equal rows with the same label."""
    _, group, size = np.unique(
        equal * proba.shape[1] + codes, return_inverse=True, return_counts=True
    )
    if len(size) == len(group):
        return proba
    sums = [np.bincount(group, weights=of_class) for of_class in proba.T]
    return (np.array(sums) / size).T[group].astype(proba.dtype)


def _check_can_predict(models: Sequence[OutOfFoldModel], n: int) -> None:
    for model in models:
        if not hasattr(model, "cross_fit"):
            raise ValueError(
                f"the model {model.name!r} has no method cross_fit, which predicts the rows of a "
                f"large table beyond the {n:,} that models learn from; add one that returns an "
                "errata.auditing.CrossFit."
            )


def pool_new_rows(
    fitted: Sequence[Predictor], weights: np.ndarray, rows: NewRows, dtype: Any = np.float64
) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`pool_probabilities`, of rows that were not learnt from.

    In double precision, so that what models tell of a row does not depend on the rows beside it.
    """
    probas: list[np.ndarray] = []
    for predictor, told in zip(fitted, _predict_all(fitted, rows), strict=True):
        proba = np.asarray(told, dtype=dtype)
        n_classes = probas[0].shape[1] if probas else proba.shape[-1]
        probas.append(_check_proba(proba, (len(rows), n_classes), type(predictor).__name__))
    return pool_probabilities(probas, weights)


def _predict_all(fitted: Sequence[Predictor], rows: NewRows) -> list[np.ndarray]:
    """Probabilities by each predictor; ridges predict together, as they share most work."""
    ridges = [predictor for predictor in fitted if isinstance(predictor, FittedRidge)]
    together = iter(predict_together(ridges, rows) if ridges else [])
    return [
        next(together) if isinstance(predictor, FittedRidge) else predictor.predict_proba(rows)
        for predictor in fitted
    ]


def _check_proba(proba: np.ndarray, wanted: tuple[int, int], name: str) -> np.ndarray:
    if proba.shape != wanted or not (proba.min() >= 0 and proba.max() < np.inf):
        raise ValueError(
            f"the model {name!r} must give probabilities in the shape {wanted}, but gave "
            f"{'other numbers' if proba.shape == wanted else f'the shape {proba.shape}'}."
        )
    return proba


def pool_weights(
    probas: Sequence[np.ndarray], codes: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Weights ``a >= 0`` of the models with the smallest log loss of the labels.

    By Newton's method on the weights that are not held at zero, down to rounding: where it stops
    must not depend on the processor. Where rows are many, it starts from what some of them say.
    """
    rows = some_rows(len(codes), probas[0].shape[1], random)
    logs = np.stack([compute_logs(proba[rows].T) for proba in probas]).astype(float)
    weights = np.full(len(probas), 1 / len(probas))
    if len(rows) >= 2 * STARTED_BY:
        some = slice(None, None, len(rows) // STARTED_BY)
        weights = _fit_weights(np.ascontiguousarray(logs[..., some]), codes[rows[some]], weights)
    return _fit_weights(logs, codes[rows], weights)


def _fit_weights(logs: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    n = len(codes)
    own = logs[:, codes, np.arange(n)].mean(axis=1)

    def log_loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        pooled = np.tensordot(weights, logs, axes=1)
        top = pooled.max(axis=0)
        pooled -= top
        np.exp(pooled, out=pooled)
        total = pooled.sum(axis=0)
        pooled /= total
        value = np.mean(np.log(total) + top) - weights @ own + POOL_RIDGE * weights @ weights
        return float(value), pooled

    value, pooled = log_loss(weights)
    for _ in range(POOL_STEPS):
        expected = np.einsum("mkn,kn->mn", logs, pooled)
        gradient = expected.mean(axis=1) - own + 2 * POOL_RIDGE * weights
        free = (weights > 0) | (gradient < 0)
        if np.abs(gradient[free]).max(initial=0.0) < POOL_TOL:
            break
        np.sqrt(pooled, out=pooled)
        spread = ((logs if free.all() else logs[free]) * pooled).reshape(free.sum(), -1)
        hessian = (spread @ spread.T - expected[free] @ expected[free].T) / n
        hessian += 2 * POOL_RIDGE * np.eye(free.sum())
        step = np.zeros_like(weights)
        step[free] = np.linalg.solve(hessian, -gradient[free])
        for fraction in 0.5 ** np.arange(30):
            nearer = np.maximum(weights + fraction * step, 0)
            new_value, new_pooled = log_loss(nearer)
            if new_value < value:
                break
        else:
            break  # no step is better by more than rounding
        weights = nearer
        value = new_value
        pooled = new_pooled
    return weights


def pool_probabilities(
    probas: Sequence[np.ndarray], weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of the pooled probabilities, and the class that each model predicts.

    Their shapes are (K, n), as sums over classes are faster so, and (models, n). The precision is
    that of the probabilities.
    """
    return pool_logs(probas, weights, SMALLEST_PROBABILITY)


def compute_logs(proba: np.ndarray) -> np.ndarray:
    """Logarithms of probabilities, none of them smaller than ``SMALLEST_PROBABILITY``."""
    return compute_logs_above(proba, SMALLEST_PROBABILITY)


def some_rows(
    n: int, n_classes: int, random: np.random.Generator, *, at_most: int = 10_000
) -> np.ndarray:
    """All rows, or as many drawn ones as what is fitted needs."""
    wanted = int(np.clip(FITTED_NUMBERS / n_classes, 2_000, at_most))
    return np.arange(n) if n <= wanted else np.sort(random.choice(n, wanted, replace=False))


class Calibration(NamedTuple):
    """A linear map of log-probabilities of shape (K, n), or none."""

    matrix: np.ndarray | None = None
    offsets: np.ndarray | None = None

    @property
    def map(self) -> np.ndarray:
        """Matrix and offsets side by side, shape (K, K + 1); empty for none."""
        if self.matrix is None or self.offsets is None:
            return np.empty((0, 0))
        return np.column_stack([self.matrix, self.offsets])

    def apply(self, logs: np.ndarray) -> np.ndarray:
        """The logarithms of the calibrated probabilities."""
        if self.matrix is None or self.offsets is None:
            return logs
        scores = self.matrix.astype(logs.dtype) @ logs
        scores += self.offsets.astype(logs.dtype)[:, None]
        return normalise(scores)


def calibrate(logs: np.ndarray, codes: np.ndarray) -> Calibration:
    """The map that makes the labels most likely; costs O(n K²) for each of some dozen steps.

    The logarithms of classes go up and down together. The steps are of coordinates in which the
    loss curves about as much one way as another.
    """
    n_classes, n = logs.shape
    if n_classes > CALIBRATED_CLASSES:
        return Calibration()
    identity = np.hstack([np.eye(n_classes), np.zeros((n_classes, 1))])
    inputs = np.vstack([logs, np.ones(n)])
    own = places_of_labels(codes)
    curvature = CALIBRATION_CURVATURE * inputs @ inputs.T
    curvature += CALIBRATION_PRECISION * np.eye(len(inputs))
    scale = np.linalg.inv(np.linalg.cholesky(curvature))

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        away = x.reshape(identity.shape) @ scale
        fitted = (identity + away) @ inputs
        fitted -= fitted.max(axis=0)
        np.exp(fitted, out=fitted)
        total = fitted.sum(axis=0)
        followed = (1 - UNIFORM_LABELS) * fitted.take(own) / total
        label = followed + UNIFORM_LABELS / n_classes
        share = followed / label
        pull = fitted
        pull *= share / total
        pull.put(own, pull.take(own) - share)
        value = CALIBRATION_PRECISION * np.vdot(away, away) / 2 - np.log(label).sum()
        return value, ((pull @ inputs.T + CALIBRATION_PRECISION * away) @ scale.T).ravel()

    options = {"maxiter": 60, "ftol": 1e-6}
    start = np.zeros(identity.size)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    weights = identity + found.x.reshape(identity.shape) @ scale
    return Calibration(weights[:, :-1], weights[:, -1])


class Skill(NamedTuple):
    """How far out-of-fold probabilities tell the labels of rows apart."""

    z: float  # what they tell beyond labels dealt by lot, in standard errors
    largest_frequency: float  # of the most frequent label
    forecast: float = 0.0  # gain over knowing the frequencies, in standard errors

    @property
    def enough(self) -> bool:
        """Whether labels can be checked by these columns: not by far worse forecasts than none."""
        return self.z >= LEAST_SKILL_OF_A_POOL and self.forecast > -LEAST_SKILL_OF_A_POOL


def skill_of(logs: np.ndarray, codes: np.ndarray, units: np.ndarray | None = None) -> Skill:
    """Compare the sum of g = log((q[label] / frequency[label] + 1) / 2) with permuted labels.

    Mean and variance over all permutations are known (Hoeffding, 1951). They hold however well
    probabilities are calibrated and however rare a label is. Half of the frequency is mixed in
    because a few rows that models are too sure of would decide about plain logarithms. ``logs``
    must not be calibrated yet: calibration has seen the labels. Where rows of one of the ``units``
    share their fate, the variance is larger by as much as that of their sums is.
    """
    n_classes, n = logs.shape
    frequencies = np.bincount(codes, minlength=n_classes) / n
    plain = np.empty(n)
    gain = np.empty(n)
    sums = np.zeros(n_classes)
    squares = np.zeros(n_classes)
    for rows in blocks(n, CACHED, width=n_classes):
        told = logs[:, rows].astype(float)
        np.exp(told, out=told)
        told /= np.maximum(frequencies, 1 / n)[:, None]
        told += 1
        told /= 2
        np.log(told, out=told)
        own = places_of_labels(codes[rows])
        plain[rows] = told.take(own)
        told -= frequencies @ told
        gain[rows] = told.take(own)
        sums += told.sum(axis=1)
        squares += np.einsum("cr,cr->c", told, told)
    gain -= sums[codes] / n
    variance = frequencies @ (squares - sums**2 / n)
    if variance <= 1e-12 * n:
        return Skill(0.0, float(frequencies.max()))
    if units is not None:
        together = np.bincount(units, weights=gain - gain.mean())
        variance *= np.vdot(together, together) / max(n * gain.var(), 1e-300)
    forecast = plain.sum() / max(plain.std() * np.sqrt(n), 1e-12)
    z = gain.sum() / np.sqrt(variance)
    return Skill(float(z), float(frequencies.max()), float(forecast))
