"""
Twelve measures of hardness on two moons
========================================

A row is hard when its surroundings disagree with its label. There is more than one way to say so:
by neighbours, by clusters, by classifiers that have not seen the row, by the leaf of a tree, by the
distance to the nearest row with another label. Each panel ranks the same 300 rows by one measure of
:mod:`errata.hardness`; rings mark the 24 labels that are wrong, and dark rows are the hard ones.

Use :class:`errata.hardness.NeighborDisagreement` first, and
:class:`errata.hardness.InstanceHardness` when 25 fits are affordable. A measure that gives its dark
points to the border rather than to the rings tells of overlap and not of errors.
"""

import matplotlib.pyplot as plt
from scipy.stats import rankdata
from sklearn.datasets import make_moons
from sklearn.metrics import average_precision_score

from errata import hardness
from errata.noise import flip_labels

# %%
# Every measure is a detector: ``fit(X, y)``, and then ``suspicion_`` has a number for each row.

MEASURES = {
    "neighbours (kDN)": hardness.NeighborDisagreement(),
    "clusters": hardness.ClusterDisagreement(random_state=0),
    "classifiers (IH)": hardness.InstanceHardness(random_state=0),
    "class likelihood (CL)": hardness.ClassLikelihood(),
    "fraction of the pruned leaf (DCP)": hardness.DisjunctClassPercentage(random_state=0),
    "size of the full leaf (DS)": hardness.DisjunctSize(random_state=0),
    "depth in the full tree (TD)": hardness.TreeDepth(random_state=0),
    "more harm than good (LSSm)": hardness.LocalSetSmoother(),
    "nearest enemy of many (H)": hardness.Harmfulness(),
    "in few local sets (U)": hardness.Usefulness(),
    "small local set (LSC)": hardness.LocalSetCardinality(),
    "close to an enemy (LSR)": hardness.LocalSetRadius(),
}

X, y = make_moons(300, noise=0.18, random_state=0)
labels, flipped = flip_labels(y, 0.08, random_state=0)

# %%
# How well each ranks the wrong labels
# ------------------------------------
# Average precision is 1 if the wrong labels are the 24 hardest rows, and 0.08 for a list in any
# order.

suspicions = {name: measure.fit(X, labels).suspicion_ for name, measure in MEASURES.items()}
precision = {name: average_precision_score(flipped, s) for name, s in suspicions.items()}
for name in sorted(precision, key=precision.get, reverse=True):
    print(f"{name:34} {precision[name]:.2f}")

# %%
# The rows in the eyes of each
# ----------------------------

figure, axes = plt.subplots(3, 4, figsize=(12, 7.6), sharex=True, sharey=True, layout="constrained")
for axis, (name, suspicion) in zip(axes.flat, suspicions.items(), strict=True):
    easier = rankdata(suspicion, method="min") - 1
    rank = easier / (len(y) - 1)  # fraction of the other rows that are easier
    order = rank.argsort()  # the hardest on top
    for label, marker in enumerate("o^"):
        rows = order[labels[order] == label]
        points = axis.scatter(
            *X[rows].T, c=rank[rows], marker=marker, s=16, cmap="YlGnBu", vmin=-0.35, vmax=1
        )
    axis.scatter(*X[flipped].T, s=75, facecolors="none", edgecolors="crimson", linewidths=1)
    axis.set_title(f"{name}\naverage precision {precision[name]:.2f}", fontsize=10)
    axis.set(xticks=[], yticks=[])
bar = figure.colorbar(
    points, ax=axes, shrink=0.6, ticks=[0, 0.5, 1], label="fraction of easier rows"
)
bar.ax.set_ylim(0, 1)
figure.suptitle("300 rows as ranked by twelve measures; circles around the 24 wrong labels")
plt.show()
