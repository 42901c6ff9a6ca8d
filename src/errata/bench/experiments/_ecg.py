"""Frénay, de Lannoy and Verleysen (2011): hidden Markov models that tolerate wrong annotations.

Thesis of Frénay (2013), chapter 11: electrocardiograms are cut into waves by a model that learnt
from a part of the same recording, whose labels were made worse in two ways: boundaries of P and T
waves moved by up to half of the wave (horizontal noise, figures 5 to 7) and single samples flipped,
up to a fifth of them (uniform, 8 to 10). Both are measured here in one sweep: at level w boundaries
move by up to w of a wave, or 0.4 w of the labels are flipped. At level 0 these are tables 1 and 2.

The paper names the ten recordings with sinus rhythm (there are ten in the QT database), but not its
ten of eleven with arrhythmia and P waves, and does not say how its artificial ones were labelled;
so orders can be compared and digits cannot. Transitions are those of its figure 4.

Ten recordings of the QT database were marked by two cardiologists, beat by beat. No label noise has
to be made up here: where they differ, one of them is wrong, or both. A model learns from the labels
of each, and flags some of them; a disagreement is held when either label is flagged. The second
marked no P waves, so P counts as baseline for both. (An eleventh recording has two of his beats.)

Chance is the reference: of samples flagged blindly, as many lie in a disagreement as of all samples
(``precision`` against ``differing``), and as much of the disagreement is flagged as of everything
(``held`` against ``flagged``).
"""

import os
import warnings
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.utils import Bunch

from ..._random import clone_with_seed
from ...datasets import load_qtdb, make_ecg
from ...datasets._ecg_folder import read_qtdb_records
from ...datasets._synthetic import WAVES
from ...metrics import segmentation_report
from ...noise import flip_labels, shift_boundaries
from ...sequence import BaumWelchHMM, SupervisedHMM, TolerantHMM, WaveletFeatures
from .._experiment import Bench, Cell, Experiment, Published
from .._report import group_by, make_figure, make_table, save_figure, to_markdown, write_page

SCORES = ("recall_percent", "precision_percent", "auc")
METRICS = (*SCORES, *(f"uniform_{score}" for score in SCORES))
GROUPS = {"ECG sinus (average)": "sinus", "ECG arrhythmia (average)": "arrhythmia"}

# Within a second of the end of the training part, features still see it.
_GAP_SECONDS = 1.0

UNIFORM = 0.4  # labels flipped at level 1; at 0.5, the highest, a fifth
_KINDS = {"": ("horizontal", 100.0, "boundaries move by up to (% of the wave)"),
          "uniform_": ("uniform", 100 * UNIFORM, "labels flipped (%)")}  # fmt: skip
_STYLES = {
    "HMM supervised learning": ("#0072b2", "-"),
    "HMM Baum-Welch": ("#999999", "-"),
    "HMM label noise-tolerant EM": ("#d55e00", "--"),
}

RECORDS = ("sel100", "sel103", "sel114", "sel116", "sel117",
           "sel123", "sel213", "sel221", "sel223", "sel230")  # fmt: skip
EXPERTS = ("q1c", "q2c")
CYCLE = ["B3", "QRS", "T"]
EXPERT_METRICS = (
    "differing", "flagged", "held", "held_by_first", "held_by_second", "precision", "auc",
    "average_precision",
)  # fmt: skip


class RecordingPart(NamedTuple):
    """Features, labels, lengths of the sequences, and samples per second."""

    X: np.ndarray
    y: np.ndarray
    lengths: np.ndarray
    fs: float


def measure_segmentation(
    cell: Cell,
    method: BaseEstimator,
    _: str | None,
    bench: Bench,
    *,
    n_recordings: int = 10,
    n_beats: int = 250,
) -> dict[str, float]:
    """Learn from the noisy labels of a part of each recording, and segment the rest of it.

    Means over the recordings, for both kinds of noise; so many artificial recordings, of so many
    beats.
    """
    rows = [
        _measure_both_kinds(train, test, cell, method, bench, place)
        for place, (train, test) in enumerate(get_recordings(cell, bench, n_recordings, n_beats))
    ]
    return {name: float(np.mean([row[name] for row in rows])) for name in METRICS}


