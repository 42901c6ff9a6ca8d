"""
A critical-difference diagram of your own methods
=================================================

One method is better than another on this table, worse on the next: is there a difference at all?
Friedman's test looks at the ranks of all methods over all tables, and the diagram draws them: the
best to the left, and a bar joins methods whose ranks are too close to tell apart. Here a decision
tree learns from ten tables with a fifth of the labels wrong, as it is, after three filters, and in
a bag.

Use it when you have a table of scores, one row a data set and one column a method. Ten draws of one
data set are not ten data sets.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_moons
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from errata.datasets import make_ringnorm, make_threenorm, make_twonorm, make_xor
from errata.ensemble import HardnessBaggingClassifier
from errata.filters import EditedNeighborsFilter, FilteredClassifier, MarginPeeler, ModeFilter
from errata.noise import flip_labels
from errata.stats import friedman_test, plot_critical_difference, wilcoxon_holm

# %%
# Ten tables, five methods
# ------------------------

digits, figures = load_digits(return_X_y=True)
TABLES = {
    "iris": load_iris(return_X_y=True),
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "digits": (digits[:500], figures[:500]),
    "small digits": (digits[figures < 5][:400], figures[figures < 5][:400]),
    "moons": make_moons(400, noise=0.2, random_state=0),
    "twonorm": make_twonorm(400, random_state=0),
    "threenorm": make_threenorm(400, random_state=0),
    "ringnorm": make_ringnorm(400, random_state=0),
    "xor": make_xor(400, random_state=0),
}
tree = DecisionTreeClassifier(random_state=0)
METHODS = {
    "tree": tree,
    "after ModeFilter": FilteredClassifier(ModeFilter(), tree),
    "after ENN": FilteredClassifier(EditedNeighborsFilter(n_neighbors=10), tree),
    "after MarginPeeler": FilteredClassifier(MarginPeeler(), tree),
    "bagged by hardness": HardnessBaggingClassifier(tree, n_estimators=30, random_state=0),
}


def scores_of(X, y):
    """Accuracy of each method on clean test rows after learning from noisy ones."""
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=0
    )
    scaler = StandardScaler().fit(X_train)
    labels, _ = flip_labels(y_train, 0.2, random_state=0)
    fitted = [method.fit(scaler.transform(X_train), labels) for method in METHODS.values()]
    return [method.score(scaler.transform(X_test), y_test) for method in fitted]


scores = np.array([scores_of(X, y) for X, y in TABLES.values()])
for name, row in zip(TABLES, scores, strict=True):
    print(f"{name:14}", "  ".join(f"{score:.2f}" for score in row))

# %%
# Is there a difference?
# ----------------------

result = friedman_test(scores)
print(f"Friedman: p = {result.p_value:.1e}")
names = list(METHODS)
pairs = wilcoxon_holm(scores, control="tree", names=names)
for name, p_value in zip(names[1:], pairs.p_values[0, 1:], strict=True):
    print(f"{name} against the tree alone: p = {p_value:.3f}")

# %%
# The diagram
# -----------
# Bars are those of Nemenyi's test, which compares all with all and is cautious.

figure, axis = plt.subplots(figsize=(8, 3), layout="constrained")
plot_critical_difference(scores, names=names, ax=axis)
axis.set_title("Average ranks on ten tables, a fifth of the labels wrong")
plt.show()
