"""Recall and precision against the noise in the annotations of electrocardiograms."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from ..._files import atomic_path
from .._figure import new_figure
from .._present import Table, to_markdown

UNIFORM = 0.4  # labels flipped at level 1; at 0.5, the highest, a fifth
_KINDS = {"": ("horizontal", 100.0, "boundaries move by up to (% of the wave)"),
          "uniform_": ("uniform", 100 * UNIFORM, "labels flipped (%)")}  # fmt: skip
_STYLES = {
    "HMM supervised learning": ("#0072b2", "-"),
    "HMM Baum-Welch": ("#999999", "-"),
    "HMM label noise-tolerant EM": ("#d55e00", "--"),
}


def draw_ecg_curves(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """A table of how well suspicion ranks wrong labels, and a picture for each kind of noise."""
    paths = [folder / "suspicion.md"]
    _write_suspicion(results, paths[0])
    for prefix, (kind, percent, axis) in _KINDS.items():
        paths.append(folder / f"{kind}.png")
        _draw(results, prefix, percent, axis, paths[-1])
    return paths


def _draw(results: list[dict], prefix: str, percent: float, label: str, path: Path) -> None:
    datasets = list(dict.fromkeys(row["dataset"] for row in results))
    figure = new_figure(4 * len(datasets) + 0.5, 6.4)
    panels = figure.subplots(2, len(datasets), squeeze=False, sharex=True, sharey="col")
    for column, dataset in enumerate(datasets):
        for panel, score in zip(panels[:, column], ("recall", "precision"), strict=True):
            curves = _curves(results, dataset, f"{prefix}{score}_percent")
            for method, (levels, mean, error) in curves.items():
                _curve(panel, method, percent * levels, mean, error)
            panel.set_ylabel(f"{score} (%)")
        panels[0, column].set_title(dataset.removesuffix(" (average)"))
        panels[1, column].set_xlabel(label)
    names = panels[0, 0].get_legend_handles_labels()
    figure.legend(*names, loc="outside upper center", ncols=len(datasets))  # as many as fit
    with atomic_path(path) as temporary:
        figure.savefig(temporary, dpi=110, format="png")


def _curve(panel: Any, method: str, x: np.ndarray, mean: np.ndarray, error: np.ndarray) -> None:
    colour, dashes = _STYLES[method]
    panel.plot(x, mean, color=colour, linestyle=dashes, marker="o", markersize=4, label=method)
    panel.fill_between(x, mean - error, mean + error, color=colour, alpha=0.2, linewidth=0)


def _curves(
    results: list[dict], dataset: str, metric: str
) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each method: levels, means over the repetitions, half-widths of 95 % intervals."""
    found: dict[str, dict[float, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in results:
        if row["dataset"] == dataset:
            found[row["method"]][row["noise_level"]].append(row[metric])
    return {method: _summary(levels) for method, levels in found.items()}


def _summary(levels: dict[float, list[float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = sorted(levels)
    values = [np.array(levels[level]) for level in x]
    # One repetition has no spread, and its band no width.
    errors = [1.96 * v.std(ddof=1) / np.sqrt(len(v)) if len(v) > 1 else 0.0 for v in values]
    return np.array(x), np.array([v.mean() for v in values]), np.array(errors)


def _write_suspicion(results: list[dict], path: Path) -> None:
    names = list(dict.fromkeys((row["dataset"], row["method"]) for row in results))
    levels = sorted({row["noise_level"] for row in results} - {0.0})
    header = ["data set", "method"]
    header += [
        f"{kind} {percent * level:g} %" for kind, percent, _ in _KINDS.values() for level in levels
    ]
    rows = []
    for dataset, method in names:
        cells = [
            f"{np.mean(_values(results, dataset, method, level, f'{prefix}auc')):.2f}"
            for prefix in _KINDS
            for level in levels
        ]
        rows.append([dataset, method, *cells])
    with atomic_path(path) as temporary:
        text = "Area under the curve of suspicion against wrong labels, in the training part."
        table = to_markdown(Table("", header, rows, names=2))
        temporary.write_text(f"# Who finds the wrong labels?\n\n{text}\n\n{table}\n", "utf-8")


def _values(
    results: list[dict], dataset: str, method: str, level: float, metric: str
) -> list[float]:
    wanted = dataset, method, level
    return [
        row[metric]
        for row in results
        if (row["dataset"], row["method"], row["noise_level"]) == wanted
    ]