def get_recordings(
    cell: Cell, bench: Bench, n_recordings: int, n_beats: int
) -> list[tuple[RecordingPart, RecordingPart]]:
    """Parts to learn from and to test on, of real recordings or of so many artificial ones."""
    if cell.dataset in GROUPS:
        return load_real_recordings(GROUPS[cell.dataset], bench.folder)
    # Neither level nor repetition: what is repeated are noise and training.
    return make_artificial_recordings(n_recordings, n_beats, bench.seed_of(cell.dataset))


def _measure_both_kinds(
    train: RecordingPart,
    test: RecordingPart,
    cell: Cell,
    method: BaseEstimator,
    bench: Bench,
    place: int,
) -> dict[str, float]:
    level = cell.noise_level or 0.0
    noise_seed = bench.seed_of(cell.dataset, place, cell.repetition)
    model = clone_with_seed(method, bench.seed_of(*cell, place))
    moved, _ = shift_boundaries(
        train.y, level, states=["P", "T"], lengths=train.lengths, random_state=noise_seed
    )
    found = _score_recording(train, test, moved, model)
    if level:
        flipped, _ = flip_labels(train.y, UNIFORM * level, random_state=noise_seed)
        uniform = _score_recording(train, test, flipped, model)
    else:
        uniform = found  # no noise of either kind
    return found | {f"uniform_{score}": value for score, value in uniform.items()}


def _score_recording(
    train: RecordingPart, test: RecordingPart, labels: np.ndarray, model: Any
) -> dict[str, float]:
    fitted = fit_quietly(model, train, labels)
    predicted = fitted.predict(test.X, lengths=test.lengths)
    report = segmentation_report(test.y, predicted, fs=test.fs, lengths=test.lengths)
    wrong = labels != train.y
    auc = np.nan
    if wrong.any():
        auc = float(roc_auc_score(wrong, measure_label_doubt(fitted, train, labels)))
    return {
        "recall_percent": 100 * report["recall"],
        "precision_percent": 100 * report["precision"],
        "auc": auc,
    }


def _make_methods(**settings: Any) -> dict[str, BaseEstimator]:
    return {
        "HMM supervised learning": SupervisedHMM(transitions=list(WAVES), **settings),
        "HMM Baum-Welch": BaumWelchHMM(transitions=list(WAVES), **settings),
        "HMM label noise-tolerant EM": TolerantHMM(transitions=list(WAVES), **settings),
    }


