"""What the study of failures found: a table beside the published numbers, and pictures."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..._files import atomic_path
from ...feature_selection.information import failure_statistics, loss_bound
from ...feature_selection.information._failures import FailureHistogram
from .._figure import new_figure
from .._present import Table, to_markdown
from .._published import load_published
from ..figures import plot_information_failures

BINS = 20
COUNTS = ("features", "pairs", "failures")
_PAIRS_DRAWN = 20_000  # for the points of the pictures
_PER_PAIR, _PER_FEATURE = "#0072B2", "#D55E00"


def count_name(what: str, of: str, place: int) -> str:
    """Column of the results with the number of features, pairs or failures in a bin."""
    return f"{what}_by_{of}_{place}"


def write_failures(results: list[dict[str, Any]], path: Path) -> Path:
    """Rates and losses of each setting beside the published ones."""
    groups = defaultdict(list)
    for row in results:
        groups[row["dataset"]].append(row)
    theirs = _published()
    header = [
        *("setting", "failing pairs", "published_convention", "published", "95% loss", "published"),
        *("of unequal", "mean gap", "mean information", "mean error"),
        *("outside bounds", "losses above bound"),
    ]
    rows = [[name, *_cells(group, theirs.get(name, {}))] for name, group in groups.items()]
    text = "Rates and losses in percent, information in bits.\n\n"
    table = to_markdown(Table("", header, rows, names=1))
    with atomic_path(path) as temporary:
        temporary.write_text(f"# Failures\n\n{text}{table}\n", encoding="utf-8")
    return path


def _published() -> dict[str, dict[str, float]]:
    """Printed numbers by setting and metric; of random problems the paper says "about 20 %"."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for row in load_published("frenay_2013_07_failures"):
        found[row["dataset"]][row["metric"]] = row["mean"]
    about = next(
        row["value"]
        for row in load_published("frenay_2013_mi_examples")
        if row["quantity"].startswith("fraction of random problem pairs")
    )
    for name in ("random, 2 values", "random, 4 values", "random, own priors"):
        found[name]["published_convention"] = about
    return found


def _cells(group: list[dict[str, Any]], theirs: Mapping[str, float]) -> list[str]:
    mean = {name: np.mean([row[name] for row in group]) for name in list(group[0])[4:]}
    beside = [
        text
        for name in ("published_convention", "loss_95_percent")
        for text in (f"{mean[name]:.2f}", f"{theirs[name]:g}" if name in theirs else "-")
    ]
    sums = (sum(row[name] for row in group) for name in ("outside_bounds", "losses_above_bound"))
    return [
        f"{mean['failures_percent']:.2f}",
        *beside,
        f"{mean['failures_of_unequal_percent']:.2f}",
        f"{mean['mean_gap']:.4f}",
        f"{mean['mean_information']:.4f}",
        f"{mean['mean_error']:.4f}",
        *("-" if np.isnan(number) else f"{number:.0f}" for number in sums),
    ]


def draw_study(
    results: list[dict[str, Any]], settings: Mapping[str, Any], path: Path
) -> list[Path]:
    """Four panels for each setting that was run: points, two histograms, losses."""
    run = {row["dataset"] for row in results}
    names = [name for name in settings if name in run]
    if not names:
        return []
    figure = new_figure(4.4 * len(names), 13)
    for column, name in zip(figure.subplots(4, len(names), squeeze=False).T, names, strict=True):
        _draw_setting(column, name, settings[name], [r for r in results if r["dataset"] == name])
    with atomic_path(path) as temporary:
        figure.savefig(temporary, dpi=110)
    return [path]


def _draw_setting(panels: np.ndarray, name: str, setting: Any, rows: list[dict[str, Any]]) -> None:
    features = setting.draw(_PAIRS_DRAWN, random_state=0)
    rules = {"min_gap": setting.min_gap, "min_loss": setting.min_loss}
    plot_information_failures(features, n_classes=setting.n_classes, **rules, ax=panels[0])
    panels[0].set_title(name)
    words = {"information": "mutual information (bits)", "error": "probability of error"}
    for panel, of in zip(panels[1:3], words, strict=True):
        low, high = getattr(setting, of)
        _draw_probability(panel, histogram_of(rows, of, np.linspace(low, high, BINS + 1)))
        panel.set(xlabel=f"{words[of]} of the feature taken", ylabel="failures (%)")
    _draw_losses(panels[3], features, setting.n_classes, rules)


def histogram_of(rows: list[dict[str, Any]], of: str, edges: np.ndarray) -> FailureHistogram:
    """The histograms of all repetitions, added up."""
    counts = ([sum(r[count_name(w, of, i)] for r in rows) for i in range(BINS)] for w in COUNTS)
    return FailureHistogram(edges, *map(np.array, counts))


def _draw_probability(panel: Any, histogram: FailureHistogram) -> None:
    middles = (histogram.edges[1:] + histogram.edges[:-1]) / 2
    # A bin of a few pairs says nothing of a probability.
    per_pair = np.where(histogram.pairs >= 100, histogram.probability(), np.nan)
    per_feature = np.where(histogram.features >= 100, histogram.published_convention(), np.nan)
    panel.plot(middles, 100 * per_pair, "o-", ms=3, color=_PER_PAIR, label="per pair")
    panel.plot(
        middles, 100 * per_feature, "s--", ms=3, color=_PER_FEATURE, label="per feature (published)"
    )
    panel.set(ylim=(0, None))
    panel.legend(fontsize="small")


def _draw_losses(panel: Any, features: Any, n_classes: int, rules: dict[str, float]) -> None:
    found = failure_statistics(features.mutual_information, features.error, **rules)
    taken = features.mutual_information.max(axis=1)[found.failing]
    grid = np.linspace(0, np.log2(n_classes), 301)
    panel.plot(grid, 100 * loss_bound(grid, grid[-1], n_classes), color="black", label="bound")
    panel.plot(
        taken, 100 * found.losses, ".", ms=3, alpha=0.5, color=_PER_FEATURE, label="failures"
    )
    panel.set(xlabel="mutual information (bits) of the feature taken", ylabel="loss (points)")
    panel.set(xlim=(0, grid[-1]), ylim=(0, None))
    panel.legend(fontsize="small")
