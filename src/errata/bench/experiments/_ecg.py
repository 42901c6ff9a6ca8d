"""Frénay, de Lannoy and Verleysen (2011): hidden Markov models that tolerate wrong annotations.

Thesis of Frénay (2013), chapter 11: electrocardiograms are cut into waves by a model that learnt
from a part of the same recording, whose labels were made worse in two ways: boundaries of P and T
waves moved by up to half of the wave (horizontal noise, figures 5 to 7) and single samples flipped,
up to a fifth of them (uniform, 8 to 10). Both are measured here in one sweep: at level w boundaries
move by up to w of a wave, or 0.4 w of the labels are flipped. At level 0 these are tables 1 and 2.

The paper names the ten recordings with sinus rhythm (there are ten in the QT database), but not its
ten of eleven with arrhythmia and P waves, and does not say how its artificial ones were labelled;
so orders can be compared and digits cannot. Transitions are those of its figure 4.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import roc_auc_score

from ..._random import seeded_clone
from ...datasets._ecg import WAVES
from ...metrics import segmentation_report
from ...noise import flip_labels, shift_boundaries
from ...sequence import BaumWelchHMM, SupervisedHMM, TolerantHMM
from .._experiment import Bench, Cell, Experiment
from .._published import Published
from ._ecg_curves import UNIFORM, draw_ecg_curves
from ._ecg_recordings import (
    Recording,
    RecordingsPart,
    artificial_recordings,
    doubt_of_labels,
    fitted_quietly,
    real_recordings,
)

SCORES = ("recall_percent", "precision_percent", "auc")
METRICS = (*SCORES, *(f"uniform_{score}" for score in SCORES))
GROUPS = {"ECG sinus (average)": "sinus", "ECG arrhythmia (average)": "arrhythmia"}


@dataclass(frozen=True)
class SegmentECGs:
    """Learn from the noisy labels of a part of each recording, and segment the rest of it.

    Parameters
    ----------
    n_recordings, n_beats : int
        How many artificial recordings, and of how many beats.
    """

    n_recordings: int = 10
    n_beats: int = 250

    def __call__(
        self, cell: Cell, method: BaseEstimator, dataset: str | None, bench: Bench
    ) -> dict[str, float]:
        """Means over the recordings, for both kinds of noise."""
        rows = [
            _both_kinds(recording, cell, method, bench, place)
            for place, recording in enumerate(self._recordings(cell, bench))
        ]
        return {name: float(np.mean([row[name] for row in rows])) for name in METRICS}

    def _recordings(self, cell: Cell, bench: Bench) -> list[Recording]:
        if cell.dataset in GROUPS:
            return real_recordings(GROUPS[cell.dataset], bench.folder)
        # Neither level nor repetition: what is repeated are noise and training.
        seed = bench.seed_of(cell.dataset)
        return artificial_recordings(self.n_recordings, self.n_beats, seed)


def _both_kinds(
    recording: Recording, cell: Cell, method: BaseEstimator, bench: Bench, place: int
) -> dict[str, float]:
    y, lengths = recording.train.y, recording.train.lengths
    level = cell.noise_level or 0.0
    noise_seed = bench.seed_of(cell.dataset, place, cell.repetition)
    model = seeded_clone(method, bench.seed_of(*cell, place))
    moved, _ = shift_boundaries(
        y, level, states=["P", "T"], lengths=lengths, random_state=noise_seed
    )
    found = _scores(recording, moved, model)
    if level:
        flipped, _ = flip_labels(y, UNIFORM * level, random_state=noise_seed)
        uniform = _scores(recording, flipped, model)
    else:
        uniform = found  # no noise of either kind
    return found | {f"uniform_{score}": value for score, value in uniform.items()}


def _scores(recording: Recording, labels: np.ndarray, model: Any) -> dict[str, float]:
    train, test = recording.train, recording.test
    fitted = fitted_quietly(model, train, labels)
    predicted = fitted.predict(test.X, lengths=test.lengths)
    report = segmentation_report(test.y, predicted, fs=recording.fs, lengths=test.lengths)
    return {
        "recall_percent": 100 * report["recall"],
        "precision_percent": 100 * report["precision"],
        "auc": _auc(fitted, train, labels),
    }


def _auc(model: Any, train: RecordingsPart, labels: np.ndarray) -> float:
    wrong = labels != train.y
    return (
        float(roc_auc_score(wrong, doubt_of_labels(model, train, labels)))
        if wrong.any()
        else np.nan
    )


def _methods(**settings: Any) -> dict[str, BaseEstimator]:
    return {
        "HMM supervised learning": SupervisedHMM(transitions=list(WAVES), **settings),
        "HMM Baum-Welch": BaumWelchHMM(transitions=list(WAVES), **settings),
        "HMM label noise-tolerant EM": TolerantHMM(transitions=list(WAVES), **settings),
    }


ecg = Experiment(
    name="ecg",
    title="Frénay, de Lannoy and Verleysen 2011: electrocardiograms with wrong annotations",
    datasets={"ECG artificial (average)": None, **dict.fromkeys(GROUPS, "ecg_qtdb")},
    methods=_methods(),
    noise_levels=tuple(step / 20 for step in range(11)),
    repetitions=40,
    metrics=METRICS,
    measure=SegmentECGs(),
    published=Published("frenay_2013_tables", repetitions=40),
    illustrate=draw_ecg_curves,
    quick={
        "datasets": {"ECG artificial (average)": None},
        "methods": _methods(n_init=1, max_iter=60),
        "noise_levels": (0.0, 0.25, 0.5),
        "repetitions": 2,
        "measure": SegmentECGs(n_recordings=3, n_beats=100),
    },
)
