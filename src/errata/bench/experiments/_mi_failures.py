"""Frénay, Doquire and Verleysen (2012, 2013): how often information takes the worse feature.

Pairs of random features whose information and least error are known: discrete ones of two classes
(section 4 of the study of 2013), Gaussian ones of three (section 5), and the random problems of the
paper of 2012. A pair fails when the feature with more information is wrong more often.

The six rates printed are half of what that definition gives. So the column to compare with them,
``published_convention``, holds failures per feature and not per pair: see the page about it.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from ...feature_selection.information import (
    FailureHistogram,
    FailureStatistics,
    FeatureInformation,
    compute_most_entropy,
    failure_statistics,
    loss_bound,
    sample_discrete_features,
    sample_gaussian_features,
    sample_random_problems,
)
from .._experiment import Bench, Cell, Experiment, Published, load_published
from .._report import group_by, make_figure, make_table, save_figure, to_markdown, write_page
from ..figures import plot_information_failures

_ROUNDING = 1e-9

BINS = 20
COUNTS = ("features", "pairs", "failures")
_PAIRS_DRAWN = 20_000  # for the points of the pictures
_PER_PAIR = "#0072B2"
_PER_FEATURE = "#D55E00"

METRICS = (
    "failures_percent",
    "published_convention",
    "failures_of_unequal_percent",
    "loss_95_percent",
    "mean_gap",
    "mean_information",
    "mean_error",
    "outside_bounds",
    "losses_above_bound",
)


class Setting(NamedTuple):
    """How pairs are drawn, which failures count, and where the bins of the pictures lie."""

    draw: Callable[..., FeatureInformation]
    n_classes: int = 2
    min_gap: float = 0.0
    min_loss: float = 0.0
    information: tuple[float, float] = (0.0, 1.0)
    error: tuple[float, float] = (0.0, 0.5)


def _make_gaussian(
    separation: float, information: tuple[float, float], error: tuple[float, float]
) -> Setting:
    draw = partial(sample_gaussian_features, separation=separation)
    return Setting(draw, 3, 0.01, 0.001, information, error)


def _make_discrete(
    n_values: int, alpha: float, information: Any = (0, 1), error: Any = (0, 0.5)
) -> Any:
    draw = partial(sample_discrete_features, n_values=n_values, alpha=alpha)
    return Setting(draw, information=information, error=error)


DISCRETE = {
    "discrete m=2 alpha=4": _make_discrete(2, 4, (0, 0.4), (0.1, 0.5)),
    "discrete m=8 alpha=1": _make_discrete(8, 1, (0, 0.8), (0, 0.5)),
    "discrete m=128 alpha=0.06": _make_discrete(128, 0.06, (0.4, 1), (0, 0.25)),
}
CONTINUOUS = {
    "continuous A=0.5": _make_gaussian(0.5, (0, 1.2), (0.1, 0.65)),
    "continuous A=2": _make_gaussian(2, (0.2, 1.585), (0, 0.5)),
    "continuous A=4": _make_gaussian(4, (0.6, 1.585), (0, 0.35)),
}
RANDOM = {
    "random, 2 values": Setting(sample_random_problems),
    "random, 4 values": Setting(partial(sample_random_problems, n_values=4)),
    "random, own priors": Setting(partial(sample_random_problems, shared_prior=False)),
}
SETTINGS = DISCRETE | CONTINUOUS | RANDOM


class MoreInformation(BaseEstimator):
    """Take the feature with more information: the one method of this experiment."""


def measure_failures(
    cell: Cell, _: Any, __: None, bench: Bench, *, n_pairs: int = 100_000
) -> dict[str, float]:
    """Draw pairs and count failures: rates in percent, means in bits, and the counts of bins."""
    setting = SETTINGS[cell.dataset]
    seed = bench.seed_of(cell.dataset, cell.repetition)
    features = setting.draw(n_pairs, random_state=seed)
    found = compute_statistics(features, setting)
    chosen = features.mutual_information.max(axis=1)[found.failing]
    rate = 100 * found.failure_rate
    return {
        "failures_percent": rate,
        "published_convention": 100 * found.published_convention,
        "failures_of_unequal_percent": rate / (1 - found.tie_rate),
        "loss_95_percent": 100 * found.loss_95,
        "mean_gap": float(found.gaps.mean()) if len(found.gaps) else np.nan,
        "mean_information": float(features.mutual_information.mean()),
        "mean_error": float(features.error.mean()),
        "outside_bounds": count_outside_bounds(features, setting.n_classes),
        "losses_above_bound": _count_above_bound(chosen, found.losses, cell.dataset),
        **_make_counts("information", found.by_information),
        **_make_counts("error", found.by_error),
    }


def compute_statistics(features: FeatureInformation, setting: Setting) -> FailureStatistics:
    """Failures that count in a setting, in its bins."""
    return failure_statistics(
        features.mutual_information,
        features.error,
        setting.min_gap,
        setting.min_loss,
        information_bins=np.linspace(*setting.information, BINS + 1),
        error_bins=np.linspace(*setting.error, BINS + 1),
    )


def count_outside_bounds(features: FeatureInformation, n_classes: int) -> int:
    """How many features Fano or Hellman and Raviv say cannot be: none, if all is right."""
    entropy = features.conditional_entropy
    error = features.error
    below = entropy > compute_most_entropy(error, n_classes) + _ROUNDING
    return int((below | (error > entropy / 2 + _ROUNDING)).sum())


def _count_above_bound(information: np.ndarray, losses: np.ndarray, dataset: str) -> float:
    """Losses that exceed their bound; not known where priors, and so their entropies, differ."""
    if dataset in RANDOM:
        return np.nan
    n_classes = SETTINGS[dataset].n_classes
    return float(
        (losses > loss_bound(information, np.log2(n_classes), n_classes) + _ROUNDING).sum()
    )


def _make_counts(of: str, histogram: FailureHistogram) -> dict[str, float]:
    return {
        count_name(what, of, place): float(number)
        for what in COUNTS
        for place, number in enumerate(getattr(histogram, what))
    }


def illustrate_failures(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """The table beside the published numbers, and a picture of each of both studies."""
    files = [write_failures(results, folder / "failures.md")]
    for name, settings in (("discrete", DISCRETE), ("continuous", CONTINUOUS)):
        files += draw_study(results, settings, folder / f"{name}.png")
    return files


def count_name(what: str, of: str, place: int) -> str:
    """Column of the results with the number of features, pairs or failures in a bin."""
    return f"{what}_by_{of}_{place}"


mi_failures = Experiment(
    name="mi-failures",
    title="Frénay and others 2012, 2013: where mutual information takes the worse feature",
    datasets=dict.fromkeys(SETTINGS),
    methods={"mutual information": MoreInformation()},
    metrics=(
        *METRICS,
        *(
            count_name(w, of, i)
            for of in ("information", "error")
            for w in COUNTS
            for i in range(BINS)
        ),
    ),
    measure=measure_failures,
    repetitions=10,  # of 100,000 pairs each: the million of the paper
    published=Published("frenay_2013_07_failures", repetitions=10),
    illustrate=illustrate_failures,
    quick={"repetitions": 2, "measure": partial(measure_failures, n_pairs=20_000)},
)


def write_failures(results: list[dict[str, Any]], path: Path) -> Path:
    """Rates and losses of each setting beside the published ones."""
    theirs = _read_published()
    header = [
        *("setting", "failing pairs", "published_convention", "published", "95% loss", "published"),
        *("of unequal", "mean gap", "mean information", "mean error"),
        *("outside bounds", "losses above bound"),
    ]
    rows = [
        [name, *_format_cells(group, theirs.get(name, {}))]
        for name, group in group_by(results, "dataset").items()
    ]
    text = "Rates and losses in percent, information in bits."
    return write_page(path, "Failures", text, to_markdown(make_table("", header, rows)))


def _read_published() -> dict[str, dict[str, float]]:
    """Printed numbers by setting and metric; of random problems the paper says "about 20 %"."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for row in load_published("frenay_2013_07_failures"):
        found[row["dataset"]][row["metric"]] = row["mean"]
    about = next(
        row["value"]
        for row in load_published("frenay_2013_mi_examples")
        if row["quantity"].startswith("fraction of random problem pairs")
    )
    for name in RANDOM:
        found[name]["published_convention"] = about
    return found


