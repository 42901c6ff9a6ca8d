"""
Choosing features in spite of wrong labels
==========================================

Mutual information says how much columns tell together about the class, and wrong labels destroy it:
a row in the middle of another class has its companions far away. Frénay, Doquire and Verleysen
estimate how much each row belongs to each class, and information with the class instead of the
label. The curves are what a backward search finds the best columns of wine to be worth, size by
size: by right labels, by labels of which a fifth is wrong, and by the same with tolerance.

Use ``label_noise="tolerant"`` of :class:`errata.feature_selection.MutualInformationSelector` when
labels are wrong at random; errors near the borders of classes are outside its model.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

from errata.feature_selection import (
    LabelNoiseMemberships,
    MutualInformationSelector,
    mutual_information,
)
from errata.noise import flip_labels

X, y = load_wine(return_X_y=True)
labels, wrong = flip_labels(y, 0.2, random_state=0)

# %%
# What all thirteen columns tell, in nats
# ---------------------------------------

Z = scale(X)
noise = LabelNoiseMemberships(random_state=0).fit(X, labels)
print(f"with the class                 {mutual_information(Z, y):5.2f}")
print(f"with the label                 {mutual_information(Z, labels):5.2f}")
tolerant = mutual_information(Z, labels, memberships=noise.memberships_)
print(f"with what rows seem to be      {tolerant:5.2f}")
print(f"error rates found              {noise.error_rates_.round(2)}, truly 0.2")

# %%
# Three searches
# --------------

SEARCHES = {
    "right labels": (y, None),
    "a fifth wrong": (labels, None),
    "a fifth wrong, tolerant": (labels, "tolerant"),
}
paths = {
    name: MutualInformationSelector(label_noise=mode, random_state=0).fit(X, target)
    for name, (target, mode) in SEARCHES.items()
}
for name, selector in paths.items():
    print(f"{name:24} best four columns: {sorted(selector.path_[4].tolist())}")

# %%
# What the best columns are worth
# -------------------------------

STYLES = {
    "right labels": ("#555555", "s", "--"),
    "a fifth wrong": ("#D55E00", "v", "-"),
    "a fifth wrong, tolerant": ("#0072B2", "o", "-"),
}
figure, axis = plt.subplots(figsize=(8, 5), layout="constrained")
for name, (colour, marker, line) in STYLES.items():
    scores = paths[name].scores_
    axis.plot(
        list(scores), list(scores.values()), color=colour, marker=marker, linestyle=line, label=name
    )
axis.axhline(0, color="black", linewidth=0.8)
axis.set_xticks(range(1, 14))
axis.set(xlabel="number of columns", ylabel="mutual information (nats)")
axis.set_title("The best columns of every size, by what they tell of the class (wine)")
axis.legend(frameon=False)
axis.spines[["top", "right"]].set_visible(False)
plt.show()
