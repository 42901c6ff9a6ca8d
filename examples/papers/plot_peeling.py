"""
Noise peeling, round by round
=============================

Martinez and Gray boost for some rounds, distrust the labels that the ensemble contradicts, and
boost again without them. How many rounds to boost before judging matters most: after a few,
AdaBoost contradicts the wrong labels; after a few hundred it has memorised them. The upper picture
has the margins of right and wrong labels by the round, the lower one what
:class:`errata.filters.MarginPeeler` would flag if it judged then.

Use :class:`errata.filters.MarginPeeler` with its 30 rounds before any booster; it costs a third of
a fit more.
"""

import matplotlib.pyplot as plt
import numpy as np

from errata.datasets import make_twonorm
from errata.ensemble import DiscreteAdaBoostClassifier
from errata.filters import (
    FilteredClassifier,
    LinearProgramPeeler,
    MarginPeeler,
    MisclassificationPeeler,
    VotePeeler,
    WeightPeeler,
)
from errata.metrics import filter_report
from errata.noise import flip_labels

X, y = make_twonorm(1300, random_state=0)
train, test = slice(300), slice(300, None)
labels, flipped = flip_labels(y[train], 0.2, random_state=0)

# %%
# Margins by the round
# --------------------
# The margin of a row is the weighted vote for its label less the vote against it, from -1 to 1.

ROUNDS = np.unique(np.geomspace(3, 300, 16).astype(int))
margins, found, justified = [], [], []
for n_rounds in ROUNDS:
    peeler = MarginPeeler(n_estimators=n_rounds).fit(X[train], labels)
    report = filter_report(flipped, peeler.flagged_)
    margins.append(peeler.margins_)
    found.append(report["recall"])
    justified.append(report["nep"])

# %%
# What peeling brings
# -------------------
# AdaBoost on all rows, and on those that the peeler left.

booster = DiscreteAdaBoostClassifier().fit(X[train], labels)
peeled = FilteredClassifier(MarginPeeler(), DiscreteAdaBoostClassifier()).fit(X[train], labels)
print(f"AdaBoost, 300 rounds          {booster.score(X[test], y[test]):.1%} right on test rows")
print(f"the same after MarginPeeler   {peeled.score(X[test], y[test]):.1%}")
for n_rounds, share, right in zip(ROUNDS[::5], found[::5], justified[::5], strict=True):
    print(
        f"after {n_rounds:3} rounds: {share:.0%} of the wrong labels are flagged, "
        f"{right:.0%} of the flags are right"
    )

# %%
# Five peelers
# ------------
# They differ in what they distrust: a negative margin, a heavy weight, many wrong rounds, or a row
# without which the least margin grows most (a linear program, told here how many rows to flag).

PEELERS = [
    MarginPeeler(),
    WeightPeeler(),
    MisclassificationPeeler(),
    VotePeeler(),
    LinearProgramPeeler(n_estimators=100, contamination=0.1),
]
for peeler in PEELERS:
    report = filter_report(flipped, peeler.fit(X[train], labels).flagged_)
    name = type(peeler).__name__
    print(f"{name:24} finds {report['recall']:4.0%}, {report['nep']:.0%} of its flags are right")

# %%
# Judge before it memorises
# -------------------------

figure, (upper, lower) = plt.subplots(2, 1, figsize=(8, 6.4), sharex=True, layout="constrained")
for rows, colour, name in ((~flipped, "#0072B2", "right"), (flipped, "#D55E00", "wrong")):
    low, middle, high = np.quantile([m[rows] for m in margins], [0.1, 0.5, 0.9], axis=1)
    upper.fill_between(ROUNDS, low, high, color=colour, alpha=0.2, linewidth=0)
    upper.plot(ROUNDS, middle, color=colour, linewidth=2, label=f"{name} labels")
upper.axhline(0, color="black", linewidth=0.8)
upper.set(ylabel="margin", title="Median margin, and eight rows in ten")
upper.legend(frameon=False, loc="lower right")
lower.plot(ROUNDS, found, color="#009E73", marker="o", label="wrong labels that are flagged")
lower.plot(ROUNDS, justified, color="#CC79A7", marker="s", label="flagged labels that are wrong")
lower.axvline(30, color="black", linestyle=":", label="30 rounds, the default")
lower.set(xscale="log", xlabel="rounds of AdaBoost before judging", ylabel="fraction", ylim=(0, 1))
lower.legend(frameon=False, loc="lower left")
for axis in (upper, lower):
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
