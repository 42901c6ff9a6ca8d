"""
Ten projections learnt from noisy labels
========================================

A supervised projection learns from labelled rows in which directions to look; García-Pedrajas and
García-Osorio build ensembles of them that do without the weights of boosting. Here ten projections
learn two directions of wine from labels of which a fifth is wrong. The panels show test rows with
their right labels, and how many of them the nearest neighbours in the projection get right.

Use :class:`errata.projections.LinearDiscriminantProjection` first where classes are clouds and
labels are right, :class:`errata.projections.PartialLeastSquaresProjection` where rows are few and
labels are not, and :class:`errata.ensemble.SupervisedProjectionEnsembleClassifier` for an ensemble.
Standardise the features first.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from errata import projections
from errata.ensemble import SupervisedProjectionEnsembleClassifier
from errata.noise import flip_labels

# %%
# Ten pairs of directions
# -----------------------

X, y = load_wine(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
scaler = StandardScaler().fit(X)
X, X_test = scaler.transform(X), scaler.transform(X_test)
labels, _ = flip_labels(y, 0.2, random_state=0)
PROJECTIONS = {
    "linear discriminants": projections.LinearDiscriminantProjection(2),
    "sliced inverse regression": projections.SlicedInverseRegression(2),
    "hybrid discriminants": projections.HybridDiscriminantProjection(2),
    "nonparametric discriminants": projections.NonparametricDiscriminantProjection(2),
    "nonparametric, weighted": projections.NonparametricWeightedProjection(2),
    "partial least squares": projections.PartialLeastSquaresProjection(2),
    "kernel discriminants": projections.KernelDiscriminantProjection(2, random_state=0),
    "hidden layer": projections.HiddenLayerProjection(2, random_state=0),
    "sliced average variance": projections.SlicedAverageVariance(2),
    "principal Hessian directions": projections.PrincipalHessianDirections(2),
}
seen, right = {}, {}
for name, projection in PROJECTIONS.items():
    neighbors = KNeighborsClassifier(15).fit(projection.fit_transform(X, labels), labels)
    seen[name] = projection.transform(X_test)
    right[name] = neighbors.score(seen[name], y_test)
    print(f"{name:30} {right[name]:.0%} of the test rows right")

# %%
# An ensemble of them
# -------------------
# The rows that one tree gets wrong decide on the projection of the next, which learns from all
# rows.

tree = DecisionTreeClassifier(min_samples_leaf=5, random_state=0).fit(X, labels)
ensemble = SupervisedProjectionEnsembleClassifier(n_estimators=20, random_state=0).fit(X, labels)
print(f"one tree {tree.score(X_test, y_test):.0%}, ensemble {ensemble.score(X_test, y_test):.0%}")

# %%
# What they see
# -------------
# Discriminants divide by the scatter within classes, which wrong labels blow up; covariance
# (partial least squares) suffers least. Three neighbours, one of which may carry a wrong label,
# mislead the nonparametric discriminants.

figure, axes = plt.subplots(2, 5, figsize=(13, 5.6), layout="constrained")
for axis, (name, Z) in zip(axes.flat, seen.items(), strict=True):
    for species, (colour, marker) in enumerate(
        [("#0072B2", "o"), ("#E69F00", "^"), ("#009E73", "s")]
    ):
        axis.scatter(
            *Z[y_test == species].T, s=16, color=colour, marker=marker, label=f"wine {species}"
        )
    axis.set_title(f"{name}\n{right[name]:.0%} right", fontsize=10)
    axis.set(xticks=[], yticks=[])
    axis.set(xlabel="first direction", ylabel="second direction")
figure.legend(*axis.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False)
plt.show()
