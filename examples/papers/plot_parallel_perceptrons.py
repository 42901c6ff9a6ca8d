"""
Parallel perceptrons: safe, borderline, noisy
=============================================

A few perceptrons vote, and each learns to keep a margin around zero. Where most of them are beyond
the margin on the side of the label, a row is *safe*; beyond it on the other side, it is *noisy*;
else it lies on the border. Cantador and Dorronsoro turn boosting round by these categories: safe
rows gain weight and noisy ones lose it. The first picture has the categories on exclusive-or with
one label in ten wrong, the second how many labels of each category are wrong, the third what the
same perceptrons make of a number.

Use :class:`errata.ensemble.ParallelPerceptronClassifier` for a quick vote with a say on every row,
and :class:`errata.ensemble.NoiseReducingBoostClassifier` where single perceptrons are too few.
Scale the features first.
"""

import matplotlib.pyplot as plt
import numpy as np

from errata.datasets import make_twonorm, make_xor
from errata.ensemble import (
    NoiseReducingBoostClassifier,
    ParallelPerceptronClassifier,
    ParallelPerceptronRegressor,
)
from errata.noise import flip_labels

# %%
# Three perceptrons on exclusive-or
# ---------------------------------
# The class is the sign of a product, so that no single line tells it.

X, labels = make_xor(300, noise=0.1, random_state=0)
classes = (X[:, 0] * X[:, 1] < 0).astype(int)
wrong = labels != classes
model = ParallelPerceptronClassifier(3, random_state=0).fit(X, labels)
CATEGORIES = {"safe": ("s", "#0072B2"), "borderline": (".", "#999999"), "noisy": ("X", "#D55E00")}
for category in CATEGORIES:
    rows = model.category_ == category
    print(f"{category:10} {rows.sum():3} rows, {wrong[rows].mean():.0%} of their labels wrong")

# %%
# Boosting, turned round
# ----------------------
# ``mode="adaboost"`` gives weight to whatever is misclassified, ``mode="nr"`` to what is safe. On
# two overlapping clouds of 20 features with a fifth of the labels wrong that makes all the
# difference.

X_norm, y_norm = make_twonorm(1300, random_state=0)
noisy, _ = flip_labels(y_norm[:300], 0.2, random_state=0)
for mode in ("adaboost", "nr"):
    boosted = NoiseReducingBoostClassifier(mode=mode, random_state=0).fit(X_norm[:300], noisy)
    print(f"{mode:10} {boosted.score(X_norm[300:], y_norm[300:]):.1%} right on clean test rows")

# %%
# Numbers
# -------
# The fraction of perceptrons that vote for more follows a number, in as many steps as there are
# perceptrons: here the middle of a parabola, but not its ends.

x = np.linspace(-1, 1, 100)[:, None]
follower = ParallelPerceptronRegressor(random_state=0).fit(x, x[:, 0] ** 2)
print(f"R2 of a parabola: {follower.score(x, x[:, 0] ** 2):.2f}")

# %%
# Categories, and what is in them
# -------------------------------
# Lines are the perceptrons, rings the labels that are wrong.

figure, (left, middle, right) = plt.subplots(
    1, 3, figsize=(12, 4.8), layout="constrained", width_ratios=[5, 3, 3]
)
for category, (marker, colour) in CATEGORIES.items():
    rows = model.category_ == category
    left.scatter(*X[rows].T, s=30, marker=marker, color=colour, label=category)
left.scatter(*X[wrong].T, s=120, facecolors="none", edgecolors="black", label="wrong label")
reach = np.array([-1.1, 1.1]) * np.abs(X).max()
for (a, b), c in zip(model.coef_, model.intercept_, strict=True):
    left.plot(reach, -(a * reach + c) / b, color="black", linewidth=1)
left.set(xlim=reach, ylim=reach, xlabel="first feature", ylabel="second feature")
left.legend(loc="upper center", bbox_to_anchor=(0.5, 1.12), ncols=4, frameon=False)
shares = [wrong[model.category_ == category].mean() for category in CATEGORIES]
bars = middle.bar(list(CATEGORIES), shares, color=[colour for _, colour in CATEGORIES.values()])
middle.bar_label(bars, [f"{share:.0%}" for share in shares])
middle.set(ylabel="fraction of wrong labels", ylim=(0, 1))
right.plot(x, x**2, "k--", label="parabola")
right.plot(x, follower.predict(x), color="#009E73", label="101 perceptrons")
right.set(xlabel="x", ylabel="y")
right.legend(frameon=False)
for axis in (middle, right):
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
