"""How fast neighbours are found: against scikit-learn's fastest exact search, and approximately.

    python benchmarks/neighbors.py exact            about ten minutes on two cores
    python benchmarks/neighbors.py approximate      about five
    python benchmarks/neighbors.py million          about ten
    python benchmarks/neighbors.py crossover        about five

Speed is told as a ratio of times measured in one run, each the best of those taken in turn. All
cores are used; set THREADS=1 in the environment on a busy machine, where threads that wait for each
other measure nothing: then processor time is compared.
"""

import argparse
import os
import resource
import time
from functools import partial

import numpy as np
from sklearn.datasets import make_blobs, make_classification
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from errata._neighbors import _exact
from errata.hardness import nearest

K = 5
THREADS = int(os.environ.get("THREADS", -1))
CLOCK = time.process_time if THREADS == 1 else time.perf_counter
ALGORITHMS = ("kd_tree", "ball_tree", "brute")


def gaussian(n, d):
    """No structure at all: the worst case for trees and cells."""
    return np.random.RandomState(0).normal(size=(n, d))


def on_few_dimensions(n, d):
    """Many features, but five dimensions."""
    return make_classification(n, d, n_informative=5, n_redundant=d - 5, random_state=0)[0]


def clustered(n, d):
    return make_blobs(n, d, centers=50, random_state=0)[0]


def best_times(candidates, repeats):
    """{name: seconds}, the candidates taking turns so that a busy machine is fair to all."""
    times = dict.fromkeys(candidates, np.inf)
    for _ in range(repeats):
        for name, run in candidates.items():
            start = CLOCK()
            run()
            times[name] = min(times[name], CLOCK() - start)
    return times


def scikit_learn(X, algorithm):
    search = NearestNeighbors(n_neighbors=K, algorithm=algorithm, n_jobs=THREADS)
    return search.fit(X).kneighbors(return_distance=False)


def compare_exact(make, n, d, repeats):
    X = make(n, d)
    rivals = {a: lambda a=a: scikit_learn(X, a) for a in ALGORITHMS if not hopeless(make, n, d, a)}
    times = best_times({"errata": lambda: nearest(X, K, n_jobs=THREADS), **rivals}, repeats)
    ours = times.pop("errata")
    rival = min(times, key=times.get)
    print(f"{make.__name__:18} n={n:<7} d={d:<3} {ours / times[rival]:5.2f} x {rival}", flush=True)


def hopeless(make, n, d, algorithm):
    """Leave out what cannot be the fastest and would take very long."""
    if make is on_few_dimensions:
        return algorithm == "brute"
    if n < 10_000:
        return False
    return (algorithm == "brute" and d <= 4) or (algorithm != "brute" and d > 10)


def exact():
    print("exact search, time over that of scikit-learn's fastest algorithm")
    for n, ds, repeats in [(1_000, (2, 8, 20), 30), (10_000, (2, 5, 8, 9, 12, 20, 60), 5)]:
        for d in ds:
            compare_exact(gaussian, n, d, repeats)
    for d in (2, 5, 8, 20):
        compare_exact(gaussian, 50_000, d, 2)
    compare_exact(on_few_dimensions, 20_000, 20, 2)
    compare_exact(on_few_dimensions, 50_000, 20, 2)


def compare_approximate(make, n, d, repeats=2):
    X = make(n, d)
    kept = {}

    def run(approximate):
        kept[approximate] = nearest(X, K, approximate=approximate, random_state=0, n_jobs=THREADS)

    times = best_times({a: lambda a=a: run(a) for a in (False, True)}, repeats)
    recall = np.mean([np.isin(a, b).mean() for a, b in zip(kept[True], kept[False], strict=True)])
    ratio = times[False] / times[True]
    print(f"{make.__name__:18} n={n:<7} d={d:<3} {ratio:5.1f} x, recall {recall:.4f}", flush=True)


def approximate():
    print("approximate search, times faster than exact")
    for make, n, d in [
        (gaussian, 20_000, 20),
        (gaussian, 100_000, 20),
        (clustered, 100_000, 20),
        (gaussian, 50_000, 100),
    ]:
        compare_approximate(make, n, d)


def million():
    X = gaussian(1_000_000, 20)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.perf_counter()
    found = nearest(X, K, approximate=True, random_state=0, n_jobs=THREADS)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sample = np.random.RandomState(1).choice(len(X), 500, replace=False)
    _, truth = _exact.settle(_exact.BruteSearch(X), X[sample], K, X, own=sample)
    recall = np.mean([np.isin(a, b).mean() for a, b in zip(found[sample], truth, strict=True)])
    print(f"n = 1,000,000, d = 20: recall {recall:.4f} on 500 rows, {seconds / 60:.1f} minutes,")
    print(f"memory {before:.0f} MB with the table alone, {peak:.0f} MB at most")


def crossover():
    print("tree over brute force, exact search of Gaussian rows")
    for n in (5_000, 20_000, 100_000):
        for d in (7, 8, 9, 10, 11):
            X = gaussian(n, d)
            queries = {"tree": _exact.TreeSearch(X, THREADS), "brute": _exact.BruteSearch(X)}
            points = X[:: max(1, n // 5_000)]
            runs = {name: partial(query, points, K + 2) for name, query in queries.items()}
            times = best_times(runs, 3)
            print(f"n={n:<7} d={d:<3} {times['tree'] / times['brute']:5.2f}", flush=True)


if __name__ == "__main__":
    parts = {f.__name__: f for f in (exact, approximate, million, crossover)}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="+", choices=parts)
    with threadpool_limits(None if THREADS < 0 else THREADS):
        for part in parser.parse_args().parts:
            parts[part]()
