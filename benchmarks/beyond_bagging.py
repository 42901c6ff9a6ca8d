"""Does hardness help outside of bagging? `python benchmarks/beyond_bagging.py FOLDER`

Accuracy on clean test labels, with 0 to 40 % of the training labels wrong: boosting from weights
that fall with hardness, and pools whose members vote where they are competent, beside their plain
selves. FOLDER holds the data sets as CSV files; at most 1500 rows of each are used.
"""

import argparse
import itertools

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from errata.datasets import load_dataset
from errata.ensemble import (
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    HardnessBaggingClassifier,
)
from errata.noise import flip_labels

SETS = (
    "wdbc", "pima", "ionosphere", "liver_bupa", "glass", "haberman", "vertebral2", "ecoli",
    "yeast", "vowel528", "sonar", "breast_w",
)  # fmt: skip
LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4)


def alike(X, y):
    return np.zeros(len(y))


METHODS = {
    "AdaBoost": DiscreteAdaBoostClassifier(),
    "AdaBoost from hardness": DiscreteAdaBoostClassifier(hardness="kdn"),
    "GentleBoost": GentleBoostClassifier(),
    "GentleBoost from hardness": GentleBoostClassifier(hardness="kdn"),
    "bagging": HardnessBaggingClassifier(hardness=alike),
    "bagging, local votes": HardnessBaggingClassifier(hardness=alike, voting="local"),
    "hardness bagging": HardnessBaggingClassifier(),
    "hardness bagging, local votes": HardnessBaggingClassifier(voting="local"),
}


def accuracies(name, level, repetition, folder):
    X, y = load_dataset(name, folder=folder, return_X_y=True)
    complete = np.flatnonzero(~np.isnan(X).any(axis=1))
    rows = np.random.RandomState(repetition).permutation(complete)[:1500]
    X, y = X[rows], y[rows]
    split = StratifiedShuffleSplit(1, train_size=0.6, random_state=repetition)
    train, test = next(split.split(X, y))
    labels, _ = flip_labels(y[train], level, random_state=repetition)
    found = []
    for method in METHODS.values():
        if "random_state" in method.get_params():
            method.set_params(random_state=repetition)
        model = make_pipeline(MinMaxScaler(), method).fit(X[train], labels)
        found.append(100 * model.score(X[test], y[test]))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_args()
    cells = list(itertools.product(SETS, LEVELS, range(options.repetitions)))
    found = Parallel(n_jobs=options.jobs)(
        delayed(accuracies)(*cell, options.folder) for cell in cells
    )
    found = np.reshape(found, (len(SETS), len(LEVELS), options.repetitions, len(METHODS)))
    print(f"mean accuracy over {len(SETS)} data sets, {options.repetitions} repetitions")
    print(" " * 30, *(f"{level:7.0%}" for level in LEVELS))
    for name, means in zip(METHODS, found.mean(axis=(0, 2)).T, strict=True):
        print(f"{name:30s}", *(f"{mean:7.2f}" for mean in means))


if __name__ == "__main__":
    main()
