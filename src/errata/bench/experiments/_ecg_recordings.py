"""Electrocardiograms cut into a part to learn from and a part to test on, as features."""

import os
import warnings
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Bunch

from ...datasets import load_qtdb, make_ecg
from ...datasets._ecg import WAVES
from ...datasets._ecg_folder import qtdb_records
from ...sequence import WaveletFeatures

# Within a second of the end of the training part, features still see it.
_GAP_SECONDS = 1.0


class RecordingsPart(NamedTuple):
    """Features, labels, and lengths of the sequences."""

    X: np.ndarray
    y: np.ndarray
    lengths: np.ndarray


class Recording(NamedTuple):
    """The beginning of an electrocardiogram, and what comes after it."""

    train: RecordingsPart
    test: RecordingsPart
    fs: float


@lru_cache(maxsize=2)
def artificial_recordings(n_recordings: int, n_beats: int, seed: int) -> list[Recording]:
    """Patients of different shape and heart rate; a tenth of each to learn from."""
    random = np.random.RandomState(seed)
    ecgs = [
        make_ecg(
            n_beats,
            heart_rate=random.uniform(55, 85),
            heart_rate_std=random.uniform(1, 4),
            noise=0.05,
            jitter=0.15,
            random_state=random,
        )
        for _ in range(n_recordings)
    ]
    return [split_in_time(ecg, 0.1) for ecg in ecgs]


@lru_cache(maxsize=2)
def real_recordings(group: str, folder: str | os.PathLike | None) -> list[Recording]:
    """The recordings of a group of the QT database; half of each to learn from.

    Those in which a half lacks one of the four labels are left out: some have no P waves.
    """
    names = [name for name, row in qtdb_records(folder).items() if row["group"] == group]
    recordings = [split_in_time(load_qtdb(name, folder=folder), 0.5) for name in names]
    return [r for r in recordings if set(r.train.y) == set(r.test.y) == set(WAVES)]


def split_in_time(ecg: Bunch, fraction: float) -> Recording:
    """The first samples to learn from; then a gap; then the samples to test on."""
    cut = int(fraction * len(ecg.signal))
    sequence = np.repeat(np.arange(len(ecg.lengths)), ecg.lengths)
    train, test = slice(None, cut), slice(cut + int(_GAP_SECONDS * ecg.fs), None)
    features = WaveletFeatures(fs=ecg.fs)
    features.fit(ecg.signal[train], lengths=_run_lengths(sequence[train]))
    X = features.transform(ecg.signal, lengths=ecg.lengths)
    first, later = (
        RecordingsPart(X[s], ecg.labels[s], _run_lengths(sequence[s])) for s in (train, test)
    )
    return Recording(first, later, ecg.fs)


def fitted_quietly(model: BaseEstimator, part: RecordingsPart, labels: np.ndarray) -> Any:
    """The model, fitted to a part with these labels; what it would warn of is in the results."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(part.X, labels, lengths=part.lengths)


def doubt_of_labels(model: Any, part: RecordingsPart, labels: np.ndarray) -> np.ndarray:
    """Suspicion, or, where a model has none, the probability that it gives to other classes."""
    if hasattr(model, "suspicion_"):
        return model.suspicion_
    proba = model.predict_proba(part.X, lengths=part.lengths)
    return 1 - proba[np.arange(len(labels)), np.searchsorted(model.classes_, labels)]


def _run_lengths(numbers: np.ndarray) -> np.ndarray:
    return np.unique(numbers, return_counts=True)[1]
