"""García-Pedrajas and García-Osorio (2011): ensembles of projections, and their claims tested.

Our copy of the paper ends before its experiments, so there are no numbers to compare with: its
abstract claims better accuracy than AdaBoost on 45 data sets, and more robustness to noise. Here
both are put to the test on 24 data sets, with bagging and random forests besides, for each of our
projections.

An exact fraction of the training labels is flipped completely at random; test labels stay clean.
Two stratified folds. All ensembles have a hundred trees; but for the forest's they are C4.5-like:
entropy, two rows in a leaf, and a light pruning so that they make mistakes to learn from. Data sets
of more than 500 rows are cut to 500 at random, anew in each repetition; rows with missing cells are
left out, and classes of fewer than ten rows, which a fold might not hold.
"""

from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from ...ensemble import SupervisedProjectionEnsembleClassifier
from ...stats import wilcoxon_holm
from ...tables import write_table
from .._experiment import Experiment, NoisyTraining, load_complete
from .._report import illustrate_ranks, make_figure, save_figure

ROWS = 500
FEWEST = 10
N_ESTIMATORS = 100
TREE = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, ccp_alpha=0.01)
PROJECTIONS = ("lda", "nda", "nwfe", "hda", "sir", "save", "phd", "nca", "pls", "kda", "mlp")

RIVALS = {"AdaBoost": "#d55e00", "Bagging": "#0072b2", "Random forest": "#009e73"}

Table = dict[str, np.ndarray]  # method -> a number for each data set, in the same order


def load_some(dataset: str, folder: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """At most 500 complete rows, of classes that have ten or more."""
    # Real rows are the same for any seed: 0 lets the cache of load_complete find them again.
    X, y = load_complete(dataset, folder, seed if dataset in ("twonorm", "threenorm") else 0)
    if len(y) > ROWS:
        rows = np.random.RandomState(seed).permutation(len(y))[:ROWS]
        X = X[rows]
        y = y[rows]
    classes, sizes = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[sizes >= FEWEST])
    return X[kept], y[kept]


def make_projection_ensemble(projection: str) -> SupervisedProjectionEnsembleClassifier:
    """The ensemble of the paper with this projection."""
    return SupervisedProjectionEnsembleClassifier(TREE, N_ESTIMATORS, projection=projection)


def illustrate_projections(results: list[dict[str, Any]], folder: Path) -> list[Path]:
    """Ranks at each noise level, the tests of the paper's claims, and accuracy against noise."""
    ranks = illustrate_ranks(results, folder, metric="accuracy_percent")
    claims = write_claims(results, folder / "claims.csv")
    return ranks + claims + plot_robustness(results, folder / "robustness.png")


projections = Experiment(
    name="projections",
    title="García-Pedrajas 2011: projections of misclassified rows",
    datasets={
        name: name
        for name in (
            "breast_w", "crabs", "ctg", "ecoli", "glass", "haberman", "heart_statlog", "ilpd",
            "ionosphere", "iris", "liver_bupa", "parkinsons", "pima", "seeds", "segment", "sonar",
            "spectf", "threenorm", "twonorm", "vehicle", "vertebral3", "waveform21", "wdbc", "wine",
        )
    },
    methods={
        "AdaBoost": AdaBoostClassifier(TREE, n_estimators=N_ESTIMATORS),
        "Bagging": BaggingClassifier(TREE, N_ESTIMATORS),
        "Random forest": RandomForestClassifier(N_ESTIMATORS),
    }
    | {name: make_projection_ensemble(name) for name in PROJECTIONS},
    noise_levels=(0.0, 0.05, 0.1, 0.2),
    repetitions=1,
    metrics=("accuracy_percent",),
    measure=NoisyTraining(split=StratifiedKFold(2, shuffle=True), load=load_some),
    illustrate=illustrate_projections,
    quick={
        "datasets": {name: name for name in ("iris", "wine", "twonorm", "threenorm")},
        "noise_levels": (0.0, 0.2),
    },
)  # fmt: skip


def write_claims(results: list[dict[str, Any]], path: Path) -> list[Path]:
    """Tell which projections are more accurate than a rival, and which ones noise costs less.

    Writes a row for each noise level, claim, projection and rival: the mean over the data sets of
    what is compared, the mean gain on the rival, on how many sets it wins and loses, and the
    p-value of Wilcoxon's test, corrected by Holm for the number of projections. The claims are
    "accuracy" and, above the lowest level, "robustness": minus the points lost since that level.
    """
    tables = collect_accuracies(results)
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


def collect_accuracies(results: list[dict[str, Any]]) -> dict[float, Table]:
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
    tables = collect_accuracies(results)
    if len(tables) < 2:
        return []
    levels = [100 * level for level in tables]
    curves = {m: [float(t[m].mean()) for t in tables.values()] for m in next(iter(tables.values()))}
    figure = make_figure(7.5, 4.5)
    panel = figure.subplots()
    projections = sorted(curves.keys() - RIVALS.keys(), key=lambda m: -fmean(curves[m]))
    for i, method in enumerate(projections):  # the best projection in black, the others in grey
        colour, width, label = ("black", 2.4, f"{method} (best)") if i == 0 else ("#c4c4c4", 1, "")
        panel.plot(levels, curves[method], "-", color=colour, lw=width, label=label, zorder=2 - i)
    heights = move_apart([curves[m][-1] for m in projections], 0.03 * np.diff(panel.get_ylim())[0])
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
    return [save_figure(figure, path, dpi=130)]


def move_apart(heights: list[float], gap: float) -> np.ndarray:
    """Heights of names that keep a gap, in the same order from top to bottom."""
    order = np.argsort(heights)[::-1]
    placed = np.array(heights)[order]
    for i in range(1, len(placed)):
        placed[i] = min(placed[i], placed[i - 1] - gap)
    placed += np.mean(heights) - placed.mean()  # all pushed down alike
    return placed[np.argsort(order)]
