"""Rows without a label: the most probable class of each, by a classifier that others taught."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from .._blocks import blocks
from .._compat import take_rows
from .._random import seeded_member
from ._committee import KernelAndTrees
from ._cross_fitting import all_columns, certain_or_uniform, cross_fit_proba
from ._inputs import Inputs, check_pred_proba, scaled
from ._models import TrainingData
from ._pooling import Pool, floored_logs, largest, normalised, some_rows
from ._settings import CACHED, NOISE_ROWS, TREE_ROWS
from .classes import NoisePosterior, Posterior, classes_before_labels, noise_posterior


class Filled(NamedTuple):
    """What rows without a label probably are."""

    rows: np.ndarray
    codes: np.ndarray  # of the most probable class, among those that could be audited
    p: np.ndarray  # its probability


def fill_in(
    inputs: Inputs,
    data: TrainingData,
    pool: Pool,
    posterior: Posterior,
    pred_proba: Any = None,
) -> Filled:
    """Predict the class of every row without a label, P(class | columns) before any label.

    A classifier is fitted to 20,000 labelled rows at most. How far it can be trusted, and how the
    classes differ from labels that are partly wrong, is learnt from what it says of rows that it
    was not fitted to, as for the models of the audit. Without a table the user's probabilities
    stand for the classifier.
    """
    rows = inputs.unlabelled
    if not len(rows):
        return Filled(rows, rows, np.empty(0))
    if inputs.X is None:
        proba = check_pred_proba(pred_proba, inputs.classes, len(inputs.codes))
        noise, logs = posterior.noise, _given_logs(rows, inputs, proba, pool)
    else:
        noise, logs = _learnt_logs(rows, inputs, data)
    codes, p = largest(classes_before_labels(noise, logs))
    return Filled(rows, codes.astype(np.intp), np.minimum(p, 1.0))


def _learnt_logs(
    rows: np.ndarray, inputs: Inputs, data: TrainingData
) -> tuple[NoisePosterior, np.ndarray]:
    """What is known of the noise as a classifier sees it, and what it says of ``rows``."""
    random = np.random.default_rng(data.random_state + 3)
    n, n_new = len(data.codes), len(rows)
    taught = np.arange(n) if n <= TREE_ROWS else np.sort(random.choice(n, TREE_ROWS, replace=False))
    features = inputs.features.X if inputs.features is not None else inputs.X
    both = np.concatenate([inputs.audited[taught], rows])
    X = scaled(take_rows(features, both), data.random_state)
    part = replace(data.for_rows(taught), X=X[: len(X) - n_new])
    classifier = seeded_member(KernelAndTrees(n_jobs=data.n_jobs), data.random_state)
    known = inputs.audited_known
    noise = _noise(classifier, part, None if known is None else known[taught], random)
    fitted = classifier.fit(part.X, part.codes)
    return noise, _logs_of(fitted, X[len(X) - n_new :], data.n_classes)


def _noise(
    classifier: KernelAndTrees,
    data: TrainingData,
    known: np.ndarray | None,
    random: np.random.Generator,
) -> NoisePosterior:
    logs = floored_logs(cross_fit_proba(classifier, data.X, data).astype(np.float32).T)
    doubtful = np.arange(len(data.codes)) if known is None else np.flatnonzero(~known)
    chosen = doubtful[some_rows(len(doubtful), data.n_classes, random, at_most=NOISE_ROWS)]
    return noise_posterior(logs.take(chosen, axis=1).astype(float), data.codes[chosen])


def _logs_of(fitted: KernelAndTrees, X: np.ndarray, n_classes: int) -> np.ndarray:
    parts = [
        all_columns(fitted.predict_proba(X[block]), fitted.classes_, n_classes)
        for block in blocks(len(X), CACHED, width=n_classes)
    ]
    return floored_logs(np.concatenate(parts).astype(np.float32).T)


def _given_logs(rows: np.ndarray, inputs: Inputs, pred_proba: np.ndarray, pool: Pool) -> np.ndarray:
    """What the user's probabilities say of ``rows``, as the pool has weighed them."""
    proba = certain_or_uniform(pred_proba[np.ix_(rows, inputs.present)])
    return normalised(floored_logs(proba.astype(np.float32).T) * np.float32(pool.models[-1].weight))
