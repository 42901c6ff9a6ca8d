"""Walmsley (2017), sections 4.2.2 and 4.2.3: the hardness of wrong labels and of right ones."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from .._figure import new_figure

GROUPS = ("clean", "noisy")
SUMMARY = ("mean", "std", "min", "q1", "median", "q3", "max")
METRICS = tuple(f"{group}_hardness_{number}" for group in GROUPS for number in SUMMARY)
SHOWN = ("wdbc", "ionosphere", "ecoli", "vowel")  # the sets of figures 4.2.7 to 4.2.14
BOX_LEVEL = 0.1
COLOURS = {"clean": "#0072b2", "noisy": "#d55e00"}


def hardness_summary(hardness: np.ndarray | None, flipped: np.ndarray) -> dict[str, float]:
    """Mean, spread and quartiles of the hardness of clean and noisy rows; nan for no rows."""
    found = dict.fromkeys(METRICS, float("nan"))
    if hardness is None:
        return found
    for group, rows in zip(GROUPS, (~flipped, flipped), strict=True):
        if rows.any():
            h = hardness[rows]
            numbers = (h.mean(), h.std(), *np.quantile(h, [0, 0.25, 0.5, 0.75, 1]))
            names = (f"{group}_hardness_{number}" for number in SUMMARY)
            found |= dict(zip(names, map(float, numbers), strict=True))
    return found


def plot_hardness(results: list[dict[str, Any]], path: Path) -> list[Path]:
    """Hardness by noise level, and boxes at 10 % noise, for those of the paper's sets that ran."""
    summaries = _by_dataset(results)
    datasets = [name for name in SHOWN if name in summaries]
    if not datasets:
        return []
    figure = new_figure(3.2 * len(datasets) + 0.6, 6.2)
    axes = figure.subplots(2, len(datasets), squeeze=False, sharey=True)
    for (curve, box), name in zip(axes.T, datasets, strict=True):
        _draw_curves(curve, summaries[name])
        _draw_boxes(box, summaries[name])
        curve.set_title(name)
    axes[0, 0].set_ylabel("kDN hardness (mean ± standard deviation)")
    level = _box_level(summaries[datasets[0]])
    axes[1, 0].set_ylabel(f"kDN hardness at {level:.0%} noise")
    axes[0, 0].legend(loc="lower right")
    figure.savefig(path, dpi=150)
    return [path]


def _by_dataset(results: list[dict[str, Any]]) -> dict[str, dict[float, dict[str, float]]]:
    """For each data set and noise level with wrong labels, the means of all numbers."""
    # Quartiles are averaged over the repetitions, as results hold no single rows.
    rows: dict[str, dict] = defaultdict(lambda: defaultdict(list))
    for row in results:
        if row["noisy_hardness_mean"] == row["noisy_hardness_mean"]:  # not nan
            rows[row["dataset"]][row["noise_level"]].append([row[name] for name in METRICS])
    return {
        dataset: {
            level: dict(zip(METRICS, np.mean(values, axis=0), strict=True))
            for level, values in levels.items()
        }
        for dataset, levels in rows.items()
    }


def _box_level(levels: dict[float, dict[str, float]]) -> float:
    """The paper's level, or the lowest that ran."""
    return BOX_LEVEL if BOX_LEVEL in levels else min(levels)


def _draw_curves(axis: Any, levels: dict[float, dict[str, float]]) -> None:
    for group, marker in zip(GROUPS, "os", strict=True):
        means = [numbers[f"{group}_hardness_mean"] for numbers in levels.values()]
        spreads = [numbers[f"{group}_hardness_std"] for numbers in levels.values()]
        x = [100 * level + (1 if group == "noisy" else -1) for level in levels]  # side by side
        axis.errorbar(
            x, means, spreads, marker=marker, color=COLOURS[group], capsize=3, label=f"{group} rows"
        )
    axis.set(xlabel="noise (%)", ylim=(-0.1, 1.1), xticks=[100 * level for level in levels])


def _draw_boxes(axis: Any, levels: dict[float, dict[str, float]]) -> None:
    level = _box_level(levels)
    boxes = []
    for group in GROUPS:
        numbers = {name: levels[level][f"{group}_hardness_{name}"] for name in SUMMARY}
        boxes.append(
            {"whislo": numbers["min"], "q1": numbers["q1"], "med": numbers["median"],
             "q3": numbers["q3"], "whishi": numbers["max"], "label": f"{group} rows"}
        )  # fmt: skip
    drawn = axis.bxp(boxes, showfliers=False, patch_artist=True, widths=0.5)
    for box, group in zip(drawn["boxes"], GROUPS, strict=True):
        box.set_facecolor(COLOURS[group])
        box.set_alpha(0.5)
    for median in drawn["medians"]:
        median.set(color="black", linewidth=2)