def draw_ecg_curves(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """A table of how well suspicion ranks wrong labels, and a picture for each kind of noise."""
    pictures = [
        _draw(results, prefix, percent, axis, folder / f"{kind}.png")
        for prefix, (kind, percent, axis) in _KINDS.items()
    ]
    return [_write_suspicion(results, folder / "suspicion.md"), *pictures]


ecg = Experiment(
    name="ecg",
    title="Frénay, de Lannoy and Verleysen 2011: electrocardiograms with wrong annotations",
    datasets={"ECG artificial (average)": None, **dict.fromkeys(GROUPS, "ecg_qtdb")},
    methods=_make_methods(),
    noise_levels=tuple(step / 20 for step in range(11)),
    repetitions=40,
    metrics=METRICS,
    measure=measure_segmentation,
    published=Published("frenay_2013_tables", repetitions=40),
    illustrate=draw_ecg_curves,
    quick={
        "datasets": {"ECG artificial (average)": None},
        "methods": _make_methods(n_init=1, max_iter=60),
        "noise_levels": (0.0, 0.25, 0.5),
        "repetitions": 2,
        "measure": partial(measure_segmentation, n_recordings=3, n_beats=100),
    },
)


@lru_cache(maxsize=2)
def make_artificial_recordings(
    n_recordings: int, n_beats: int, seed: int
) -> list[tuple[RecordingPart, RecordingPart]]:
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
def load_real_recordings(
    group: str, folder: str | os.PathLike | None
) -> list[tuple[RecordingPart, RecordingPart]]:
    """The recordings of a group of the QT database; half of each to learn from.

    Those in which a half lacks one of the four labels are left out: some have no P waves.
    """
    names = [name for name, row in read_qtdb_records(folder).items() if row["group"] == group]
    recordings = [split_in_time(load_qtdb(name, folder=folder), 0.5) for name in names]
    return [
        (train, test) for train, test in recordings if set(train.y) == set(test.y) == set(WAVES)
    ]


def split_in_time(ecg: Bunch, fraction: float) -> tuple[RecordingPart, RecordingPart]:
    """The first samples to learn from; then a gap; then the samples to test on."""
    cut = int(fraction * len(ecg.signal))
    sequence = np.repeat(np.arange(len(ecg.lengths)), ecg.lengths)
    first = slice(None, cut)
    later = slice(cut + int(_GAP_SECONDS * ecg.fs), None)
    features = WaveletFeatures(fs=ecg.fs)
    features.fit(ecg.signal[first], lengths=_run_lengths(sequence[first]))
    X = features.transform(ecg.signal, lengths=ecg.lengths)
    train, test = (
        RecordingPart(X[part], ecg.labels[part], _run_lengths(sequence[part]), ecg.fs)
        for part in (first, later)
    )
    return train, test


def fit_quietly(model: BaseEstimator, part: RecordingPart, labels: np.ndarray) -> Any:
    """The model, fitted to a part with these labels; what it would warn of is in the results."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(part.X, labels, lengths=part.lengths)


def measure_label_doubt(model: Any, part: RecordingPart, labels: np.ndarray) -> np.ndarray:
    """Suspicion, or, where a model has none, the probability that it gives to other classes."""
    if hasattr(model, "suspicion_"):
        return model.suspicion_
    proba = model.predict_proba(part.X, lengths=part.lengths)
    return 1 - proba[np.arange(len(labels)), np.searchsorted(model.classes_, labels)]


def _run_lengths(numbers: np.ndarray) -> np.ndarray:
    return np.unique(numbers, return_counts=True)[1]


def _draw(results: list[dict], prefix: str, percent: float, label: str, path: Path) -> Path:
    by_dataset = group_by(results, "dataset")
    n_sets = len(by_dataset)
    figure = make_figure(4 * n_sets + 0.5, 6.4)
    panels = figure.subplots(2, n_sets, squeeze=False, sharex=True, sharey="col")
    for column, dataset in enumerate(by_dataset):
        for panel, score in zip(panels[:, column], ("recall", "precision"), strict=True):
            for method, rows in group_by(by_dataset[dataset], "method").items():
                _draw_curve(panel, method, rows, f"{prefix}{score}_percent", percent)
            panel.set_ylabel(f"{score} (%)")
        panels[0, column].set_title(dataset.removesuffix(" (average)"))
        panels[1, column].set_xlabel(label)
    names = panels[0, 0].get_legend_handles_labels()
    figure.legend(*names, loc="outside upper center", ncols=n_sets)  # as many as fit
    return save_figure(figure, path, dpi=110)


def _draw_curve(panel: Any, method: str, rows: list[dict], metric: str, percent: float) -> None:
    """Means over the repetitions, with 95 % intervals."""
    by_level = sorted(group_by(rows, "noise_level").items())
    x = np.array([percent * level for level, _ in by_level])
    values = [np.array([row[metric] for row in of]) for _, of in by_level]
    mean = np.array([v.mean() for v in values])
    # One repetition has no spread, and its band no width.
    error = [1.96 * v.std(ddof=1) / np.sqrt(len(v)) if len(v) > 1 else 0.0 for v in values]
    colour, dashes = _STYLES[method]
    panel.plot(x, mean, color=colour, linestyle=dashes, marker="o", markersize=4, label=method)
    panel.fill_between(x, mean - error, mean + error, color=colour, alpha=0.2, linewidth=0)


def _write_suspicion(results: list[dict], path: Path) -> Path:
    groups = group_by(results, "dataset", "method", "noise_level")
    levels = sorted({row["noise_level"] for row in results} - {0.0})
    header = ["data set", "method"]
    header += [
        f"{kind} {percent * level:g} %" for kind, percent, _ in _KINDS.values() for level in levels
    ]
    rows = [
        [dataset, method]
        + [
            f"{np.mean([row[f'{prefix}auc'] for row in groups[dataset, method, level]]):.2f}"
            for prefix in _KINDS
            for level in levels
        ]
        for dataset, method in group_by(results, "dataset", "method")
    ]
    text = "Area under the curve of suspicion against wrong labels, in the training part."
    table = to_markdown(make_table("", header, rows, names=2))
    return write_page(path, "Who finds the wrong labels?", text, table)


def measure_experts(cell: Cell, method: BaseEstimator, _: str, bench: Bench) -> dict[str, float]:
    """Suspicion of the labels of two cardiologists against where they differ."""
    ecgs = [load_qtdb(cell.dataset, annotator=name, folder=bench.folder) for name in EXPERTS]
    __, *places = np.intersect1d(*(ecg.samples for ecg in ecgs), return_indices=True)
    doubts = [
        _measure_doubt(ecg, clone_with_seed(method, bench.seed_of(*cell, name)))[place]
        for ecg, name, place in zip(ecgs, EXPERTS, places, strict=True)
    ]
    first, second = (_replace_p(ecg.labels)[place] for ecg, place in zip(ecgs, places, strict=True))
    return _compare_doubts(first != second, *doubts)


def _measure_doubt(ecg: Bunch, model: BaseEstimator) -> np.ndarray:
    features = WaveletFeatures(fs=ecg.fs).fit(ecg.signal, lengths=ecg.lengths)
    X = features.transform(ecg.signal, lengths=ecg.lengths)
    part = RecordingPart(X, _replace_p(ecg.labels), np.array(ecg.lengths), ecg.fs)
    return measure_label_doubt(fit_quietly(model, part, part.y), part, part.y)


def _compare_doubts(differ: np.ndarray, first: np.ndarray, second: np.ndarray) -> dict[str, float]:
    """Doubts about the labels of either, and about the more doubtful of both."""
    either = np.maximum(first, second)
    flagged = either > 0.5
    return {
        "differing": float(differ.mean()),
        "flagged": float(flagged.mean()),
        "held": float(flagged[differ].mean()),
        "held_by_first": float((first[differ] > 0.5).mean()),
        "held_by_second": float((second[differ] > 0.5).mean()),
        "precision": float(differ[flagged].mean()) if flagged.any() else float("nan"),
        "auc": float(roc_auc_score(differ, either)),
        "average_precision": float(average_precision_score(differ, either)),
    }


def _replace_p(labels: np.ndarray) -> np.ndarray:
    return np.where(labels == "P", "B3", labels)


def write_table_of_experts(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Means over the recordings, a row for each model: experts.md."""
    rows = [
        [method, *(f"{np.nanmean([row[name] for row in of]):.3f}" for name in EXPERT_METRICS)]
        for method, of in group_by(results, "method").items()
    ]
    table = to_markdown(make_table("", ["model", *EXPERT_METRICS], rows))
    return [write_page(folder / "experts.md", "Two cardiologists", table)]


ecg_experts = Experiment(
    name="ecg-experts",
    title="Two cardiologists of the QT database: are labels suspected where they disagree?",
    datasets=dict.fromkeys(RECORDS, "ecg_qtdb"),
    methods={
        "tolerant": TolerantHMM(transitions=CYCLE),
        "supervised": SupervisedHMM(transitions=CYCLE),
    },
    metrics=EXPERT_METRICS,
    measure=measure_experts,
    illustrate=write_table_of_experts,
    quick={
        "datasets": dict.fromkeys(RECORDS[:2], "ecg_qtdb"),
        "methods": {
            "tolerant": TolerantHMM(transitions=CYCLE, n_init=2),
            "supervised": SupervisedHMM(transitions=CYCLE, n_init=2),
        },
    },
)
