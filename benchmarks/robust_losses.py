"""Do bounded losses beat a support vector machine? `python benchmarks/robust_losses.py FOLDER`

Accuracy on clean test rows after learning from 400 rows (three fifths of smaller sets) with wrong
labels, features standardised: means over twenty data sets of the folder, bundled and drawn ones
among them, for each kind of noise; on how many sets each is better and worse than SVC with its
defaults, and the p-value of Wilcoxon's signed-rank test of that.
"""

import argparse

import numpy as np
from noisy_sets import inject, load
from scipy.stats import wilcoxon
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from errata.tolerant import KernelRobustLossClassifier, RobustLossClassifier

SETS = (
    "australian", "balance_scale", "breast_cancer", "credit_g", "heart_statlog", "ionosphere",
    "moons", "overlap", "pima", "ringnorm", "satimage", "segment", "sonar", "spambase", "threenorm",
    "twonorm", "vehicle", "vowel", "waveform21", "wine",
)  # fmt: skip
KINDS = ("ncar20", "ncar30", "nar20", "nnar20")
MODELS = {
    "SVC": SVC(),
    "logistic regression": LogisticRegression(max_iter=1000),
    "linear, GCE": RobustLossClassifier(),
    "kernel, GCE": KernelRobustLossClassifier(),
    "kernel, ramp": KernelRobustLossClassifier("ramp", C=0.1),
    "kernel, Savage": KernelRobustLossClassifier("savage", C=1.0),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="where load_dataset finds its files")
    folder = parser.parse_args().folder
    table = np.array([[accuracies(name, kind, folder) for kind in KINDS] for name in SETS])
    print(f"{'accuracy (%)':20}", *(f"{kind:>7}" for kind in KINDS), "  better  worse  p")
    by_set = table.mean(axis=1)
    for m, model in enumerate(MODELS):
        means = " ".join(f"{100 * mean:7.1f}" for mean in table[:, :, m].mean(axis=0))
        print(f"{model:20} {means}  {against(by_set[:, m], by_set[:, 0])}")


def against(ours, theirs):
    gain = ours - theirs
    p = wilcoxon(gain).pvalue if gain.any() else 1.0
    return f"{(gain > 0).sum():6d} {(gain < 0).sum():6d}  {p:.2f}"


def accuracies(name, kind, folder):
    X, y = load(name, 1400, 0, folder)
    n = 400 if len(y) > 550 else 3 * len(y) // 5
    labels, _ = inject(X[:n], y[:n], kind, name, 0)
    fitted = [make_pipeline(StandardScaler(), m).fit(X[:n], labels) for m in MODELS.values()]
    return [model.score(X[n:], y[n:]) for model in fitted]


if __name__ == "__main__":
    main()
