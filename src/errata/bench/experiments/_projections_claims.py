"""The claims of García-Pedrajas and García-Osorio (2011), tested on the results of a run."""

from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from ...stats import wilcoxon_holm
from ...tables import write_table
from .._figure import new_figure

RIVALS = {"AdaBoost": "#d55e00", "Bagging": "#0072b2", "Random forest": "#009e73"}

Table = dict[str, np.ndarray]
"""Method -> a number for each data set, in the same order."""


def write_claims(results: list[dict[str, Any]], path: Path) -> list[Path]:
    """Tell which projections are more accurate than a rival, and which ones noise costs less.

    Writes a row for each noise level, claim, projection and rival: the mean over the data sets of
    what is compared, the mean gain on the rival, on how many sets it wins and loses, and the
    p-value of Wilcoxon's test, corrected by Holm for the number of projections. The claims are
    "accuracy" and, above the lowest level, "robustness": minus the points lost since that level.
    """
    tables = accuracies(results)
    rows = []
    for level, scores in tables.items():
        rows += _compare({"noise_level": level, "claim": "accuracy"}, scores)
        if level != min(tables):
            lost = {m: scores[m] - tables[min(tables)][m] for m in scores}
            rows += _compare({"noise_level": level, "claim": "robustness"}, lost)
    if not rows:
        return []
    write_table(path, {name: [row[name] for row in rows] for name in rows[0]})
    return [path]


def accuracies(results: list[dict[str, Any]]) -> dict[float, Table]:
    """Mean accuracy of each method on each data set, for each noise level from the lowest."""
    cells: dict[float, dict] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for row in results:
        cells[row["noise_level"]][row["method"]][row["dataset"]].append(row["accuracy_percent"])
    # Results are in the order of the grid, so that the data sets of all methods are in one order.
    return {
        level: {m: np.array([fmean(v) for v in of_sets.values()]) for m, of_sets in methods.items()}
        for level, methods in sorted(cells.items())
    }


def _compare(what: dict[str, Any], values: Table) -> list[dict[str, Any]]:
    """Each projection against each rival; nothing with one data set, which proves nothing."""
    projections = [method for method in values if method not in RIVALS]
    if not projections or len(values[projections[0]]) < 2:
        return []
    rows = []
    for rival in [rival for rival in RIVALS if rival in values]:
        columns = np.column_stack([values[m] for m in [rival, *projections]])
        # Against the rival alone: the paper makes no claim about one projection and another.
        p_values = wilcoxon_holm(columns, control=0).p_values[0, 1:]
        for method, p_value in zip(projections, p_values, strict=True):
            gain = values[method] - values[rival]
            rows.append(
                what
                | {"method": method, "mean": float(values[method].mean()), "rival": rival}
                | {"rival_mean": float(values[rival].mean()), "gain": float(gain.mean())}
                | {"wins": int((gain > 0).sum()), "losses": int((gain < 0).sum())}
                | {"p_value": float(p_value)}
            )
    return sorted(rows, key=lambda row: (row["rival"], -row["gain"]))


def plot_robustness(results: list[dict[str, Any]], path: Path) -> list[Path]:
    """Mean accuracy over the data sets against noise; nothing with a single noise level."""
    tables = accuracies(results)
    if len(tables) < 2:
        return []
    levels = [100 * level for level in tables]
    curves = {m: [float(t[m].mean()) for t in tables.values()] for m in next(iter(tables.values()))}
    figure = new_figure(7.5, 4.5)
    panel = figure.subplots()
    projections = sorted(curves.keys() - RIVALS.keys(), key=lambda m: -fmean(curves[m]))
    for i, method in enumerate(projections):  # the best projection in black, the others in grey
        colour, width, label = ("black", 2.4, f"{method} (best)") if i == 0 else ("#c4c4c4", 1, "")
        panel.plot(levels, curves[method], "-", color=colour, lw=width, label=label, zorder=2 - i)
    heights = apart([curves[m][-1] for m in projections], 0.03 * np.diff(panel.get_ylim())[0])
    for method, height in zip(projections, heights, strict=True):
        x = 1.02 * levels[-1] - 0.02 * levels[0]
        panel.text(x, height, method, fontsize=7, color="#777777", va="center")
    for method, colour in RIVALS.items():
        if method in curves:
            panel.plot(levels, curves[method], "o-", color=colour, lw=2, label=method, zorder=3)
    panel.legend(frameon=False)
    panel.set_xlabel("wrong training labels (%)")
    panel.set_ylabel("mean accuracy (%)")
    panel.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)
    return [path]


def apart(heights: list[float], gap: float) -> np.ndarray:
    """Heights of names that keep a gap, in the same order from top to bottom."""
    order = np.argsort(heights)[::-1]
    placed = np.array(heights)[order]
    for i in range(1, len(placed)):
        placed[i] = min(placed[i], placed[i - 1] - gap)
    placed += np.mean(heights) - placed.mean()  # all pushed down alike
    return placed[np.argsort(order)]
