"""Do boosters that hold weights back beat AdaBoost? `python benchmarks/tempered_boosting.py`

Accuracy on clean test rows after learning from noisy ones, 50 rounds of the same trees (stumps for
two classes, depth 2 for more), means over five seeds: one row for each bundled or drawn data set.
"""

import argparse
import warnings

import numpy as np
from noisy_sets import BUNDLED, SYNTHETIC, inject, load

from errata.ensemble import (
    AveBoostClassifier,
    DiscreteAdaBoostClassifier,
    MadaBoostClassifier,
    ORBoostClassifier,
)
from errata.exceptions import SuspicionWarning

BOOSTERS = (DiscreteAdaBoostClassifier, MadaBoostClassifier, AveBoostClassifier, ORBoostClassifier)
KINDS = ("clean", "ncar10", "ncar30", "nar20")


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    warnings.simplefilter("ignore", SuspicionWarning)
    print("accuracy (%): AdaBoost, MadaBoost, AveBoost2, ORBoost, for each of", ", ".join(KINDS))
    table = []
    for name in (*BUNDLED, *SYNTHETIC):
        table.append([mean_accuracies(name, kind) for kind in KINDS])
        print(f"{name:14}", show(table[-1]))
    print(f"{'mean':14}", show(np.mean(table, axis=0)))
    better = (np.array(table)[:, :, 1:] > np.array(table)[:, :, :1]).sum(axis=0)
    print(f"sets of {len(table)} on which each of the last three beats AdaBoost:", better.tolist())


def show(accuracies):
    return "   ".join(" ".join(f"{100 * a:5.1f}" for a in kind) for kind in accuracies)


def mean_accuracies(name, kind):
    return np.mean([accuracies(name, kind, seed) for seed in range(5)], axis=0)


def accuracies(name, kind, seed):
    X, y = load(name, 600, seed, None)
    half = len(y) // 2
    labels, _ = inject(X[:half], y[:half], kind, name, seed)
    depth = 1 if y.max() == 1 else 2
    fitted = [b(n_estimators=50, max_depth=depth).fit(X[:half], labels) for b in BOOSTERS]
    return [np.mean(model.predict(X[half:]) == y[half:]) for model in fitted]


if __name__ == "__main__":
    main()
