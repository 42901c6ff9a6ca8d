"""Label errors in pictures, found from the probabilities of networks: two published benchmarks.

Northcutt, Jiang and Chuang (2021) trained a network in four folds on labels with 20, 40 and 70 %
noise, of which a part of the class-to-class rates is zero (sparsity), and published five rules;
Kuan and Mueller (2022) trained five networks on four sets, most with errors that people made, and
published scores. Rules and scores are computed from the same probabilities here, as
:mod:`errata.compat.cleanlab` has them.

Files are read from the data folder. Each setting is ``NAME.npz`` with the arrays ``pred_proba``,
``label`` and ``true_label``, or what its authors keep: of the first benchmark
``train_filename2label.json``, ``cifar10_noisy_labels/*.json`` and a ``*pyx*.npy`` for each, of the
second a folder with ``pred_probs.npy``, ``noisy_labels.npy`` (or ``labels.npy``) and
``true_labels.npy`` (or ``label_errors_mask.npy``) for each set and network.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table
from sklearn.metrics import average_precision_score, precision_recall_fscore_support, roc_auc_score

from ...auditing import Audit, audit
from ...compat.cleanlab.filter import find_label_issues
from ...compat.cleanlab.rank import get_label_quality_scores
from ...datasets._load import find_folder
from .._experiment import Bench, Cell, Experiment, load_published
from .._report import group_by, make_table

NOISE = {20: 2, 40: 4, 70: 6}  # percent, and what the authors' file names say
SPARSITIES = (0, 2, 4, 6)
SETTINGS = {
    f"{percent} %, sparsity {sparsity / 10:g}": (percent, sparsity)
    for percent in NOISE
    for sparsity in SPARSITIES
}
# Names of ours, and parts of the names of the authors' folders.
SCORED_SETS = {
    "CIFAR-10": ("cifar10s", "noise_amount_0.2_sparsity_0.4"),
    "CIFAR-10N majority": ("cifar10n_aggregate", "noise_type_aggre"),
    "CIFAR-10N worst": ("cifar10n_worst", "noise_type_worst"),
    "Roman numerals": ("roman_numerals", "roman-numeral_train_val_dataset"),
}
NETWORKS = {
    "ResNet-18": ("resnet18", "resnet18"),
    "ResNet-50": ("resnet50", "resnet50d"),
    "EfficientNet": ("efficientnet", "efficientnet_b1"),
    "Twins": ("twins", "twins_pcpvt_base"),
    "Swin": ("swin", "swin_base_patch4_window7_224"),
}
SCORED = {
    f"{images}, {network}": (
        f"lq_{SCORED_SETS[images][0]}_{NETWORKS[network][0]}.npz",
        f"*{SCORED_SETS[images][1]}_cv_{NETWORKS[network][1]}",
    )
    for images in SCORED_SETS
    for network in NETWORKS
}
RULES = {
    "most probable class": "predicted_neq_given",
    "confident joint": "confident_learning",
    "by class": "prune_by_class",
    "by noise rate": "prune_by_noise_rate",
    "both": "both",
}
SCORES = ("self_confidence", "normalized_margin", "confidence_weighted_entropy")
OURS = "errata"


def measure_flags(
    cell: Cell, rule: str | Callable[..., Audit], _: None, bench: Bench
) -> dict[str, float]:
    """How well a rule, or our audit, tells wrong labels from right ones."""
    proba, labels, wrong = _load_setting(*SETTINGS[cell.dataset], _check_folder(bench))
    rate = {}
    if isinstance(rule, str):
        flagged = find_label_issues(labels, proba, filter_by=rule, method="confident_learning")
        rate = {"rate": float(flagged.mean()), "low": np.nan, "high": np.nan}
    else:
        found = rule(None, labels, pred_proba=proba, self_check=False)
        flagged = found.flagged
        noise = found.noise_rate
        rate = {"rate": noise.estimate, "low": noise.low, "high": noise.high}
    precision, recall, f1, _ = precision_recall_fscore_support(
        wrong, flagged, average="binary", zero_division=0
    )
    accuracy = float(np.mean(flagged == wrong))
    return {"f1": f1, "precision": precision, "recall": recall, "accuracy": accuracy, **rate}


def measure_scores(
    cell: Cell, score: str | Callable[..., Audit], _: None, bench: Bench
) -> dict[str, float]:
    """How well a score, or our audit, ranks labels; F1 is that of argmax, or of our flags."""
    proba, labels, wrong = _load_scored(cell.dataset, _check_folder(bench))
    if isinstance(score, str):
        suspicion = -get_label_quality_scores(labels, proba, method=score)
        flagged = proba.argmax(axis=1) != labels
    else:
        found = score(None, labels, pred_proba=proba, self_check=False)
        suspicion = found.suspicion
        flagged = found.flagged
    n_wrong = int(wrong.sum())
    first = np.argsort(-suspicion, kind="stable")[:n_wrong]
    return {
        "auroc": roc_auc_score(wrong, suspicion),
        "average_precision": average_precision_score(wrong, suspicion),
        "lift": wrong[first].mean() / wrong.mean(),
        "f1": 2 * np.sum(flagged & wrong) / (flagged.sum() + n_wrong),
    }


def _check_folder(bench: Bench) -> Path:
    folder = find_folder(bench.folder)
    if folder is None:
        raise FileNotFoundError(
            "this experiment needs the probabilities of its authors' networks; name the folder "
            "that holds them with --data."
        )
    return folder


def _load_setting(
    percent: int, sparsity: int, folder: Path
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities, labels and which of these are wrong, from either layout."""
    paths = _find_setting(percent, sparsity, folder)
    if not paths:
        raise FileNotFoundError(
            f"{folder} has neither {_name_setting(percent, sparsity)} nor all of its authors' "
            f"files for {percent} % noise and sparsity {sparsity / 10:g}; choose settings that are "
            "there with --dataset."
        )
    if len(paths) == 1:
        return _read_arrays(paths[0])
    truth, given, theirs = paths
    labels = np.array(list(json.loads(given.read_text()).values()))
    true_labels = np.array(list(json.loads(truth.read_text()).values()))
    proba = np.load(theirs, allow_pickle=False)[:, :10].astype(float)
    return proba / proba.sum(axis=1, keepdims=True), labels, labels != true_labels


