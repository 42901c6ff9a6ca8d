"""Two moons with wrong labels, seen by twelve measures: draws docs/figures/hardness.png.

Run it with `python examples/hardness_moons.py`, with the `report` extra installed.
"""

from pathlib import Path

import matplotlib.pyplot as plt  # noqa: TID251
from scipy.stats import rankdata
from sklearn.datasets import make_moons
from sklearn.metrics import average_precision_score

from errata import hardness
from errata.noise import flip_labels

MEASURES = {
    "neighbours (kDN)": hardness.NeighborDisagreement(),
    "classifiers (IH)": hardness.InstanceHardness(random_state=0),
    "class likelihood (CL)": hardness.ClassLikelihood(),
    "fraction of the pruned leaf (DCP)": hardness.DisjunctClassPercentage(random_state=0),
    "size of the full leaf (DS)": hardness.DisjunctSize(random_state=0),
    "depth in the full tree (TD)": hardness.TreeDepth(random_state=0),
    "depth in the pruned tree (TD)": hardness.TreeDepth(pruned=True, random_state=0),
    "more harm than good (LSSm)": hardness.LocalSetSmoother(),
    "nearest enemy of many (H)": hardness.Harmfulness(),
    "in few local sets (U)": hardness.Usefulness(),
    "small local set (LSC)": hardness.LocalSetCardinality(),
    "close to an enemy (LSR)": hardness.LocalSetRadius(),
}

X, y = make_moons(300, noise=0.18, random_state=0)
labels, flipped = flip_labels(y, 0.08, random_state=0)

figure, axes = plt.subplots(3, 4, figsize=(12, 7.6), sharex=True, sharey=True, layout="constrained")
for axis, (name, measure) in zip(axes.flat, MEASURES.items(), strict=True):
    suspicion = measure.fit(X, labels).suspicion_
    easier = rankdata(suspicion, method="min") - 1
    rank = easier / (len(y) - 1)  # fraction of the other rows that are easier
    order = rank.argsort()  # the hardest on top
    for label, marker in enumerate("o^"):
        rows = order[labels[order] == label]
        points = axis.scatter(
            *X[rows].T, c=rank[rows], marker=marker, s=16, cmap="YlGnBu", vmin=-0.35, vmax=1
        )
    axis.scatter(*X[flipped].T, s=75, facecolors="none", edgecolors="crimson", linewidths=1)
    precision = average_precision_score(flipped, suspicion)
    axis.set_title(f"{name}\naverage precision {precision:.2f}", fontsize=10)
    axis.set(xticks=[], yticks=[])
    print(f"{name:34} {precision:.2f}")
label = "fraction of easier rows"
bar = figure.colorbar(points, ax=axes, shrink=0.6, ticks=[0, 0.5, 1], label=label)
bar.ax.set_ylim(0, 1)
figure.suptitle("300 rows as ranked by twelve measures; circles around the 24 wrong labels")
figure.savefig(Path(__file__).parents[1] / "docs" / "figures" / "hardness.png", dpi=80)
