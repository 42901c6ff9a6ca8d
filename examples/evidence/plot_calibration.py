"""
How sure is sure? Calibration of p_wrong
========================================

``p_wrong`` of an audit is a probability: of all labels that are said to be wrong with 30 %, three
in ten should be. We audit five tables with different noise, gather what was said of all their
labels, and count. A point on the diagonal is right; above it the audit was too careful, below it
too sure. The bars tell how many labels each point stands for.

Look at it before you let a threshold on ``p_wrong`` decide:
:func:`errata.metrics.expected_calibration_error` is the mean distance from the diagonal.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression

import errata
from errata.datasets import make_threenorm, make_twonorm
from errata.metrics import expected_calibration_error
from errata.noise import flip_labels

# %%
# Five audits
# -----------
# Two models of our own keep this quick; without ``estimators`` the audit brings its own.

TABLES = {
    "breast cancer, 5 %": (*load_breast_cancer(return_X_y=True), 0.05),
    "wine, 10 %": (*load_wine(return_X_y=True), 0.1),
    "twonorm, 10 %": (*make_twonorm(600, random_state=0), 0.1),
    "twonorm, 30 %": (*make_twonorm(600, random_state=1), 0.3),
    "threenorm, 10 %": (*make_threenorm(600, random_state=0), 0.1),
}
models = [ExtraTreesClassifier(40, min_samples_leaf=3), LogisticRegression()]
said, true = [], []
for name, (X, y, rate) in TABLES.items():
    labels, flipped = flip_labels(y, rate, random_state=0)
    audit = errata.audit(X, labels, estimators=models, self_check=False, random_state=0)
    said.append(audit.p_wrong)
    true.append(flipped)
    error = expected_calibration_error(flipped, audit.p_wrong)
    print(f"{name:20} rate {audit.noise_rate}, calibration error {error:.3f}")

# %%
# All together
# ------------

p_wrong, flipped = np.concatenate(said), np.concatenate(true)
print(f"{'all five':20} calibration error {expected_calibration_error(flipped, p_wrong):.3f}")
edges = np.linspace(0, 1, 11)
which = np.clip(np.digitize(p_wrong, edges) - 1, 0, 9)
counts = np.bincount(which, minlength=10)
mean_said = np.bincount(which, p_wrong, 10) / counts
mean_true = np.bincount(which, flipped, 10) / counts

figure, (upper, lower) = plt.subplots(
    2, 1, figsize=(7, 6.6), sharex=True, layout="constrained", height_ratios=[3, 1]
)
spread = 2 * np.sqrt(mean_true * (1 - mean_true) / counts)
upper.plot([0, 1], [0, 1], "k--", linewidth=1, label="calibrated")
upper.errorbar(
    mean_said, mean_true, spread, fmt="o-", color="#0072B2", capsize=3, label="the audits"
)
upper.set(ylabel="fraction that is wrong", xlim=(0, 1), ylim=(-0.02, 1.02))
upper.legend(frameon=False)
lower.bar(edges[:-1], counts, width=0.095, align="edge", color="#999999")
lower.set(yscale="log", xlabel="p_wrong", ylabel="labels")
for axis in (upper, lower):
    axis.spines[["top", "right"]].set_visible(False)
plt.show()
