"""
Bagging by hardness
===================

Bagging draws every row as often as any other, so that wrong labels are in every bag.
:class:`errata.ensemble.HardnessBaggingClassifier` draws a row the less often, the more its
neighbours disagree with its label. The curves are accuracies on clean test rows as more and more
training labels are wrong. With right labels plain bagging is a little ahead; from one wrong label
in ten on it falls behind, and at three in ten by far.

Use it as you would use scikit-learn's bagging, where labels are wrong at random and neighbours can
tell. It costs one search for neighbours more. Scale the features first.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import Perceptron
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MinMaxScaler

from errata.ensemble import HardnessBaggingClassifier, selection_probabilities
from errata.noise import flip_labels

# %%
# How often a row is drawn
# ------------------------
# Hardness is the fraction of a row's neighbours with another label. The easiest rows are drawn
# seven times as often as the hardest, or e times with the gentler ``"softmax"``; none is shut out.

hardness = np.linspace(0, 1, 6)
for shape in ("linear", "softmax"):
    probability = selection_probabilities(hardness, shape)
    print(f"{shape:8}", (probability / probability[-1]).round(2))

# %%
# More and more wrong labels
# --------------------------
# With one seed, what a lower rate flips a higher rate flips too: the curves show the effect of more
# noise and not of other noise.

RATES = [0, 0.1, 0.2, 0.3, 0.4]
MODELS = {
    "by hardness": lambda seed: HardnessBaggingClassifier(n_estimators=30, random_state=seed),
    "plain": lambda seed: BaggingClassifier(Perceptron(), 30, random_state=seed),
}
X, y = load_breast_cancer(return_X_y=True)
accuracy = {name: np.empty((3, len(RATES))) for name in MODELS}
for seed in range(3):
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=seed)
    scaler = MinMaxScaler().fit(X_train)
    X_train, X_test = scaler.transform(X_train), scaler.transform(X_test)
    for column, rate in enumerate(RATES):
        labels, _ = flip_labels(y_train, rate, random_state=seed)
        for name, make in MODELS.items():
            accuracy[name][seed, column] = make(seed).fit(X_train, labels).score(X_test, y_test)

for name, scores in accuracy.items():
    print(f"{name:12}", "  ".join(f"{score:.1%}" for score in scores.mean(axis=0)))

# %%
# Mean of three draws, and each of them
# -------------------------------------

figure, axis = plt.subplots(figsize=(8, 4.6), layout="constrained")
for (name, scores), colour, marker in zip(
    accuracy.items(), ("#0072B2", "#D55E00"), "os", strict=True
):
    axis.plot(RATES, scores.T, color=colour, linewidth=0.7, alpha=0.4)
    axis.plot(RATES, scores.mean(axis=0), color=colour, linewidth=2.5, marker=marker, label=name)
axis.set_xticks(RATES, [f"{rate:.0%}" for rate in RATES])
axis.set(xlabel="wrong training labels", ylabel="accuracy on clean test rows")
axis.set_title("Thirty perceptrons, bagged two ways (breast cancer)")
axis.legend(title="rows are drawn", frameon=False)
axis.spines[["top", "right"]].set_visible(False)
plt.show()
