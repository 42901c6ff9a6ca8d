"""Pooling: the out-of-fold probabilities of all models become one, their weighted geometric mean.

The weights are fitted to the labels. Every probability is out of fold, so with a handful of weights
on many rows the loss is, too.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import minimize

from .._kernels import kernels
from .._kernels._pooled_logs import largest as largest
from .._kernels._pooled_logs import logs_above
from .._kernels._pooled_logs import normalised as normalised
from .._progress import Progress
from ._fitted_ridge import FittedRidge, predict_together
from ._models import NewRows, OutOfFoldModel, Predictor, TrainingData
from ._settings import (
    FITTED_NUMBERS,
    POOL_RIDGE,
    SMALLEST_PROBABILITY,
    WORTH_COMPILING,
    WORTH_COMPILING_OF_MANY,
)


class PooledModel(NamedTuple):
    """What is kept of one model."""

    name: str
    weight: float  # in the pool
    agreement: float  # fraction of rows whose label it finds most probable
    predicted: np.ndarray  # (n,), the code it finds most probable


class Pool(NamedTuple):
    """Pooled log-probabilities of the labels, shape (K, n), and what is kept of each model."""

    logs: np.ndarray
    models: list[PooledModel]
    weights: np.ndarray
    fitted: list[Predictor]  # of rows that are still to come; empty where none are


def pool_models(
    data: TrainingData, models: Sequence[OutOfFoldModel], *, progress: Progress | None = None
) -> Pool:
    """Fit every model out of fold, and pool the probabilities."""
    if data.more_rows:
        _check_can_predict(models, len(data.codes))
    probas, fitted = [], []
    for model in models:
        if progress is not None:
            progress(f"fitting {model.name}")
        if data.more_rows:
            told, predictor = model.cross_fit(data)  # type: ignore[attr-defined]
            fitted.append(predictor)
        else:
            told = model.out_of_fold_proba(data)
        wanted = len(data.codes), data.n_classes
        probas.append(_checked(np.asarray(told, dtype=np.float32), wanted, model.name))
    weights = pool_weights(probas, data.codes, np.random.default_rng(data.random_state))
    logs, predictions = pooled_logs(probas, weights)
    kept = [
        PooledModel(model.name, float(weight), float(np.mean(predicted == data.codes)), predicted)
        for model, weight, predicted in zip(models, weights, predictions, strict=True)
    ]
    return Pool(logs, kept, weights, fitted)


def _check_can_predict(models: Sequence[OutOfFoldModel], n: int) -> None:
    for model in models:
        if not hasattr(model, "cross_fit"):
            raise ValueError(
                f"the model {model.name!r} has no method cross_fit, which predicts the rows of a "
                f"large table beyond the {n:,} that models learn from; add one that returns an "
                "errata.auditing.CrossFit."
            )


def pooled_new_rows(
    fitted: Sequence[Predictor], weights: np.ndarray, rows: NewRows, dtype: Any = np.float64
) -> tuple[np.ndarray, np.ndarray]:
    """As :func:`pooled_logs`, of rows that were not learnt from.

    In double precision, so that what models tell of a row does not depend on the rows beside it.
    """
    probas: list[np.ndarray] = []
    for predictor, told in zip(fitted, _predicted(fitted, rows), strict=True):
        proba = np.asarray(told, dtype=dtype)
        n_classes = probas[0].shape[1] if probas else proba.shape[-1]
        probas.append(_checked(proba, (len(rows), n_classes), type(predictor).__name__))
    return pooled_logs(probas, weights, of_many=True)


def _predicted(fitted: Sequence[Predictor], rows: NewRows) -> list[np.ndarray]:
    """What each predictor says; ridges say it together, as most of their work is the same."""
    ridges = [predictor for predictor in fitted if isinstance(predictor, FittedRidge)]
    together = iter(predict_together(ridges, rows) if ridges else [])
    return [
        next(together) if isinstance(predictor, FittedRidge) else predictor.predict_proba(rows)
        for predictor in fitted
    ]


def _checked(proba: np.ndarray, wanted: tuple[int, int], name: str) -> np.ndarray:
    if proba.shape != wanted or not (proba.min() >= 0 and proba.max() < np.inf):
        raise ValueError(
            f"the model {name!r} must give probabilities in the shape {wanted}, but gave "
            f"{'other numbers' if proba.shape == wanted else f'the shape {proba.shape}'}."
        )
    return proba


def pool_weights(
    probas: Sequence[np.ndarray], codes: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Weights ``a >= 0`` of the models with the smallest log loss of the labels."""
    rows = some_rows(len(codes), probas[0].shape[1], random)
    logs = np.stack([floored_logs(proba[rows].T) for proba in probas])
    own = logs[:, codes[rows], np.arange(len(rows))].mean(axis=1, dtype=float)

    def loss(a: np.ndarray) -> tuple[float, np.ndarray]:
        scores = np.tensordot(a.astype(logs.dtype), logs, axes=1)
        top = scores.max(axis=0)
        pooled = np.exp(scores - top)
        total = pooled.sum(axis=0)
        pooled /= total
        expected = logs.reshape(len(a), -1) @ pooled.ravel() / len(rows)
        value = np.mean(np.log(total) + top, dtype=float) - a @ own + POOL_RIDGE * a @ a
        return value, expected - own + 2 * POOL_RIDGE * a

    start = np.full(len(probas), 1 / len(probas))
    return minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(start)).x


def pooled_logs(
    probas: Sequence[np.ndarray], weights: np.ndarray, *, of_many: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of the pooled probabilities, and the class that each model predicts.

    Their shapes are (K, n), as sums over classes are faster so, and (models, n). The precision is
    that of the probabilities. Other blocks of rows follow where these are some ``of_many``.
    """
    worth = probas[0].size >= (WORTH_COMPILING_OF_MANY if of_many else WORTH_COMPILING)
    twin = kernels("pooled_logs", compiled=worth)
    return twin.pool_logs(probas, weights, SMALLEST_PROBABILITY)


def floored_logs(proba: np.ndarray) -> np.ndarray:
    """Logarithms of probabilities, none of them smaller than ``SMALLEST_PROBABILITY``."""
    return logs_above(proba, SMALLEST_PROBABILITY)


def some_rows(
    n: int, n_classes: int, random: np.random.Generator, *, at_most: int = 10_000
) -> np.ndarray:
    """All rows, or as many drawn ones as what is fitted needs."""
    wanted = int(np.clip(FITTED_NUMBERS / n_classes, 2_000, at_most))
    return np.arange(n) if n <= wanted else np.sort(random.choice(n, wanted, replace=False))
