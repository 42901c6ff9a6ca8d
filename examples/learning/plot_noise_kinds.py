"""
What wrong labels do to a boundary
==================================

Wrong labels are not all alike. In each panel about one label in five is wrong, but for a reason of
its own: by chance, by class, near the boundary, where rows are rare, or in one corner of the table.
The dashed line is the boundary that a classifier learns from the right labels, the full line the
one it learns from these.

Use :mod:`errata.noise` to try a method on the kind of errors that you expect, before you trust it
with errors that you do not know. Put noise into training labels only.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.svm import SVC

from errata.noise import (
    boundary_flip_proba,
    density_flip_proba,
    flip_labels,
    reference_proba,
    region_flip_proba,
)

BLUE, ORANGE, RED = "#0072B2", "#E69F00", "#B2182B"

# %%
# Five reasons
# ------------
# The first two are told as a rate and as a matrix ``T[c, l]``; the others as a probability for each
# row.

X, y = make_moons(1400, noise=0.2, random_state=0)
train, test = slice(400), slice(400, None)
proba = reference_proba(X[train], y[train], random_state=0)
KINDS = {
    "completely at random": {"rate": 0.2},
    "by class": {"transition": [[0.6, 0.4], [0.0, 1.0]]},
    "near the boundary": {"flip_proba": boundary_flip_proba(proba, 0.2)},
    "where rows are rare": {"flip_proba": density_flip_proba(X[train], 0.2)},
    "in one corner": {"flip_proba": region_flip_proba(X[train], 0.2, center=[-1.0, 0.0])},
}

# %%
# What each costs
# ---------------
# Accuracy is measured on a thousand other rows with right labels.

clean = SVC(C=10).fit(X[train], y[train])
print(f"{'no errors':22} accuracy {clean.score(X[test], y[test]):.3f}")
noisy = {}
for kind, arguments in KINDS.items():
    labels, flipped = flip_labels(y[train], random_state=0, **arguments)
    model = SVC(C=10).fit(X[train], labels)
    noisy[kind] = labels, flipped, model
    score = model.score(X[test], y[test])
    print(f"{kind:22} accuracy {score:.3f}, {flipped.sum()} of 400 labels wrong")

# %%
# The boundaries
# --------------
# Errors that fall anywhere outvote nobody, and the boundary stays about where it was. Errors that
# gather, in one class, along the boundary or in a corner, are the majority there: the classifier
# has learnt them.

figure, axes = plt.subplots(2, 3, figsize=(11, 6.8), sharex=True, sharey=True, layout="constrained")
for axis, (kind, (labels, flipped, model)) in zip(axes.flat, noisy.items(), strict=False):
    for label, (colour, marker) in enumerate([(BLUE, "o"), (ORANGE, "^")]):
        axis.scatter(*X[train][labels == label].T, s=14, color=colour, marker=marker, alpha=0.7)
    axis.scatter(*X[train][flipped].T, s=46, facecolors="none", edgecolors=RED, linewidths=0.8)
    for learnt, style in ((clean, "--"), (model, "-")):
        DecisionBoundaryDisplay.from_estimator(
            learnt, X, plot_method="contour", response_method="decision_function", ax=axis,
            eps=0.3, levels=[0], colors="black", linestyles=style, linewidths=1.8,
        )  # fmt: skip
    axis.set_title(f"{kind}\naccuracy {model.score(X[test], y[test]):.1%}", fontsize=11)
    axis.set(xticks=[], yticks=[], xlabel="", ylabel="")
key = axes.flat[-1]
key.axis("off")
key.plot([], [], "k--", label=f"learnt from right labels ({clean.score(X[test], y[test]):.1%})")
key.plot([], [], "k-", label="learnt from these labels")
key.plot([], [], "o", markerfacecolor="none", color=RED, label="wrong label")
key.plot([], [], "o", color=BLUE, label="label: upper moon")
key.plot([], [], "^", color=ORANGE, label="label: lower moon")
key.legend(loc="center", frameon=False)
figure.suptitle("One support vector machine, five kinds of wrong labels")
plt.show()
