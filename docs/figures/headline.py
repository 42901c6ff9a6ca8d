"""The picture of the front page: errata and its peers on sets that chose nothing.

Average precision of the ranking, and expected calibration error of what is said of each row, from
`benchmarks/results/detection.csv` (`benchmarks/detection.py detect --sets unseen --rows 1000
--no-self-check`). A dot is the mean over the sets. Sets differ more than methods do, so a line is
the 95 % interval of the difference to errata on the same sets: one that does not reach errata's
dot is a difference beyond chance.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

HERE = Path(__file__).parent
RESULTS = HERE.parents[1] / "benchmarks" / "results" / "detection.csv"
PANELS = {"ap": "Average precision, higher is better", "ece": "Calibration error, lower is better"}
NAMES = {
    "ensemble": "cleanlab, mean of three models",
    "forest": "cleanlab, forest",
    "boosting": "cleanlab, boosting",
    "logistic": "cleanlab, logistic regression",
}
OURS, THEIRS = "#0072b2", "#8c8c8c"


def draw() -> None:
    """Write headline.png."""
    table = pd.read_csv(RESULTS)
    table = table[table["kind"] != "clean"]
    figure, axes = plt.subplots(1, 2, figsize=(11, 3.4), layout="constrained")
    for axis, (measure, title) in zip(axes, PANELS.items(), strict=True):
        draw_panel(axis, by_method(table, measure), title)
    figure.savefig(HERE / "headline.png", dpi=110)
    plt.close(figure)


def by_method(table: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Mean of each set (rows) for each method (columns), the best last."""
    sets = table.pivot_table(index="dataset", columns="method", values=measure).dropna(axis=1)
    better = sets.mean() * (-1 if measure == "ece" else 1)
    best = better.groupby(name_of).idxmax()  # of cleanlab's three scores of one model
    best = best.loc[better[best].set_axis(best.index).sort_values().index]
    return sets[best].set_axis(best.index, axis=1)


def name_of(method: str) -> str:
    """What the picture calls it."""
    maker, _, rest = method.partition(" ")
    return NAMES[rest.split()[0]] if maker == "cleanlab" else method


def draw_panel(axis: plt.Axes, sets: pd.DataFrame, title: str) -> None:
    """A dot for each method, and how far its mean may be from errata's."""
    ours = sets["errata"].mean()
    for place, (method, values) in enumerate(sets.items()):
        color = OURS if method == "errata" else THEIRS
        low, high = interval((values - sets["errata"]).to_numpy())
        axis.plot([ours + low, ours + high], [place, place], color=color, lw=2)
        axis.plot(values.mean(), place, "o", color=color, ms=7)
    axis.axvline(ours, color=OURS, lw=0.8, ls=":")
    axis.set_yticks(range(sets.shape[1]), sets.columns)
    axis.set_title(title, loc="left", fontsize=11)
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(axis="x", alpha=0.3)


def interval(differences: np.ndarray, draws: int = 5000) -> np.ndarray:
    """95 % of the means of sets drawn with replacement."""
    drawn = np.random.default_rng(0).choice(differences, (draws, len(differences)))
    return np.quantile(drawn.mean(axis=1), [0.025, 0.975])
