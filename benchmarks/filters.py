"""How good and how fast are the filters, and the search for neighbours under them?

    python benchmarks/filters.py quality --data FOLDER     every filter on the sets of detection.py
    python benchmarks/filters.py quality --summary         of what was measured so far
    python benchmarks/filters.py crossval                  time beside cross_val_predict
    python benchmarks/filters.py neighbors quality         neighbour filters, about two minutes
    python benchmarks/filters.py neighbors time            where their time goes, about three
    python benchmarks/filters.py search exact              about ten minutes on two cores
    python benchmarks/filters.py search approximate        about five
    python benchmarks/filters.py search million            about ten
    python benchmarks/filters.py search crossover          about five

``quality`` has imbalanced-learn's editors, and cleanlab's filter on the probabilities of a forest,
beside ours, where they are installed; all on standardised features with their defaults.
``neighbors``: mean F1 of the flags and average precision on ten sets of 400 rows, with 10 and 30 %
of errors at random and 20 % near borders; the time is at 50,000 rows and 20 features. ``search``
compares with scikit-learn's fastest exact search, and uses all cores; set THREADS=1 in the
environment on a busy machine: then processor times are compared.
"""

import argparse
import itertools
import os
import resource
import time
import warnings
from functools import partial

import numpy as np
import pandas as pd
from detection import cleanlab_filter, cleanlab_flags, measure, out_of_fold
from runs import KINDS, inject, load, main, names, options, run, seconds, show, take_turns
from sklearn.datasets import make_blobs, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from errata import elm, feature_selection, filters, hardness
from errata._neighbors import BruteSearch, NeighborIndex, TreeSearch, find_nearest
from errata.filters import (
    AllNeighborsFilter,
    CrossValFilter,
    CutEdgeFilter,
    EditedNeighborsFilter,
    GeneralizedEditionFilter,
    ModeFilter,
    RepeatedEditedFilter,
    VotingFilter,
)
from errata.hardness import NeighborDisagreement, nearest
from errata.noise import flip_labels

# All filters.

try:
    from imblearn import under_sampling
except ImportError:
    under_sampling = None

KEYS = ("dataset", "kind", "seed")
COLUMNS = ("method", "ap", "f1", "precision", "recall", "flagged", "seconds")
OURS = {
    "CrossValFilter": filters.CrossValFilter(),
    "VotingFilter": filters.VotingFilter(),
    "VotingFilter, consensus": filters.VotingFilter(vote="consensus"),
    "BaggingFilter": filters.BaggingFilter(),
    "PartitionFilter": filters.PartitionFilter(),
    "PartitionFilter, iterated": filters.Cleaner(
        filters.PartitionFilter(), max_iter=50, tol=0.01, patience=3
    ),
    "EditedNeighborsFilter": filters.EditedNeighborsFilter(),
    "RepeatedEditedFilter": filters.RepeatedEditedFilter(),
    "AllNeighborsFilter": filters.AllNeighborsFilter(),
    "GeneralizedEditionFilter": filters.GeneralizedEditionFilter(),
    "CutEdgeFilter": filters.CutEdgeFilter(),
    "NeighborDisagreement(10)": hardness.NeighborDisagreement(n_neighbors=10),
    "BoostEdgeFilter": filters.BoostEdgeFilter(),
    "BoostWeightFilter": filters.BoostWeightFilter(),
    "MarginPeeler": filters.MarginPeeler(),
    "ModeFilter": filters.ModeFilter(),
    "VotingFilter, SVC alone": filters.VotingFilter([SVC()]),
    "ELMClassifier": elm.ELMClassifier(),
    "LabelNoiseMemberships": feature_selection.LabelNoiseMemberships(),
}


def cell(name, kind, seed, rows, data):
    X, y = load(name, rows, seed, data)
    noisy, wrong = inject(X, y, kind, name, seed)
    X, codes = StandardScaler().fit_transform(X), np.unique(noisy, return_inverse=True)[1]
    found = []
    for method, detect in {**ours(seed), **theirs()}.items():
        took, answer = seconds(partial(detect, X, codes))
        row = measure(answer, wrong)
        row["ap"] = row["ap"] if np.ptp(answer["suspicion"]) else np.nan
        found.append({c: row.get(c) for c in COLUMNS} | {"method": method, "seconds": took})
    return found


def ours(seed):
    return {name: partial(fitted, detector, seed) for name, detector in OURS.items()}


