"""
Rare, or wrong?
===============

Rows of a small class are hard because there are few of them, and that is no error. Four measures of
:mod:`errata.hardness` look at three classes of 200, 60 and 15 rows with some labels wrong. Two of
them ask what the row looks like; the other two know nothing but how frequent its label is. That
alone is better than a list in any order here: most wrong labels were taken from the large class, so
that a rare label is more often wrong.

Use :class:`errata.hardness.MinorityValue` and :class:`errata.hardness.ClassBalance` beside another
measure, to see how much of a row's hardness is owed to its class being rare; by themselves they say
the same of every row of a label. With three classes or more,
:class:`errata.hardness.ClassLikelihoodDifference` compares the label with the one class that fits
best.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import rankdata
from sklearn.datasets import make_blobs
from sklearn.metrics import average_precision_score

from errata.hardness import (
    ClassBalance,
    ClassLikelihoodDifference,
    MinorityValue,
    NeighborDisagreement,
)
from errata.noise import flip_labels

# %%
# A large, a small and a tiny class
# ---------------------------------

X, y = make_blobs([200, 60, 15], centers=[[0, 0], [3, 2], [4, -2]], random_state=0)
labels, flipped = flip_labels(y, n_flips=16, random_state=0)
MEASURES = {
    "neighbours disagree (kDN)": NeighborDisagreement(),
    "another class is likelier (CLD)": ClassLikelihoodDifference(),
    "few rows have its label (MV)": MinorityValue(),
    "its label is below its share (CB)": ClassBalance(),
}

# %%
# What each says of the classes, and of the errors
# ------------------------------------------------

hardness = {name: measure.fit(X, labels).suspicion_ for name, measure in MEASURES.items()}
precision = {name: average_precision_score(flipped, hard) for name, hard in hardness.items()}
for name, hard in hardness.items():
    means = "  ".join(f"{hard[labels == label].mean():5.2f}" for label in range(3))
    print(f"{name:34} mean by label {means}; average precision {precision[name]:.2f}")
print(f"{'a list in any order':34} {' ' * 34} average precision {flipped.mean():.2f}")

# %%
# The rows in the eyes of each
# ----------------------------
# Dark rows are hard; rings are around wrong labels.

figure, axes = plt.subplots(2, 2, figsize=(10, 7), sharex=True, sharey=True, layout="constrained")
for axis, (name, hard) in zip(axes.flat, hardness.items(), strict=True):
    rank = rankdata(hard, method="min") / len(y)
    for label, marker in enumerate("o^s"):
        rows = np.flatnonzero(labels == label)
        points = axis.scatter(
            *X[rows].T, c=rank[rows], marker=marker, s=22, cmap="YlGnBu", vmin=-0.3, vmax=1
        )
    axis.scatter(*X[flipped].T, s=90, facecolors="none", edgecolors="crimson")
    axis.set_title(f"{name}: average precision {precision[name]:.2f}", fontsize=11)
    axis.set(xlabel="first feature", ylabel="second feature")
    axis.label_outer()
bar = figure.colorbar(
    points, ax=axes, shrink=0.6, ticks=[0, 0.5, 1], label="fraction of easier rows"
)
bar.ax.set_ylim(0, 1)
plt.show()
