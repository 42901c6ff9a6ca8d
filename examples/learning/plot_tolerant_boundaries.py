"""
Learners that expect wrong labels
=================================

Two labels in five of one class are wrong and none of the other, which pushes any plain boundary
aside. Ten learners of :mod:`errata.tolerant` and one that audits first meet the same rows: some
learn how labels go wrong together with the classes, one is told, some do not let a single row cost
too much. The shade is what each would say, after it has learnt from these labels.

Use a model of the hidden class where errors depend on the class, and a known matrix where you know
it. None of these is for errors that gather near the boundary: to them those look like overlap.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.datasets import make_blobs
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from errata import AuditedClassifier, tolerant
from errata.noise import flip_labels

# %%
# Errors in one class only
# ------------------------

X, y = make_blobs([200, 200], centers=[[-1.0, -0.6], [1.0, 0.6]], random_state=1)
X_test, y_test = make_blobs([1000, 1000], centers=[[-1.0, -0.6], [1.0, 0.6]], random_state=2)
T = np.array([[0.6, 0.4], [0.0, 1.0]])
labels, flipped = flip_labels(y, transition=T, random_state=0)

LEARNERS = {
    "logistic regression, plain": LogisticRegression(),
    "RobustLogisticRegression": tolerant.RobustLogisticRegression(),
    "UnbiasedLogisticRegression(T)": tolerant.UnbiasedLogisticRegression(T),
    "RobustDiscriminantAnalysis": tolerant.RobustDiscriminantAnalysis(),
    "NoiseModelClassifier(GaussianNB())": tolerant.NoiseModelClassifier(
        GaussianNB(), random_state=0
    ),
    "RobustMixtureClassifier": tolerant.RobustMixtureClassifier(6, random_state=0),
    "RobustLossClassifier": tolerant.RobustLossClassifier(),
    "KernelRobustLossClassifier": tolerant.KernelRobustLossClassifier(random_state=0),
    "ReinforcedLogisticRegression": tolerant.ReinforcedLogisticRegression(C=1.0, mean_weight=0.8),
    "ReinforcedClassifier(GaussianNB())": tolerant.ReinforcedClassifier(
        GaussianNB(), mean_weight=0.8
    ),
    "EvidentialKNNClassifier": tolerant.EvidentialKNNClassifier(15),
    "AuditedClassifier(GaussianNB())": AuditedClassifier(
        GaussianNB(), estimators=[GaussianNB(), LogisticRegression()], random_state=0
    ),
}

# %%
# What each makes of them
# -----------------------

scores = {}
for name, learner in LEARNERS.items():
    scores[name] = learner.fit(X, labels).score(X_test, y_test)
    print(f"{name:36} {scores[name]:.1%} right on clean test rows")
print(LEARNERS["RobustLogisticRegression"].noise_transition_.round(2), "is learnt of T")

# %%
# Their boundaries
# ----------------
# Rings are around the labels that are wrong.

figure, axes = plt.subplots(3, 4, figsize=(12, 8.6), sharex=True, sharey=True, layout="constrained")
for axis, (name, learner) in zip(axes.flat, LEARNERS.items(), strict=True):
    DecisionBoundaryDisplay.from_estimator(
        learner, X, response_method="predict", ax=axis, alpha=0.18, grid_resolution=60, eps=0.3,
        cmap=ListedColormap(["#0072B2", "#E69F00"]), plot_method="pcolormesh",
    )  # fmt: skip
    for label, (colour, marker) in enumerate([("#0072B2", "o"), ("#E69F00", "^")]):
        axis.scatter(*X[labels == label].T, s=9, color=colour, marker=marker)
    axis.scatter(*X[flipped].T, s=30, facecolors="none", edgecolors="#B2182B", linewidths=0.6)
    axis.set_title(f"{name}\n{scores[name]:.1%}", fontsize=10)
    axis.set(xticks=[], yticks=[], xlabel="", ylabel="")
plt.show()