def fitted(detector, seed, X, y):
    names = [name for name in detector.get_params() if name.endswith("random_state")]
    model = detector.set_params(**dict.fromkeys(names, seed)).fit(X, y)
    return {"suspicion": model.suspicion_, "flagged": model.flagged_}


def theirs():
    peers = {} if cleanlab_filter is None else {"cleanlab, forest": by_cleanlab}
    if under_sampling is None:
        return peers
    editors = {
        "imbalanced-learn ENN": under_sampling.EditedNearestNeighbours(sampling_strategy="all"),
        "imbalanced-learn ENN, mode": under_sampling.EditedNearestNeighbours(
            sampling_strategy="all", kind_sel="mode"
        ),
        "imbalanced-learn AllKNN": under_sampling.AllKNN(sampling_strategy="all"),
        "imbalanced-learn Tomek links": under_sampling.TomekLinks(sampling_strategy="all"),
    }
    return peers | {name: partial(by_sampler, sampler) for name, sampler in editors.items()}


def by_cleanlab(X, y):
    p = out_of_fold(RandomForestClassifier(100, random_state=0), X, y)
    return {"suspicion": 1 - p[np.arange(len(y)), y], **cleanlab_flags(p, y)}


def by_sampler(sampler, X, y):
    """A sampler says yes or no and ranks nothing: no average precision."""
    sampler.fit_resample(X, y)
    flagged = np.ones(len(y), dtype=bool)
    flagged[sampler.sample_indices_] = False
    return {"suspicion": np.zeros(len(y)), "flagged": flagged}


def summarise(path):
    table = pd.read_csv(path)
    table["f1"] = table.f1.fillna(0)
    sets = table.dataset.nunique()
    for column in ("ap", "f1"):
        means = table.pivot_table(column, "method", "kind")
        means["mean"] = means.mean(axis=1)
        if column == "f1":
            wide = table.pivot_table("f1", ["dataset", "kind", "seed"], "method")
            means["rank"] = wide.rank(axis=1, ascending=False).mean()
            means["seconds"] = table.groupby("method").seconds.mean()
        show(f"{column}, {sets} sets", means.sort_values("mean", ascending=False))


def run_quality():
    parser = options(__doc__, "filters.csv")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--sets", choices=["chosen", "held", "unseen", "all"], default="chosen")
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    if not args.summary:
        chosen = names(args.data, args.sets)
        cells = [(n, k, s) for s, n, k in itertools.product(range(args.seeds), chosen, KINDS)]
        run(partial(cell, rows=args.rows, data=args.data), cells, KEYS, COLUMNS, args)
    summarise(args.out)


# Filters by cross-validation.


def peer(models, folds, method):
    """Out-of-fold predictions of each model by scikit-learn."""
    splitter = StratifiedKFold(folds, shuffle=True, random_state=0)

    def predict(X, y):
        for model in models:
            cross_val_predict(model, X, y, cv=splitter, method=method)

    return predict


def crossval_seconds(function, X, y):
    start = time.process_time()
    function(X, y)
    return time.process_time() - start


def ratio(ours, theirs, X, y, repeats):
    pairs = [(crossval_seconds(ours, X, y), crossval_seconds(theirs, X, y)) for _ in range(repeats)]
    ours, theirs = (min(times) for times in zip(*pairs, strict=True))
    return ours / theirs, theirs


def cases():
    forest, logistic = RandomForestClassifier(random_state=0), LogisticRegression(max_iter=200)
    trio = [DecisionTreeClassifier(random_state=0), KNeighborsClassifier(1)]
    trio.append(LinearDiscriminantAnalysis())
    for name, model in (("forest", forest), ("logistic", logistic)):
        filter_ = CrossValFilter(model, random_state=0)
        yield f"CrossValFilter, {name}", filter_.fit, peer([model], 5, "predict_proba")
    yield "VotingFilter", VotingFilter(trio, random_state=0).fit, peer(trio, 4, "predict")


def run_crossval():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    X, y = make_classification(
        options.rows, 20, n_informative=8, n_classes=3, flip_y=0.1, random_state=0
    )
    for name, ours, theirs in cases():
        value, base = ratio(ours, theirs, X, y, options.repeats)
        print(f"{name:24s} {value:.2f} of cross_val_predict ({base:.2f} s)", flush=True)


# Neighbour filters.

