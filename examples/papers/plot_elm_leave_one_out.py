"""
Judged by models that never saw the row
=======================================

A model that has seen a wrong label half believes it. To check a label one needs the opinion of a
model that was fitted without it, and an extreme learning machine (random hidden units, ridge
regression on top) gives the opinions of n such models exactly, from one fit. Each point is a label:
to the right, how clearly the model that saw it agrees; upwards, how clearly the model that did not.

Use :class:`errata.elm.ELMClassifier` as a quick detector for tables of numbers, and with
``groups=`` where rows belong together. Standardise the features first.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import scale

from errata.elm import ELMClassifier
from errata.noise import flip_labels

X, y = load_breast_cancer(return_X_y=True)
X = scale(X)
labels, flipped = flip_labels(y, 0.1, random_state=0)

# %%
# Nothing is approximated
# -----------------------
# ``margin_`` is the score of the label less that of the other class, by the model without the row.
# Leave a row out, fit again, and the same comes back.

SIGN = np.where(labels == 1, 1, -1)
model = ELMClassifier(n_hidden=300, alpha=10.0, random_state=0).fit(X, labels)
seen, unseen = SIGN * model.decision_function(X), model.margin_
again = ELMClassifier(n_hidden=300, alpha=10.0, cv=False, random_state=0).fit(X[1:], labels[1:])
print(f"margin of row 0: {unseen[0]:.10f} from one fit to all rows")
print(f"                 {SIGN[0] * again.decision_function(X[:1])[0]:.10f} from a fit without it")

# %%
# How many wrong labels are contradicted
# --------------------------------------
# The weaker the penalty ``alpha``, the more a model memorises. The default chooses it by what the
# models say of rows that they have not seen.

ALPHAS = np.geomspace(0.1, 1e4, 11)
contradicted = []
for alpha in ALPHAS:
    fit = ELMClassifier(n_hidden=300, alpha=alpha, random_state=0).fit(X, labels)
    against = SIGN * fit.decision_function(X) < 0, fit.margin_ < 0
    contradicted.append(
        [against[0][flipped].mean(), against[1][flipped].mean(), against[1][~flipped].mean()]
    )
chosen = ELMClassifier(n_hidden=300, random_state=0).fit(X, labels)
print(f"chosen: alpha = {chosen.alpha_:.0f}, contradicting")
print(f"  {chosen.flagged_[flipped].mean():.0%} of the wrong labels")
print(f"  {chosen.flagged_[~flipped].mean():.0%} of the right ones")

# %%
# With and without
# ----------------
# To the left, on the dashed line both agree. Wrong labels lie far below it: the model that saw them
# had come round. To the right, models that have not seen a label contradict the wrong ones at any
# penalty, and at the chosen one hardly any right label.

figure, (left, right) = plt.subplots(1, 2, figsize=(11.5, 5), layout="constrained")
for rows, colour, marker, name in (
    (~flipped, "#0072B2", "o", "right label"),
    (flipped, "#D55E00", "X", "wrong label"),
):
    left.scatter(seen[rows], unseen[rows], s=24, alpha=0.7, color=colour, marker=marker, label=name)
ends = [seen.min(), seen.max()]
left.plot(ends, ends, "k--", linewidth=1)
left.axhline(0, color="black", linewidth=0.8)
left.axvline(0, color="black", linewidth=0.8)
left.set(
    xlabel="margin by the model that saw the label",
    ylabel="margin by the model that did not",
    title="alpha = 10",
)
for curve, colour, style, name in zip(
    np.transpose(contradicted),
    ("#D55E00", "#D55E00", "#0072B2"),
    ("--", "-", "-"),
    ("wrong labels, seen", "wrong labels, not seen", "right labels, not seen"),
    strict=True,
):
    right.plot(ALPHAS, curve, color=colour, linestyle=style, linewidth=2, label=name)
right.axvline(chosen.alpha_, color="black", linestyle=":", label="chosen")
right.set(xscale="log", xlabel="penalty alpha", ylabel="fraction contradicted", ylim=(0, 1.02))
left.legend(frameon=False)
right.legend(frameon=False, loc="center left")
for axis in (left, right):
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
