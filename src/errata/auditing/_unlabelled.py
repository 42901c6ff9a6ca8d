"""Rows without a label: the most probable class of each, by a classifier that others taught."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .._blocks import blocks
from .._random import seeded_member
from ._committee import KernelAndTrees
from ._cross_fitting import all_columns, certain_or_uniform, cross_fit_proba
from ._models import TrainingData
from ._pooling import Pool, floored_logs, largest, normalised, some_rows
from ._settings import CACHED, NOISE_ROWS, TREE_ROWS
from .classes import NoisePosterior, Posterior, classes_before_labels, noise_posterior


class Filled(NamedTuple):
    """What rows without a label probably are."""

    rows: np.ndarray
    codes: np.ndarray  # of the most probable class, among those that could be audited
    p: np.ndarray  # its probability


@dataclass(frozen=True)
class Filler:
    """Predicts the class of rows without a label: P(class | columns) before any label."""

    noise: NoisePosterior
    classifier: KernelAndTrees | None  # None where the user's probabilities stand for it
    weight: float  # of these
    n_classes: int

    def fill(self, X: Any, proba: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """The most probable class of each row and its probability.

        Parameters
        ----------
        X : array of shape (n, d) or None
            Scaled features.
        proba : array of shape (n, K) or None
            What the user says of the classes that could be audited.
        """
        logs = self._given(proba) if self.classifier is None else self._learnt(X)
        codes, p = largest(classes_before_labels(self.noise, logs))
        return codes.astype(np.intp), np.minimum(p, 1.0)

    def _learnt(self, X: np.ndarray) -> np.ndarray:
        fitted = self.classifier
        assert fitted is not None
        parts = [
            all_columns(fitted.predict_proba(X[block]), fitted.classes_, self.n_classes)
            for block in blocks(len(X), CACHED, width=self.n_classes)
        ]
        return floored_logs(np.concatenate(parts).astype(np.float32).T)

    def _given(self, proba: Any) -> np.ndarray:
        logs = floored_logs(certain_or_uniform(proba).astype(np.float32).T)
        return normalised(logs * np.float32(self.weight))


def fit_filler(
    data: TrainingData, pool: Pool, posterior: Posterior, known: np.ndarray | None
) -> Filler:
    """Learn to predict rows without a label from those that have one.

    A classifier is fitted to 20,000 labelled rows at most. How far it can be trusted, and how the
    classes differ from labels that are partly wrong, is learnt from what it says of rows that it
    was not fitted to, as for the models of the audit. Without a table the user's probabilities
    stand for the classifier.
    """
    if not data.X.shape[1]:
        return Filler(posterior.noise, None, pool.models[-1].weight, data.n_classes)
    random = np.random.default_rng(data.random_state + 3)
    n = len(data.codes)
    taught = np.arange(n) if n <= TREE_ROWS else np.sort(random.choice(n, TREE_ROWS, replace=False))
    part = replace(data.for_rows(taught), folds=None)
    classifier = seeded_member(KernelAndTrees(n_jobs=data.n_jobs), data.random_state)
    noise = _noise(classifier, part, None if known is None else known[taught], random)
    return Filler(noise, classifier.fit(part.X, part.codes), 0.0, data.n_classes)


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
