"""Scores of methods on data sets: published ones, and tables to draw from."""

import csv
from importlib.resources import files
from itertools import combinations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

# AUC of C4.5, C4.5+m, C4.5+cf, C4.5+m+cf on 14 data sets: Demšar, JMLR 7 (2006), Table 6.
DEMSAR_PRINTED = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.975, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
# The paper gives the two 0.975 of "voting" the ranks 2 and 3, not 2.5 each: they were equal only
# after rounding. A fourth digit brings its ranks back.
DEMSAR = DEMSAR_PRINTED.copy()
DEMSAR[12, 2] += 0.0001

METHODS = ["Perceptron", "Random Subspace", "Bagging", "Proposed (Linear)", "Proposed (Softmax)"]
NOISE = ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]

# Few different scores, hence many ties; whole numbers, so that transformations are exact.
tables = hnp.arrays(
    float, st.tuples(st.integers(2, 9), st.integers(3, 6)), elements=st.integers(0, 9)
)


def published(name):
    with (files("errata.bench") / "published" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def walmsley(noise):
    """Accuracy of five methods on 15 data sets: Walmsley (2017), Tables 4.2.1 to 4.2.6."""
    rows = [row for row in published("walmsley_2017_accuracy") if row["noise_level"] == noise]
    cells = {(row["dataset"], row["method"]): float(row["mean"]) for row in rows}
    datasets = sorted({row["dataset"] for row in rows})
    return np.array([[cells[dataset, method] for method in METHODS] for dataset in datasets])


def walmsley_p_values():
    return {row["noise_level"]: row for row in published("walmsley_2017_friedman")}


def differing(ranks, cd):
    """Pairs of methods whose average ranks lie at least ``cd`` apart, by the last word."""
    words = [name.split()[-1].strip("()") for name in METHODS]
    pairs = combinations(range(len(ranks)), 2)
    return {frozenset([words[i], words[j]]) for i, j in pairs if abs(ranks[i] - ranks[j]) >= cd}


def random_table(seed, n=12, k=5):
    return np.random.default_rng(seed).normal(size=(n, k)) + np.linspace(0, 1, k)
