"""
What cleaning brings
====================

Once labels are suspected, what to do about it? Rows can be left out, relabelled, weighed, or lose
their label; or one does nothing. The curves are accuracies of a decision tree on clean test rows,
as more and more of the labels that it learns from are wrong. The same detector stands behind all of
them, so that only the action differs.

Leaving rows out is the first thing to try with learners that memorise. Never clean the rows you
test on by what a model says of them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from errata.elm import ELMClassifier
from errata.filters import (
    Cleaner,
    DetectorFilter,
    FilteredClassifier,
    LabelDeletionClassifier,
    SuspicionWeightedClassifier,
)
from errata.noise import flip_labels

# %%
# One detector, four actions
# --------------------------

finder = ELMClassifier(n_hidden=200, random_state=0)
tree = DecisionTreeClassifier(min_samples_leaf=3, random_state=0)
ACTIONS = {
    "nothing": tree,
    "drop": FilteredClassifier(DetectorFilter(finder), tree),
    "relabel": FilteredClassifier(Cleaner(finder, "relabel"), tree),
    "unlabel": LabelDeletionClassifier(tree, finder),
    "weight": SuspicionWeightedClassifier(tree, finder),
}
RATES = [0, 0.1, 0.2, 0.3, 0.4]

X, y = load_breast_cancer(return_X_y=True)
accuracy = {name: np.empty((3, len(RATES))) for name in ACTIONS}
for seed in range(3):
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=seed)
    scaler = StandardScaler().fit(X_train)
    X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    for column, rate in enumerate(RATES):
        labels, _ = flip_labels(y_train, rate, random_state=seed)
        for name, model in ACTIONS.items():
            accuracy[name][seed, column] = model.fit(X_train, labels).score(X_test, y_test)

# %%
# Mean of three draws
# -------------------

for name, scores in accuracy.items():
    print(f"{name:8}", "  ".join(f"{score:.1%}" for score in scores.mean(axis=0)))

# %%
# In a picture
# ------------
# Whether suspected rows are dropped, relabelled or lose their label makes little difference here.
# Weights do less: a tree memorises a row whatever it weighs.

STYLES = {
    "nothing": ("#555555", "s", "--"),
    "drop": ("#0072B2", "o", "-"),
    "relabel": ("#009E73", "^", "-"),
    "unlabel": ("#CC79A7", "D", "-"),
    "weight": ("#E69F00", "v", "-"),
}
figure, axis = plt.subplots(figsize=(8, 5), layout="constrained")
for name, (colour, marker, line) in STYLES.items():
    mean = accuracy[name].mean(axis=0)
    axis.plot(RATES, mean, color=colour, marker=marker, linestyle=line, linewidth=2, label=name)
axis.set_xticks(RATES, [f"{rate:.0%}" for rate in RATES])
axis.set(xlabel="wrong training labels", ylabel="accuracy on clean test rows")
axis.set_title("A decision tree after what is done to suspected labels (breast cancer)")
axis.legend(title="what is done", frameon=False, loc="lower left")
axis.spines[["top", "right"]].set_visible(False)
plt.show()
