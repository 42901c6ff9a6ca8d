"""Martinez and Gray (2015): peeling noise off before boosting again, tables and figures.

60 % of the rows train, an exact fraction of their labels is flipped, the rest tests; a hundred
times. The labels of the real data sets are first replaced by what a decision tree, fitted to all
rows, says of them, so that none but the flipped labels are wrong. Peeling by linear programs is
told the fraction of flips, as in the paper.

The paper does not state its trees nor how many rounds detect. Gini stumps come nearest to its
AdaBoost; 30 rounds of detection, where margins or votes tell, come nearest to its detection rates,
and 300 where weights or linear programs do. What weighted misclassification and votes find comes
nearest with detecting stumps of least error, what linear programs find with any row that holds the
margin down. See the peelers of :mod:`errata.filters`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.tree import DecisionTreeClassifier

from ... import ensemble, filters
from ...datasets import load_dataset
from ...noise import flip_labels
from .._experiment import Bench, Cell, Experiment, NoisyTraining, Published
from .._report import group_by, make_figure, save_figure

SYNTHETIC = ("twonorm", "threenorm")
PEELED = "AdaBoost after "

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


def load_relabelled(dataset: str, folder: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """300 new rows of a synthetic set; the rows of a real one, labelled by a tree.

    Missing cells become the mean of their column: the fractions of noise found on breast cancer, in
    hundredths of a percent, are possible with 699 rows and not with the 683 complete ones.
    """
    if dataset in SYNTHETIC:
        return load_dataset(dataset, random_state=seed, return_X_y=True)
    return _load_relabelled(dataset, folder)


@lru_cache(maxsize=2)
def _load_relabelled(dataset: str, folder: Any) -> tuple[np.ndarray, np.ndarray]:
    X, y = load_dataset(dataset, folder=folder, return_X_y=True)
    X = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    tree = DecisionTreeClassifier(min_samples_split=10, random_state=0)
    return X, tree.fit(X, y).predict(X)


@dataclass
class SixtyForty:
    """One split into training rows and test rows."""

    random_state: int | None = None

    def split(self, X: np.ndarray, y: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Training rows and test rows."""
        rows = np.random.RandomState(self.random_state).permutation(len(y))
        n_train = count_training_rows(len(y))
        yield rows[:n_train], rows[n_train:]


def count_training_rows(n: int) -> int:
    """60 % of the rows, to the nearest."""
    return round(0.6 * n)


def flip_fraction(y: np.ndarray, level: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Flip that fraction of the labels, rounded up."""
    return flip_labels(y, n_flips=count_flips(level, len(y)), random_state=seed)


def count_flips(level: float, n: int) -> int:
    """How many of ``n`` labels this fraction is, rounded up."""
    return int(np.ceil(level * n - 1e-9))


def score(model: Any, X: np.ndarray, y: np.ndarray, flipped: np.ndarray) -> dict[str, float]:
    """Test error, also after part of the rounds, and what was peeled.

    False positives are counted per training row, as the paper does.
    """
    stages = [100 * float(np.mean(codes != y)) for codes in model.staged_predict(X)]
    found = {"test_error_percent": stages[-1]}
    detected = false = float("nan")
    if isinstance(model, filters.FilteredClassifier):
        peeled = np.ones(len(flipped), dtype=bool)
        peeled[model.filter_.sample_indices_] = False
        detected = 100 * float(peeled[flipped].mean()) if flipped.any() else float("nan")
        false = 100 * float((peeled & ~flipped).mean())
    found |= {"noise_detected_percent": detected, "false_positive_rate_percent": false}
    return found | {f"error_after_{t}": stages[min(t, len(stages)) - 1] for t in ROUNDS}


class ToldTheLevel(NoisyTraining):
    """Tells peeling by linear programs how many labels were flipped."""

    def __call__(
        self, cell: Cell, estimator: BaseEstimator, dataset: str, bench: Bench
    ) -> dict[str, float]:
        """As in :class:`NoisyTraining`."""
        if isinstance(getattr(estimator, "filter", None), filters.LinearProgramPeeler):
            n = count_training_rows(len(load_relabelled(dataset, bench.folder, 0)[1]))
            fraction = count_flips(cell.noise_level or 0.0, n) / n
            estimator = clone(estimator).set_params(filter__contamination=fraction)
        return super().__call__(cell, estimator, dataset, bench)


def boost_after(peeler: Any) -> filters.FilteredClassifier:
    """AdaBoost of Gini stumps on what a peeler leaves."""
    return filters.FilteredClassifier(peeler, ensemble.DiscreteAdaBoostClassifier())


def plot_rounds(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Error against rounds: a panel for each of figures 1 to 11 whose set and level were run."""
    curves = compute_mean_curves(results)
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
    figure = make_figure(4.2 * n_columns, 3.1 * n_rows + 0.8)
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for panel, (title, of_panel) in zip(panels, shown, strict=False):
        _draw(panel, title, of_panel)
    for panel in panels[len(shown) :]:
        panel.remove()
    figure.supxlabel("rounds")
    figure.supylabel("test error (%)")
    most = max(panels[: len(shown)], key=lambda panel: len(panel.lines))
    figure.legend(*most.get_legend_handles_labels(), loc="outside upper center", ncols=5)
    return [save_figure(figure, folder / "rounds.png", dpi=130)]


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


def compute_mean_curves(
    results: list[dict[str, Any]],
) -> dict[tuple[str, float, str], np.ndarray]:
    """Mean test error after each of ``ROUNDS``, for each data set, level and method."""
    return {
        key: np.mean([[row[f"error_after_{t}"] for t in ROUNDS] for row in rows], axis=0)
        for key, rows in group_by(results, "dataset", "noise_level", "method").items()
    }


peeling = Experiment(
    name="peeling",
    title="Martinez and Gray 2015: noise peeling",
    datasets={
        "glass": "glass_window",
        "crab": "crabs",
        "breast_cancer": "breast_w",
        "ionosphere": "ionosphere",
        "sonar": "sonar",
        "twonorm": "twonorm",
        "threenorm": "threenorm",
    },
    methods={
        "AdaBoost": ensemble.DiscreteAdaBoostClassifier(),
        "LogitBoost": ensemble.LogitBoostClassifier(),
        "GentleBoost": ensemble.GentleBoostClassifier(),
        "RobustBoost": ensemble.RobustBoostClassifier(),
        PEELED + "MP": boost_after(filters.MarginPeeler()),
        PEELED + "WMP": boost_after(filters.MisclassificationPeeler(criterion="error")),
        PEELED + "DWP": boost_after(filters.WeightPeeler()),
        PEELED + "LPP": boost_after(filters.LinearProgramPeeler(strategy="support")),
        PEELED + "MVP": boost_after(filters.VotePeeler(criterion="error")),
    },
    noise_levels=(0.0, 0.01, 0.05, 0.1, 0.2),
    repetitions=100,
    metrics=(
        "test_error_percent",
        "noise_detected_percent",
        "false_positive_rate_percent",
        *(f"error_after_{t}" for t in ROUNDS),
    ),
    measure=ToldTheLevel(
        split=SixtyForty(), inject=flip_fraction, load=load_relabelled, score=score
    ),
    published=Published("martinez_gray_2015_peeling", repetitions=100),
    illustrate=plot_rounds,
    quick={
        "datasets": {"twonorm": "twonorm", "threenorm": "threenorm"},
        "noise_levels": (0.0, 0.1, 0.2),
        "repetitions": 6,
    },
)
