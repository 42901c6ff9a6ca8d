"""
Boosters at twenty per cent noise, round by round
=================================================

Boosting turns to the rows that it gets wrong, and wrong labels are the rows that it gets wrong for
ever. Each panel follows one booster of :mod:`errata.ensemble` over its rounds: the error on clean
test rows when a fifth of the training labels is wrong, beside what the same booster does with right
labels. Most are best after a few dozen rounds at most, and learn errors from there on.

Use the picture to choose how many rounds to boost: with wrong labels the best number is often
small, and a booster that holds weights back forgives more rounds.
"""

import matplotlib.pyplot as plt
import numpy as np

from errata import ensemble
from errata.datasets import make_twonorm
from errata.noise import flip_labels

# %%
# Eight boosters on the same rows
# -------------------------------
# Twonorm is two overlapping Gaussians in 20 dimensions; no classifier is better than 2.3 % wrong.

BOOSTERS = {
    "AdaBoost": ensemble.DiscreteAdaBoostClassifier(n_estimators=200),
    "LogitBoost": ensemble.LogitBoostClassifier(n_estimators=200),
    "GentleBoost": ensemble.GentleBoostClassifier(n_estimators=200),
    "BrownBoost": ensemble.BrownBoostClassifier(n_estimators=200, error_goal=0.2),
    "RobustBoost": ensemble.RobustBoostClassifier(n_estimators=200, error_goal=0.2),
    "MadaBoost": ensemble.MadaBoostClassifier(n_estimators=200, max_depth=1),
    "AveBoost2": ensemble.AveBoostClassifier(n_estimators=200, max_depth=1),
    "ORBoost": ensemble.ORBoostClassifier(n_estimators=200, max_depth=1),
}
X, y = make_twonorm(1300, random_state=0)
train, test = slice(300), slice(300, None)
labels, flipped = flip_labels(y[train], 0.2, random_state=0)


def errors_by_round(booster, learnt_from):
    """Error on clean test rows after each round."""
    booster.fit(X[train], learnt_from)
    return np.array([np.mean(stage != y[test]) for stage in booster.staged_predict(X[test])])


curves = {
    name: (errors_by_round(booster, y[train]), errors_by_round(booster, labels))
    for name, booster in BOOSTERS.items()
}

# %%
# Where each ends, and where it was best
# --------------------------------------

for name, (clean, noisy) in curves.items():
    print(
        f"{name:12} right labels {clean[-1]:.1%}; wrong ones {noisy[-1]:.1%}, "
        f"at best {noisy.min():.1%} after {noisy.argmin() + 1} rounds"
    )

# %%
# All of them
# -----------
# RobustBoost was told to give up a fifth of the rows: it stops by itself once it has, after the
# fewest rounds of all, and so early that with right labels it has hardly learnt. ORBoost drops rows
# that grow heavy; with right labels these are honest ones, and in the end it has dropped too many.

figure, axes = plt.subplots(2, 4, figsize=(11, 5.9), sharex=True, sharey=True, layout="constrained")
for axis, (name, (clean, noisy)) in zip(axes.flat, curves.items(), strict=True):
    axis.plot(np.arange(1, len(clean) + 1), clean, "--", color="#555555", label="right labels")
    axis.plot(np.arange(1, len(noisy) + 1), noisy, color="#D55E00", label="a fifth is wrong")
    axis.plot(noisy.argmin() + 1, noisy.min(), "o", color="#0072B2", label="best round")
    axis.set_title(f"{name} ends at {noisy[-1]:.1%}", fontsize=11)
    axis.set(xscale="log", xlabel="rounds", ylabel="test error", ylim=(0, 0.4))
    axis.label_outer()
    axis.spines[["top", "right"]].set_visible(False)
handles = axis.get_legend_handles_labels()
figure.legend(*handles, loc="outside lower center", ncols=3, frameon=False)
plt.show()
