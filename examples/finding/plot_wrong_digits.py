"""
Wrong digits, found
===================

Four hundred handwritten digits of scikit-learn, and we make eight labels in a hundred wrong. One
call of :func:`errata.audit` says how many labels are probably wrong, which, and what they should
be. The picture has the most suspicious digits with the label that the table gives, the class that
the audit suggests, and the probability that the label is wrong.

Use it first, whenever there is a table with one label a row: it needs no model and no number from
you.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import errata
from errata.metrics import filter_report
from errata.noise import flip_labels

# %%
# Labels of which we know which are wrong
# ---------------------------------------
# :func:`errata.noise.flip_labels` gives the labels with the errors, and the mask of what it
# changed. The audit is not told.

X, y = load_digits(return_X_y=True)
X, y = X[:400], y[:400]
labels, flipped = flip_labels(y, 0.08, random_state=0)
audit = errata.audit(X, labels, self_check=False, random_state=0)
print(audit)

# %%
# What was found
# --------------

report = filter_report(flipped, audit.flagged)
found = audit.flagged & flipped
print(f"wrong labels that are flagged:     {found.sum()} of {flipped.sum()}")
print(f"flagged labels that are wrong:     {report['nep']:.0%}")
print(f"suggested the digit that it was:   {(audit.suggested[found] == y[found]).mean():.0%}")

# %%
# The most suspicious digits
# --------------------------
# Above each stand its label and the class that the audit suggests, below it the probability that
# the label is wrong. A red frame is around those whose label we had not changed. To decide on them
# one by one, save the audit and open it with ``errata review``.

figure, axes = plt.subplots(4, 8, figsize=(10, 6.6), layout="constrained")
for axis, row in zip(axes.flat, audit.suspicion.argsort()[::-1], strict=False):
    axis.imshow(X[row].reshape(8, 8), cmap="gray_r")
    axis.set_title(f"{labels[row]} → {audit.suggested[row]}")
    axis.set_xlabel(f"{audit.p_wrong[row]:.3f}")
    axis.set(xticks=[], yticks=[])
    if not flipped[row]:
        axis.spines[:].set(color="#D55E00", linewidth=3)
figure.suptitle("The 32 most suspicious of 400 digits")
plt.show()
