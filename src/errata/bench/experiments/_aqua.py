"""Label errors in five tables, of four kinds: the tabular part of AQuA (Goswami and others 2023).

Its metric is the F1 score of flags weighted over both answers, wrong and right, so that flagging
nothing scores 65 % on the mean over its noise of 10 and 40 %. Its column of cleanlab comes from
networks whose learning rate was the size of a batch, 64 or so; the same rule is run here on a
network that learns.

Tables are read from the data folder: ``adult``, ``car``, ``compas``, ``dry_bean`` and ``mushroom``,
each as CSV with a last column ``label``. Their own training parts are 85 % of these rows, and their
features the codes of words; here it is all rows, and a feature for each word. Where they use the
last layer of a network (what instance-dependent noise depends on), here it is the features.
"""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from rich.table import Table
from scipy.special import softmax
from scipy.stats import truncnorm
from sklearn.metrics import average_precision_score, confusion_matrix, f1_score
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_random_state

from ..._crossfit import make_folds, predict_out_of_fold
from ...auditing import audit
from ...compat.cleanlab.filter import find_label_issues
from ...datasets import load_dataset
from ...datasets._load import find_file, find_folder
from ...noise import flip_labels
from ...tables import features_of
from .._experiment import Bench, Cell, Experiment, load_published
from .._report import group_by, make_table

Answer = tuple[np.ndarray, np.ndarray]  # suspicion and flags of the rows

TABLES = {
    "Adult": "adult",
    "Car Evaluation": "car",
    "COMPAS": "compas",
    "Dry Bean": "dry_bean",
    "Mushrooms": "mushroom",
}
RATES = (0.1, 0.4)
OURS = "errata"


def flip_to_next_class(_: np.ndarray, y: np.ndarray, rate: float, seed: int) -> np.ndarray:
    """A fixed number of labels becomes that of the next class."""
    rows = check_random_state(seed).permutation(len(y))[: int(rate * len(y))]
    labels = y.copy()
    labels[rows] = (labels[rows] + 1) % (y.max() + 1)
    return labels


def flip_by_confusion(X: np.ndarray, y: np.ndarray, _: float, seed: int) -> np.ndarray:
    """As often as a network confuses the classes, whatever the rate; each level is another draw.

    As published, a class c gets the label l in proportion to how often a row of class l is taken
    for c, and not the other way round.
    """
    taken_for = _make_network(seed).fit(X, y).predict(X)
    confusion = np.around(confusion_matrix(y, taken_for, normalize="true"), 3).T
    totals = confusion.sum(axis=1, keepdims=True)
    never = np.eye(len(confusion))  # a class that no row is taken for keeps its labels
    transition = np.where(totals > 0, confusion / np.where(totals > 0, totals, 1), never)
    return flip_labels(y, transition=transition, exact=False, random_state=seed)[0]


def flip_by_row(X: np.ndarray, y: np.ndarray, rate: float, seed: int) -> np.ndarray:
    """Every row has a rate of its own, of at most 10 % more, and labels that suit its features."""
    random = check_random_state(seed)
    rates = truncnorm.rvs(0, 1, loc=rate, scale=0.1, size=len(y), random_state=random)
    towards = softmax(X @ random.normal(size=(X.shape[1], y.max() + 1)), axis=1)
    return flip_labels(y, flip_proba=rates, target=towards, random_state=random)[0]


def flip_uniformly(_: np.ndarray, y: np.ndarray, rate: float, seed: int) -> np.ndarray:
    """Every label is wrong with the same probability."""
    return flip_labels(y, rate, exact=False, random_state=seed)[0]


NOISES = {
    "asymmetric": flip_to_next_class,
    "class-dependent": flip_by_confusion,
    "instance-dependent": flip_by_row,
    "uniform": flip_uniformly,
}


def flag_nothing(X: np.ndarray, labels: np.ndarray, seed: int) -> Answer:
    """The scores of a list without rows."""
    return np.zeros(len(labels)), np.zeros(len(labels), dtype=bool)


def flag_by_confident_learning(X: np.ndarray, labels: np.ndarray, seed: int) -> Answer:
    """The rule of cleanlab on a network in five folds, with the learning rate of scikit-learn."""
    codes = np.unique(labels, return_inverse=True)[1]  # noise may leave a class without a label
    folds = make_folds(5, codes, random_state=seed)
    proba = predict_out_of_fold([_make_network(seed)], X, codes, folds)[0]
    flagged = find_label_issues(codes, proba, method="confident_learning")
    return 1 - proba[np.arange(len(codes)), codes], flagged


