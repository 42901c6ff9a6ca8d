"""
Precision by rank: what is promised, and what is true
=====================================================

How far down a list of suspects is it worth reading? The audit answers in two ways without knowing
the truth: the mean of ``p_wrong`` over the first k rows is the precision that it promises there,
and the self-check plants errors of its own and counts how many are found among the first k. Here we
know the truth and can lay it beside both.

Look at ``self_check`` of your own audit before you trust its list: it is made on your table, with
your columns.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression

import errata
from errata.noise import flip_labels

# %%
# An audit with a self-check
# --------------------------
# Two models of our own keep this quick; without ``estimators`` the audit brings its own.

X, y = load_breast_cancer(return_X_y=True)
labels, flipped = flip_labels(y, 0.1, random_state=1)
models = [ExtraTreesClassifier(50, min_samples_leaf=3), LogisticRegression()]
audit = errata.audit(X, labels, estimators=models, random_state=0)
check = audit.self_check
print(audit)
print(check)

# %%
# The truth
# ---------

order = audit.suspicion.argsort()[::-1]
rank = np.arange(1, len(y) + 1)
hits = flipped[order].cumsum()
promised = audit.p_wrong[order].cumsum() / rank
for k in (20, 50, 80):
    print(f"first {k}: precision {promised[k - 1]:.0%} promised, {hits[k - 1] / k:.0%} true")

# %%
# Side by side
# ------------
# The right picture counts ranks as a fraction of the rows. The list of the self-check has the
# planted errors *and* those that were there before, so that it fills more slowly.

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
left.plot(rank, promised, color="#0072B2", linewidth=2, label="promised: mean p_wrong")
left.plot(rank, hits / rank, color="#D55E00", linewidth=2, linestyle="--", label="true")
left.axvline(audit.flagged.sum(), color="black", linestyle=":", label="rows that are flagged")
left.set(
    xlim=(1, 200), ylim=(0, 1.03), xlabel="rows looked at", ylabel="fraction of them that is wrong"
)
right.plot(
    check.rank / len(y),
    check.recall,
    color="#0072B2",
    linewidth=2,
    label="planted, by the self-check",
)
right.plot(
    rank / len(y), hits / flipped.sum(), color="#D55E00", linestyle="--", linewidth=2, label="true"
)
right.plot(
    check.rank / len(y), check.label_recall, color="#777777", label="planted, by labels alone"
)
right.set(
    xlim=(0, 0.5), ylim=(0, 1.03), xlabel="fraction of rows looked at", ylabel="wrong labels found"
)
for axis in (left, right):
    axis.legend(frameon=False)
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
