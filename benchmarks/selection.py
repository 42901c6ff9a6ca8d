"""How fast are columns chosen, in how much memory, and what are the estimates worth?

    python benchmarks/selection.py speed                   everything, about five minutes
    python benchmarks/selection.py speed path columns      some of it
    python benchmarks/selection.py estimates norms         a minute: two norms, and the truth
    python benchmarks/selection.py estimates errors        three minutes: halves, bootstrap
    python benchmarks/selection.py estimates speed         a minute: against scikit-learn, trees

Every ratio is of processor times on one thread in one run. ``path`` compares a backward search with
a loop that builds k-d trees for each subset; ``columns`` compares the information of single columns
with scikit-learn's; ``memory`` is what a search takes beyond the table and the libraries.
"""

import argparse
import subprocess
import sys
import warnings

import numpy as np
from runs import asked, fastest, main, read_memory, seconds
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from scipy.special import digamma
from sklearn.datasets import make_classification
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from errata.feature_selection import MutualInformationSelector, mutual_information
from errata.feature_selection._estimates import NumericInformation
from errata.feature_selection._path_display import score_halves
from errata.feature_selection._selector import search_backward

# Speed and memory.

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
    ours, selector = fastest(lambda: fit(X, y))
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
    standard, _ = fastest(lambda: fit(X, y))
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
    command = [sys.executable, __file__, "speed", "--child", str(n), str(p), noise]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def child(n, p, noise):
    """The peak of a few steps: it is reached in the first, which has most candidates."""
    label_noise = None if noise == "none" else noise
    small = warm_up()
    fit(*small, label_noise=label_noise)
    X, y = table(n, p)
    before = read_memory()
    fit(X, y, n_features_to_select=p - 2, label_noise=label_noise)
    print((read_memory() - before) / 1024)


def columns():
    rng = np.random.RandomState(0)
    n, p, k = 100_000, 20, 3
    y = rng.randint(4, size=n)
    X = rng.normal(size=(n, p)) + y[:, None] * np.linspace(0, 2, p)
    ours, values = fastest(lambda: singles(X, y, k))
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


def run_speed():
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


# Estimates.


def norms(rho=0.9, n=1000, k=3, n_seeds=6):
    """A Gaussian target that d columns tell together, each as much as the others."""
    print(f"correlation {rho}, {n} rows, k = {k}; truth {-np.log(1 - rho**2) / 2:.3f} nats")
    for d in (1, 2, 3, 5, 10):
        found = {norm: [] for norm in ("chebyshev", "euclidean")}
        for seed in range(n_seeds):
            random = np.random.default_rng(seed)
            X, noise = random.normal(size=(n, d)), random.normal(size=n)
            target = rho * X.sum(axis=1) / np.sqrt(d) + np.sqrt(1 - rho**2) * noise
            for norm in found:
                found[norm].append(kraskov(cdist(X, X, norm), cdist(*[target[:, None]] * 2), k))
        print(f"  d = {d:2}", *(f"  {norm} {np.mean(found[norm]):.3f}" for norm in found))


def kraskov(in_columns, in_target, k):
    """The estimate from two tables of distances, whatever the norm of either."""
    n = len(in_target)
    for distances in (in_columns, in_target):
        np.fill_diagonal(distances, np.inf)
    radii = np.partition(np.maximum(in_columns, in_target), k - 1, axis=1)[:, k - 1 : k]
    counts = [(distances < radii).sum(axis=1) for distances in (in_columns, in_target)]
    return digamma(k) + digamma(n) - digamma(np.add(counts, 1)).sum(axis=0).mean()


def errors(n_samples=40, n_bootstraps=10):
    """The deviation of scores over new samples, and what halves and bootstraps say it is."""
    sizes = range(1, 9)
    for n in (100, 400):
        samples = [overlapping(n, seed) for seed in range(n_samples)]
        scores, halves, bootstraps = [], [], []
        for seed, (X, y) in enumerate(samples):
            selector = MutualInformationSelector(random_state=0).fit(X, y)
            scores.append(list(selector.scores_.values()))
            halves.append(score_halves(selector, X, y, sizes, 20, random_state=seed, n_jobs=None))
            drawn = np.random.RandomState(seed).choice(n, (n_bootstraps, n))
            bootstraps.append(
                [list(selector.fit(X[rows], y[rows]).scores_.values()) for rows in drawn]
            )
        truth = np.std(scores, axis=0, ddof=1)
        print(f"{n} rows, sizes 1 to 8; mean score  {np.mean(scores, axis=0).round(3)}")
        for name, draws in (("halves", halves), ("bootstrap", bootstraps)):
            spread = np.sqrt(np.var(draws, axis=1, ddof=1).mean(axis=0))
            mean = np.mean(draws, axis=(0, 1)) - np.mean(scores, axis=0)
            print(f"  {name:9} error by true error {(spread / truth).round(2)}")
            print(f"  {'':9} mean score, less that of all rows {mean.round(3)}")


def overlapping(n, seed, p=8):
    """Two classes that three of eight columns tell apart, a tenth of the labels wrong."""
    random = np.random.RandomState(seed)
    y, X = np.repeat([0, 1], n // 2), random.normal(size=(n, p))
    X[:, 0] += 2 * y
    X[:, 1] += y
    X[:, 2] = X[:, 0] + random.normal(size=n) / 2
    return X, np.where(random.rand(n) < 0.1, 1 - y, y)


def speed(n=10_000, p=20):
    random = np.random.RandomState(0)
    X = random.normal(size=(n, p))
    target = X[:, 0] + X[:, 1] * X[:, 2] + random.normal(size=n) / 2
    X, target = X / X.std(axis=0), target / target.std()
    ours, information = seconds(lambda: NumericInformation(X, target, 3).scores_with((), range(p)))
    theirs, known = seconds(lambda: mutual_info_regression(X, target, random_state=0))
    apart = np.abs(np.maximum(information, 0) - known).max()
    print(f"one column of {n} rows: {theirs / ours:.1f} times as fast as mutual_info_regression,")
    print(f"  values {apart:.0e} apart")
    X, target = X[:2000], target[:2000]
    criterion = NumericInformation(X, target, 8)
    criterion.scores_without(range(4))  # compiled now
    ours, _ = seconds(lambda: search_backward(criterion, range(p), 1, progress=lambda *_: None))
    # One subset of each size, times how many there are: the loop itself takes minutes.
    theirs = sum(
        (d + 1) * seconds(lambda d=d: by_trees(X[:, :d], target, 8))[0] for d in range(1, p)
    )
    print(f"backward path of 2000 x {p}: {theirs / ours:.0f} times as fast as a loop with trees")


def by_trees(X, target, k):
    joint, target = np.column_stack([X, target]), target[:, None]
    radii = np.nextafter(cKDTree(joint).query(joint, [k + 1], p=np.inf)[0][:, 0], 0)
    counts = [
        cKDTree(points).query_ball_point(points, radii, p=np.inf, return_length=True)
        for points in (X, target)
    ]
    return digamma(k) + digamma(len(X)) - digamma(counts).sum(axis=0).mean()


def run_estimates():
    studies = {"norms": norms, "errors": errors, "speed": speed}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=studies)
    studies[parser.parse_args().study]()


if __name__ == "__main__":
    main(__doc__, speed=run_speed, estimates=run_estimates)