def flag_by_audit(X: np.ndarray, labels: np.ndarray, seed: int) -> Answer:
    """The audit with its defaults."""
    found = audit(X, labels, self_check=False, random_state=seed)
    return found.suspicion, found.flagged


def measure_flags(
    cell: Cell, method: Callable[..., Answer], _: None, bench: Bench
) -> dict[str, float]:
    """Their weighted F1 score in percent, and what says more."""
    table, noise = cell.dataset.rsplit(", ", 1)
    X, y = _load_table(TABLES[table], bench.folder)
    seed = bench.seed_of(cell.dataset, cell.noise_level, cell.repetition)  # one noise for all
    labels = NOISES[noise](X, y, float(cell.noise_level or 0), seed)
    wrong = labels != y
    suspicion, flagged = method(X, labels, bench.seed_of(*cell))
    return {
        "weighted_f1_percent": 100 * f1_score(wrong, flagged, average="weighted"),
        "f1_percent": 100 * f1_score(wrong, flagged, zero_division=0),
        "average_precision": average_precision_score(wrong, suspicion) if wrong.any() else np.nan,
        "rate": float(wrong.mean()),
    }


# Cells come table by table. What is returned is shared: nobody writes into it.
@lru_cache(maxsize=1)
def _load_table(name: str, folder: Path | None) -> tuple[np.ndarray, np.ndarray]:
    bunch = load_dataset(name, folder=folder)
    X = StandardScaler().fit_transform(features_of(bunch.data, random_state=0).X)
    return X, np.unique(bunch.target, return_inverse=True)[1]


def _make_network(seed: int) -> MLPClassifier:
    return MLPClassifier((50,), early_stopping=True, random_state=seed)


def list_missing(folder: Path | None) -> dict[str, str]:
    """Which data sets of the experiment are not there, and the file that each would need."""
    place = find_folder(folder)
    return {
        f"{table}, {noise}": f"{name}.csv"
        for table, name in TABLES.items()
        if find_file(place, name) is None
        for noise in NOISES
    }


def tabulate(results: list[dict[str, Any]]) -> tuple[Table, list[str]]:
    """Means over the two rates beside the published ones, and where these are better."""
    published = group_by(load_published("goswami_2023_weighted_f1"), "dataset")
    theirs = list(dict.fromkeys(row["method"] for rows in published.values() for row in rows))
    lines = []
    behind = []
    for dataset, rows in group_by(results, "dataset").items():
        printed = {row["method"]: row["mean"] for row in published[dataset]}
        methods = group_by(rows, "method")
        ours = {m: _mean(methods.get(m, ()), "weighted_f1_percent") for m in METHODS}
        best = max(printed, key=lambda name: printed[name])
        if ours[OURS] < max(printed[best], ours[NOTHING]):
            behind.append(dataset)
        lines.append(
            [
                dataset,
                _show(100 * _mean(rows, "rate")),
                *(_show(printed[name]) for name in theirs),
                *(_show(value) for value in ours.values()),
                *(
                    _show(_mean(methods.get(name, ()), metric) * scale)
                    for metric, scale in (("f1_percent", 1), ("average_precision", 100))
                    for name in (LEARNING, OURS)
                ),
            ]
        )
    header = [
        *("table, noise", "wrong %", *theirs, *METHODS),
        *(f"{metric}, {name}" for metric in ("F1", "AP") for name in (LEARNING, OURS)),
    ]
    sentences = [
        f"Percent, means over {len(results)} measurements: first what they published (means over "
        "rates and networks, for cleanlab with a learning rate of 64), then ours by their weighted "
        "F1 score, then F1 score of the flags and average precision.",
        f"Behind the best published number or behind flagging nothing: {', '.join(behind)}."
        if behind
        else "Nowhere behind the best published number.",
    ]
    return make_table("Flagged labels", header, lines), sentences


def _mean(rows: Any, metric: str) -> float:
    return fmean([row[metric] for row in rows] or [np.nan])


def _show(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.1f}"


NOTHING = "nothing flagged"
LEARNING = "confident learning"
METHODS = {NOTHING: flag_nothing, LEARNING: flag_by_confident_learning, OURS: flag_by_audit}

aqua = Experiment(
    name="aqua",
    title="Goswami and others 2023: label errors in five tables (AQuA)",
    datasets=dict.fromkeys(f"{table}, {noise}" for table in TABLES for noise in NOISES),
    methods=METHODS,
    metrics=("weighted_f1_percent", "f1_percent", "average_precision", "rate"),
    measure=measure_flags,
    noise_levels=RATES,
    list_missing=list_missing,
    tabulate=tabulate,
    quick={"datasets": dict.fromkeys(f"Mushrooms, {noise}" for noise in NOISES)},
)
