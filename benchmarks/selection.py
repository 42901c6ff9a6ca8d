"""How fast columns are chosen, and in how much memory: ratios of processor times in one run.

    python benchmarks/selection.py                      # everything, about five minutes
    python benchmarks/selection.py path columns         # some of it

Every ratio is of one thread. ``path`` compares a backward search with a loop that builds k-d trees
for each subset; ``columns`` compares the information of single columns with scikit-learn's;
``memory`` is what a search takes beyond the table and the libraries, in a process of its own.
"""

import argparse
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
from runs import asked, seconds
from scipy.spatial import cKDTree
from scipy.special import digamma
from sklearn.datasets import make_classification
from sklearn.feature_selection import mutual_info_classif
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from errata.feature_selection import MutualInformationSelector, mutual_information

K = 8


def table(n, p, n_classes=4):
    return make_classification(
        n, p, n_informative=8, n_redundant=4, n_classes=n_classes, random_state=0
    )


def fit(X, y, **parameters):
    return MutualInformationSelector(random_state=0, jitter=0, **parameters).fit(X, y)


def warm_up():
    """Compile what is compiled on first use."""
    X, y = table(200, 12)
    fit(X, y)
    return X, y


# A search as one would write it down.


def information_by_trees(X, y, reach):
    n, d = X.shape
    total = n * (digamma(n) - digamma(K)) + d * np.log(reach(X)).sum()
    for c in np.unique(y):
        inside, n_c = X[y == c], np.sum(y == c)
        total -= n_c * (digamma(n_c) - digamma(K)) + d * np.log(reach(inside)).sum()
    return total / n


def scikit_learn(X):
    search = NearestNeighbors(n_neighbors=K, algorithm="kd_tree").fit(X)
    return search.kneighbors()[0][:, -1]


def scipy(X):
    return cKDTree(X).query(X, K + 1)[0][:, -1]


def loop_over_trees(X, y, reach):
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    subset = list(range(X.shape[1]))
    path = {len(subset): subset}
    while len(subset) > 1:
        smaller = [[i for i in subset if i != j] for j in subset]
        scores = [information_by_trees(X[:, s], y, reach) for s in smaller]
        subset = smaller[int(np.argmax(scores))]
        path[len(subset)] = subset
    return path


def path():
    X, y = table(2_000, 20)
    ours, selector = best(lambda: fit(X, y))
    common, expected = seconds(lambda: loop_over_trees(X, y, scikit_learn))
    quickest, _ = seconds(lambda: loop_over_trees(X, y, scipy))
    same = all(np.array_equal(selector.path_[size], expected[size]) for size in expected)
    asked(
        f"full backward path, n = 2,000, p = 20, 4 classes ({ours:.1f} s)",
        [
            ("time over a loop with scikit-learn's k-d tree", ours / common, "<=", 1 / 20),
            ("time over a loop with scipy's, which is quicker", ours / quickest, "<=", 1 / 20),
            ("subsets are the same (1 for yes)", same, ">=", 1),
        ],
    )


def tolerant():
    X, y = table(2_000, 20)
    standard, _ = best(lambda: fit(X, y))
    noisy, _ = seconds(lambda: fit(X, y, label_noise="tolerant"))
    asked(
        "labels that may be wrong, the same path",
        [("time over that for labels taken as they are", noisy / standard, "<=", 6)],
    )


def memory():
    figures = [
        (f"n = {n}, p = {p}, {about} (MB)", peak(n, p, noise), "<=", 250)
        for noise, about in (("none", "labels as they are"), ("tolerant", "noisy labels"))
        for n, p in ((2_000, 20), (5_000, 40))
    ]
    asked("memory of a backward search beyond the table", figures)


def peak(n, p, noise):
    command = [sys.executable, __file__, "--child", str(n), str(p), noise]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def child(n, p, noise):
    """The peak of a few steps: it is reached in the first, which has most candidates."""
    label_noise = None if noise == "none" else noise
    small = warm_up()
    fit(*small, label_noise=label_noise)
    X, y = table(n, p)
    before = peak_of_process()
    fit(X, y, n_features_to_select=p - 2, label_noise=label_noise)
    print((peak_of_process() - before) / 1024)


def peak_of_process():
    """In kB, of this process alone: ``ru_maxrss`` would begin with that of its parent."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1])


def columns():
    rng = np.random.RandomState(0)
    n, p, k = 100_000, 20, 3
    y = rng.randint(4, size=n)
    X = rng.normal(size=(n, p)) + y[:, None] * np.linspace(0, 2, p)
    ours, values = best(lambda: singles(X, y, k))
    theirs, expected = seconds(lambda: mutual_info_classif(X, y, n_neighbors=k, random_state=0))
    # Their standard deviation at this size, from that over tenths of the rows.
    tenths = np.array_split(np.arange(n), 10)
    drawn = [mutual_info_classif(X[t], y[t], n_neighbors=k, random_state=0) for t in tenths]
    spread = np.std(drawn, axis=0, ddof=1) / np.sqrt(10)
    asked(
        "information of 20 single columns, n = 100,000, 3 neighbours, beside mutual_info_classif",
        [
            ("times faster", theirs / ours, ">=", 5),
            (
                "root mean square difference over its spread",
                rms(values - expected, spread),
                "<=",
                2,
            ),
        ],
    )


def rms(difference, spread):
    return np.sqrt(np.mean((difference / spread) ** 2))


def singles(X, y, k):
    return np.array([mutual_information(x, y, n_neighbors=k) for x in X.T])


def best(work, repeats=3):
    """The least time of some, and what was returned."""
    runs = [seconds(work) for _ in range(repeats)]
    return min(time for time, _ in runs), runs[0][1]


if __name__ == "__main__":
    parts = {f.__name__: f for f in (path, columns, tolerant, memory)}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*parts, []], default=[])
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        if options.child:
            child(int(options.child[0]), int(options.child[1]), options.child[2])
        else:
            warm_up()
            for part in options.parts or parts:
                parts[part]()
