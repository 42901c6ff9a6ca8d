"""What the estimates of feature selection are worth: norms, standard errors, speed.

    python benchmarks/selection_estimates.py norms      a minute: two norms, and the truth
    python benchmarks/selection_estimates.py errors     three minutes: halves, bootstrap
    python benchmarks/selection_estimates.py speed      a minute: against scikit-learn, trees

Speed is processor time, as a ratio within one run.
"""

import argparse

import numpy as np
from runs import seconds
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist
from scipy.special import digamma
from sklearn.feature_selection import mutual_info_regression

from errata.feature_selection import MutualInformationSelector
from errata.feature_selection._criteria import NumericInformation
from errata.feature_selection._path_display import scores_of_halves
from errata.feature_selection._search import search_backward


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
            halves.append(
                scores_of_halves(selector, X, y, sizes, 20, random_state=seed, n_jobs=None)
            )
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


if __name__ == "__main__":
    studies = {"norms": norms, "errors": errors, "speed": speed}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("study", choices=studies)
    studies[parser.parse_args().study]()