def _find_setting(percent: int, sparsity: int, folder: Path) -> list[Path]:
    """One file of arrays, or the authors' three (classes, labels, probabilities), or none."""
    ours = folder / _name_setting(percent, sparsity)
    if ours.exists():
        return [ours]
    name = "cifar10_noisy_labels__frac_zero_noise_rates__0{}" + "{}__noise_amount__0{}" + "{}"
    dotted = name.format(".", sparsity, ".", NOISE[percent])
    truth = folder / "train_filename2label.json"
    given = folder / "cifar10_noisy_labels" / f"{dotted}.json"
    theirs = sorted((folder / name.format("_", sparsity, "_", NOISE[percent])).glob("*pyx*.npy"))
    return [truth, given, theirs[0]] if truth.exists() and given.exists() and theirs else []


def _name_setting(percent: int, sparsity: int) -> str:
    return f"cl_cifar10_noise{percent}_sparsity{sparsity}.npz"


def _read_arrays(path: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    with np.load(path, allow_pickle=False) as arrays:
        proba = arrays["pred_proba"].astype(float)  # kept in half precision
        labels = arrays["label"].astype(int)
        wrong = labels != arrays["true_label"]
    return proba / proba.sum(axis=1, keepdims=True), labels, wrong


def _load_scored(name: str, folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities, labels and which of these are wrong, from either layout."""
    path = _find_scored(name, folder)
    if path is None:
        raise FileNotFoundError(
            f"{folder / SCORED[name][0]} is missing; choose settings that are there with --dataset."
        )
    if path.is_file():
        return _read_arrays(path)
    proba = np.load(path / "pred_probs.npy", allow_pickle=False).astype(float)
    given = "noisy_labels.npy" if (path / "noisy_labels.npy").exists() else "labels.npy"
    labels = np.load(path / given, allow_pickle=False).astype(int)
    reviewed = path / "label_errors_mask.npy"
    if reviewed.exists():
        wrong = np.load(reviewed, allow_pickle=False).astype(bool)
    else:
        wrong = labels != np.load(path / "true_labels.npy", allow_pickle=False)
    return proba / proba.sum(axis=1, keepdims=True), labels, wrong


def _find_scored(name: str, folder: Path) -> Path | None:
    """A file of arrays, or the folder of its authors' four files, or nothing."""
    ours, theirs = SCORED[name]
    if (folder / ours).exists():
        return folder / ours
    found = sorted(folder.glob(f"**/{theirs}/pred_probs.npy"))
    return found[0].parent if found else None


def list_missing_settings(folder: Path | None) -> dict[str, str]:
    """Settings of confident learning that a folder holds in neither layout."""
    place = find_folder(folder)
    return {
        name: _name_setting(*setting)
        for name, setting in SETTINGS.items()
        if place is None or not _find_setting(*setting, place)
    }


def list_missing_networks(folder: Path | None) -> dict[str, str]:
    """Sets and networks whose probabilities a folder holds in neither layout."""
    place = find_folder(folder)
    return {
        name: files[0]
        for name, files in SCORED.items()
        if place is None or _find_scored(name, place) is None
    }


def tabulate_flags(results: list[dict[str, Any]]) -> tuple[Table, list[str]]:
    """F1 of every rule beside our audit, and what it says of the noise."""
    best = {row["dataset"]: row["mean"] for row in load_published("northcutt_2021_best_f1")}
    lines = []
    behind = []
    for setting, rows in group_by(results, "dataset").items():
        found = {row["method"]: row for row in rows}
        shares = [f"{found[name]['f1']:.3f}" if name in found else "-" for name in RULES]
        ours = found.get(OURS)
        said = ["-", "-"]
        if ours is not None:
            said[0] = f"{ours['f1']:.3f}"
            said[1] = f"{ours['rate']:.2f} ({ours['low']:.2f} to {ours['high']:.2f})"
            behind += [setting] if ours["f1"] < best[setting] else []
        lines.append([setting, *shares, f"{best[setting]:.3f}", *said])
    header = ["setting", *RULES, "best published", OURS, "errata's rate (interval)"]
    return make_table("F1 of flagged labels", header, lines), [_say_behind(behind)]


def tabulate_scores(results: list[dict[str, Any]]) -> tuple[Table, list[str]]:
    """Every score beside our audit."""
    metrics = ("auroc", "average_precision", "lift", "f1")
    lines = [
        [row["dataset"], row["method"], *(f"{row[name]:.3f}" for name in metrics)]
        for row in results
    ]
    behind = [
        f"{name} ({metric.replace('_', ' ')})"
        for name, rows in group_by(results, "dataset").items()
        for metric in metrics
        for ours in [row[metric] for row in rows if row["method"] == OURS]
        if ours < max(row[metric] for row in rows)
    ]
    header = ["set, network", "score", "AUROC", "average precision", "lift", "F1"]
    return make_table("Ranking of labels", header, lines, names=2), [_say_behind(behind)]


def _say_behind(names: list[str]) -> str:
    return f"Behind: {', '.join(names)}." if names else "Nowhere behind the best of the others."


confident_learning = Experiment(
    name="confident-learning",
    title="Northcutt, Jiang and Chuang 2021: label errors in CIFAR-10, twelve settings",
    datasets=dict.fromkeys(SETTINGS),
    methods={**RULES, OURS: audit},
    metrics=("f1", "precision", "recall", "accuracy", "rate", "low", "high"),
    measure=measure_flags,
    list_missing=list_missing_settings,
    tabulate=tabulate_flags,
    quick={"datasets": dict.fromkeys(list(SETTINGS)[:1])},
)
label_quality = Experiment(
    name="label-quality",
    title="Kuan and Mueller 2022: scores of label quality, four sets and five networks",
    datasets=dict.fromkeys(SCORED),
    methods={**{score.replace("_", " "): score for score in SCORES}, OURS: audit},
    metrics=("auroc", "average_precision", "lift", "f1"),
    measure=measure_scores,
    list_missing=list_missing_networks,
    tabulate=tabulate_scores,
    quick={"datasets": dict.fromkeys(list(SCORED)[:1])},
)
