"""Whether a model suspects labels where two cardiologists disagree.

Ten recordings of the QT database were marked by two cardiologists, beat by beat. No label noise has
to be made up here: where they differ, one of them is wrong, or both. A model learns from the labels
of one, and its flags are held against the samples on which the other differs. The second marked no
P waves, so P counts as baseline for both. (An eleventh recording has two of his beats.)

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

from ..._files import atomic_path
from ..._random import seeded_clone
from ...datasets import load_qtdb
from ...sequence import SupervisedHMM, TolerantHMM, WaveletFeatures
from .._experiment import Bench, Cell, Experiment
from .._present import Table, to_markdown
from ._ecg_recordings import Part, doubt_of_labels, fitted_quietly

RECORDS = ("sel100", "sel103", "sel114", "sel116", "sel117",
           "sel123", "sel213", "sel221", "sel223", "sel230")  # fmt: skip
EXPERTS = {"first": ("q1c", "q2c"), "second": ("q2c", "q1c")}
CYCLE = ["B3", "QRS", "T"]
METRICS = ("differing", "flagged", "held", "precision", "auc", "average_precision")


def measure_experts(cell: Cell, method: BaseEstimator, _: str, bench: Bench) -> dict[str, float]:
    """Suspicion of the labels of one cardiologist against where the other differs."""
    record, expert = cell.dataset.split(", ")
    whose, other = (
        load_qtdb(record, annotator=name, folder=bench.folder) for name in EXPERTS[expert]
    )
    labels = _without_p(whose.labels)
    features = WaveletFeatures(fs=whose.fs).fit(whose.signal, lengths=whose.lengths)
    X = features.transform(whose.signal, lengths=whose.lengths)
    part = Part(X, labels, np.array(whose.lengths))
    model = fitted_quietly(seeded_clone(method, bench.seed_of(*cell)), part, labels)
    __, here, there = np.intersect1d(whose.samples, other.samples, return_indices=True)
    doubt = doubt_of_labels(model, part, labels)[here]
    return _against(labels[here] != _without_p(other.labels)[there], doubt)


def _against(differ: np.ndarray, doubt: np.ndarray) -> dict[str, float]:
    flagged = doubt > 0.5
    return {
        "differing": float(differ.mean()),
        "flagged": float(flagged.mean()),
        "held": float(flagged[differ].mean()),
        "precision": float(differ[flagged].mean()) if flagged.any() else np.nan,
        "auc": float(roc_auc_score(differ, doubt)),
        "average_precision": float(average_precision_score(differ, doubt)),
    }


def _without_p(labels: np.ndarray) -> np.ndarray:
    return np.where(labels == "P", "B3", labels)


def write_table_of_experts(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Means over the recordings, a row for each model and cardiologist: experts.md."""
    groups: dict[tuple[str, str], list[dict]] = defaultdict(list)
    for row in results:
        groups[row["method"], row["dataset"].split(", ")[1]].append(row)
    rows = [
        [method, expert, *(f"{np.nanmean([row[name] for row in of]):.3f}" for name in METRICS)]
        for (method, expert), of in groups.items()
    ]
    path = folder / "experts.md"
    with atomic_path(path) as temporary:
        table = to_markdown(Table("", ["model", "labels of", *METRICS], rows, names=2))
        temporary.write_text(f"# Two cardiologists\n\n{table}\n", encoding="utf-8")
    return [path]


ecg_experts = Experiment(
    name="ecg-experts",
    title="Two cardiologists of the QT database: are labels suspected where they disagree?",
    datasets={f"{record}, {expert}": "ecg_qtdb" for record in RECORDS for expert in EXPERTS},
    methods={
        "tolerant": TolerantHMM(transitions=CYCLE),
        "supervised": SupervisedHMM(transitions=CYCLE),
    },
    metrics=METRICS,
    measure=measure_experts,
    illustrate=write_table_of_experts,
    quick={
        "datasets": {f"{RECORDS[0]}, {expert}": "ecg_qtdb" for expert in EXPERTS},
        "methods": {
            "tolerant": TolerantHMM(transitions=CYCLE, n_init=2),
            "supervised": SupervisedHMM(transitions=CYCLE, n_init=2),
        },
    },
)