FILTERS = (
    EditedNeighborsFilter(),
    EditedNeighborsFilter(n_neighbors=10),
    RepeatedEditedFilter(),
    AllNeighborsFilter(),
    GeneralizedEditionFilter(),
    NeighborDisagreement(n_neighbors=10),
    *(CutEdgeFilter(graph=graph) for graph in ("knn", "mutual_knn", "gabriel", "rng")),
    ModeFilter(),
    ModeFilter(max_iter=1),
)
NEIGHBORS_KINDS = ("ncar10", "ncar30", "nnar20")
SEARCH_ONCE = (EditedNeighborsFilter, AllNeighborsFilter, CutEdgeFilter, ModeFilter)


def quality():
    warnings.simplefilter("ignore")  # of classes that are spared
    found = np.zeros((len(FILTERS), len(NEIGHBORS_KINDS), 2))
    cases = [(name, seed) for name in names(None) for seed in range(3)]
    for name, seed in cases:
        X, y = load(name, 400, seed, None)
        for k, kind in enumerate(NEIGHBORS_KINDS):
            labels, wrong = inject(X, y, kind, name, seed)
            for f, filter_ in enumerate(FILTERS):
                filter_.fit(scale(X), labels)
                ap = average_precision_score(wrong, filter_.suspicion_)
                found[f, k] += np.array([f1_score(wrong, filter_.flagged_), ap]) / len(cases)
    print(f"{'F1, average precision':38}", *(f"{kind:>12}" for kind in (*NEIGHBORS_KINDS, "mean")))
    for filter_, scores in zip(FILTERS, found, strict=True):
        rows = [f"{f1:7.3f}{ap:6.3f}" for f1, ap in (*scores, scores.mean(axis=0))]
        print(f"{filter_!r:38}", *rows, flush=True)


def search_time(n=50_000, d=20, k=10):
    random = np.random.RandomState(0)
    y = random.randint(3, size=n)
    X = random.normal(size=(n, d)) + 3 * np.eye(3, d)[y]
    labels = flip_labels(y, 0.1, random_state=0)[0]
    search = neighbors_seconds(lambda: NeighborIndex(X).others(k))
    for kind in SEARCH_ONCE:
        whole = neighbors_seconds(lambda kind=kind: kind(n_neighbors=k).fit(X, labels))
        print(f"{kind.__name__:22} the search is {search / whole:4.0%} of its time", flush=True)


def neighbors_seconds(run):
    start = time.process_time()
    run()
    return time.process_time() - start


def run_neighbors():
    parts = {"quality": quality, "time": search_time}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=parts)
    parts[parser.parse_args().part]()


# The search for neighbours.

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


def scikit_learn(X, algorithm):
    search = NearestNeighbors(n_neighbors=K, algorithm=algorithm, n_jobs=THREADS)
    return search.fit(X).kneighbors(return_distance=False)


def compare_exact(make, n, d, repeats):
    X = make(n, d)
    rivals = {a: lambda a=a: scikit_learn(X, a) for a in ALGORITHMS if not hopeless(make, n, d, a)}
    times, _ = take_turns(
        {"errata": lambda: nearest(X, K, n_jobs=THREADS), **rivals}, repeats, CLOCK
    )
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

    times, _ = take_turns({a: lambda a=a: run(a) for a in (False, True)}, repeats, CLOCK)
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
    _, truth = find_nearest(BruteSearch(X), X[sample], K, X, own=sample)
    recall = np.mean([np.isin(a, b).mean() for a, b in zip(found[sample], truth, strict=True)])
    print(f"n = 1,000,000, d = 20: recall {recall:.4f} on 500 rows, {seconds / 60:.1f} minutes,")
    print(f"memory {before:.0f} MB with the table alone, {peak:.0f} MB at most")


def crossover():
    print("tree over brute force, exact search of Gaussian rows")
    for n in (5_000, 20_000, 100_000):
        for d in (7, 8, 9, 10, 11):
            X = gaussian(n, d)
            queries = {"tree": TreeSearch(X, THREADS), "brute": BruteSearch(X)}
            points = X[:: max(1, n // 5_000)]
            runs = {name: partial(query, points, K + 2) for name, query in queries.items()}
            times, _ = take_turns(runs, 3, CLOCK)
            print(f"n={n:<7} d={d:<3} {times['tree'] / times['brute']:5.2f}", flush=True)


def run_search():
    parts = {f.__name__: f for f in (exact, approximate, million, crossover)}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="+", choices=parts)
    with threadpool_limits(None if THREADS < 0 else THREADS):
        for part in parser.parse_args().parts:
            parts[part]()


if __name__ == "__main__":
    main(
        __doc__,
        quality=run_quality,
        crossval=run_crossval,
        neighbors=run_neighbors,
        search=run_search,
    )