def _format_cells(group: list[dict[str, Any]], theirs: Mapping[str, float]) -> list[str]:
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
    by_dataset = group_by(results, "dataset")
    names = [name for name in settings if name in by_dataset]
    if not names:
        return []
    figure = make_figure(4.4 * len(names), 13)
    for column, name in zip(figure.subplots(4, len(names), squeeze=False).T, names, strict=True):
        _draw_setting(column, name, settings[name], by_dataset[name])
    return [save_figure(figure, path, dpi=110)]


def _draw_setting(panels: np.ndarray, name: str, setting: Any, rows: list[dict[str, Any]]) -> None:
    features = setting.draw(_PAIRS_DRAWN, random_state=0)
    rules = {"min_gap": setting.min_gap, "min_loss": setting.min_loss}
    plot_information_failures(features, n_classes=setting.n_classes, **rules, ax=panels[0])
    panels[0].set_title(name)
    words = {"information": "mutual information (bits)", "error": "probability of error"}
    for panel, of in zip(panels[1:3], words, strict=True):
        low, high = getattr(setting, of)
        _draw_probability(panel, sum_histograms(rows, of, np.linspace(low, high, BINS + 1)))
        panel.set(xlabel=f"{words[of]} of the feature taken", ylabel="failures (%)")
    _draw_losses(panels[3], features, setting.n_classes, rules)


def sum_histograms(rows: list[dict[str, Any]], of: str, edges: np.ndarray) -> FailureHistogram:
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
