"""Martinez and Gray (2015), figures 1 to 11: test error against the number of rounds."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from .._figure import new_figure

ROUNDS = (1, 3, 10, 20, 30, 60, 100, 150, 200, 300)
BOOSTERS = ("AdaBoost", "LogitBoost", "GentleBoost", "RobustBoost")
# Data set, noise level, and what is added to the four boosters.
FIGURES: tuple[tuple[str, float, tuple[str, ...]], ...] = (
    ("twonorm", 0.1, ()),
    ("glass", 0.05, ("AdaBoost after MP",)),
    ("sonar", 0.05, ("AdaBoost after MP",)),
    ("threenorm", 0.1, ("AdaBoost after WMP",)),
    ("crab", 0.05, ("AdaBoost after WMP",)),
    ("crab", 0.2, ("AdaBoost after DWP",)),
    ("breast_cancer", 0.1, ("AdaBoost after DWP",)),
    ("breast_cancer", 0.01, ("AdaBoost after LPP",)),
    ("ionosphere", 0.2, ("AdaBoost after LPP",)),  # the level is cut off in the caption
    ("crab", 0.1, ("AdaBoost after MVP",)),
    ("glass", 0.1, ("AdaBoost after MVP",)),
)
COLOURS = dict(zip(BOOSTERS, ("#0072b2", "#009e73", "#cc79a7", "#999999"), strict=True))


def plot_curves(results: list[dict[str, Any]], path: Path) -> list[Path]:
    """A panel for each of the paper's figures whose data set and level were run."""
    curves = mean_curves(results)
    shown = [
        (f"Fig. {number}: {dataset}, {level:.0%}", {m: curves[dataset, level, m] for m in methods})
        for number, (dataset, level, added) in enumerate(FIGURES, start=1)
        for methods in [(*BOOSTERS, *added)]
        if all((dataset, level, method) in curves for method in methods)
    ]
    if not shown:
        return []
    n_columns = min(3, len(shown))
    n_rows = -(-len(shown) // n_columns)
    figure = new_figure(4.2 * n_columns, 3.1 * n_rows + 0.8)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for panel, (title, of_panel) in zip(panels, shown, strict=False):
        _draw(panel, title, of_panel)
    for panel in panels[len(shown) :]:
        panel.remove()
    figure.supxlabel("rounds")
    figure.supylabel("test error (%)")
    most = max(panels[: len(shown)], key=lambda panel: len(panel.lines))
    figure.legend(*most.get_legend_handles_labels(), loc="outside upper center", ncols=5)
    figure.savefig(path, dpi=130)
    return [path]


def _draw(panel: Any, title: str, curves: dict[str, np.ndarray]) -> None:
    for method, curve in curves.items():
        if method in COLOURS:
            panel.plot(ROUNDS, curve, label=method, color=COLOURS[method], linewidth=1.4)
        else:
            title += f", {method.removeprefix('AdaBoost after ')}"
            panel.plot(ROUNDS, curve, label="after peeling", color="#d55e00", linewidth=2.4)
    panel.set(title=title, xscale="log")
    panel.set_xticks(ROUNDS[::3], map(str, ROUNDS[::3]))
    panel.minorticks_off()


def mean_curves(
    results: list[dict[str, Any]],
) -> dict[tuple[str, float, str], np.ndarray]:
    """Mean test error after each of ``ROUNDS``, for each data set, level and method."""
    found = defaultdict(list)
    for row in results:
        key = row["dataset"], row["noise_level"], row["method"]
        found[key].append([row[f"error_after_{t}"] for t in ROUNDS])
    return {key: np.mean(values, axis=0) for key, values in found.items()}
