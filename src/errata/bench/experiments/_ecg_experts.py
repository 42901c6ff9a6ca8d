"""Whether a model suspects labels where two cardiologists disagree.

Ten recordings of the QT database were marked by two cardiologists, beat by beat. No label noise has
to be made up here: where they differ, one of them is wrong, or both. A model learns from the labels
of each, and flags some of them; a disagreement is held when either label is flagged. The second
marked no P waves, so P counts as baseline for both. (An eleventh recording has two of his beats.)

Chance is the reference: of samples flagged blindly, as many lie in a disagreement as of all samples
(``precision`` against ``differing``), and as much of the disagreement is flagged as of everything
(``held`` against ``flagged``).
"""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.utils import Bunch

from ..._files import atomic_path
from ..._random import seeded_clone
from ...datasets import load_qtdb
from ...sequence import SupervisedHMM, TolerantHMM, WaveletFeatures
from .._experiment import Bench, Cell, Experiment
from .._present import Table, to_markdown
from ._ecg_recordings import RecordingsPart, doubt_of_labels, fitted_quietly

RECORDS = ("sel100", "sel103", "sel114", "sel116", "sel117",
           "sel123", "sel213", "sel221", "sel223", "sel230")  # fmt: skip
EXPERTS = ("q1c", "q2c")
CYCLE = ["B3", "QRS", "T"]
METRICS = (
    "differing", "flagged", "held", "held_by_first", "held_by_second", "precision", "auc",
    "average_precision",
)  # fmt: skip


def measure_experts(cell: Cell, method: BaseEstimator, _: str, bench: Bench) -> dict[str, float]:
    """Suspicion of the labels of two cardiologists against where they differ."""
    ecgs = [load_qtdb(cell.dataset, annotator=name, folder=bench.folder) for name in EXPERTS]
    __, *places = np.intersect1d(*(ecg.samples for ecg in ecgs), return_indices=True)
    doubts = [
        _doubt(ecg, seeded_clone(method, bench.seed_of(*cell, name)))[place]
        for ecg, name, place in zip(ecgs, EXPERTS, places, strict=True)
    ]
    first, second = (_without_p(ecg.labels)[place] for ecg, place in zip(ecgs, places, strict=True))
    return _against(first != second, *doubts)


def _doubt(ecg: Bunch, model: BaseEstimator) -> np.ndarray:
    features = WaveletFeatures(fs=ecg.fs).fit(ecg.signal, lengths=ecg.lengths)
    X = features.transform(ecg.signal, lengths=ecg.lengths)
    part = RecordingsPart(X, _without_p(ecg.labels), np.array(ecg.lengths))
    return doubt_of_labels(fitted_quietly(model, part, part.y), part, part.y)


def _against(differ: np.ndarray, first: np.ndarray, second: np.ndarray) -> dict[str, float]:
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


def _without_p(labels: np.ndarray) -> np.ndarray:
    return np.where(labels == "P", "B3", labels)


def write_table_of_experts(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Means over the recordings, a row for each model: experts.md."""
    groups: dict[str, list[dict]] = defaultdict(list)
    for row in results:
        groups[row["method"]].append(row)
    rows = [
        [method, *(f"{np.nanmean([row[name] for row in of]):.3f}" for name in METRICS)]
        for method, of in groups.items()
    ]
    path = folder / "experts.md"
    with atomic_path(path) as temporary:
        table = to_markdown(Table("", ["model", *METRICS], rows, names=1))
        temporary.write_text(f"# Two cardiologists\n\n{table}\n", encoding="utf-8")
    return [path]


ecg_experts = Experiment(
    name="ecg-experts",
    title="Two cardiologists of the QT database: are labels suspected where they disagree?",
    datasets=dict.fromkeys(RECORDS, "ecg_qtdb"),
    methods={
        "tolerant": TolerantHMM(transitions=CYCLE),
        "supervised": SupervisedHMM(transitions=CYCLE),
    },
    metrics=METRICS,
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
