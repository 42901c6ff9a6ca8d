"""Neighbour filters: how well they find errors, and where their time goes.

    python benchmarks/neighbor_filters.py quality      about two minutes
    python benchmarks/neighbor_filters.py time         about three minutes

Quality: mean F1 of the flags and average precision of the suspicion on ten data sets of 400 rows,
scaled, with 10 and 30 % of errors at random and 20 % near borders. Time: the part of it that is the
search for neighbours, at 50,000 rows and 20 features; what comes after is a vote.
"""

import argparse
import time
import warnings

import numpy as np
from noisy_sets import inject, load, names
from sklearn.metrics import average_precision_score, f1_score
from sklearn.preprocessing import scale

from errata._neighbors import NeighborIndex
from errata.filters import (
    AllNeighborsFilter,
    CutEdgeFilter,
    EditedNeighborsFilter,
    GeneralizedEditionFilter,
    ModeFilter,
    RepeatedEditedFilter,
)
from errata.hardness import NeighborDisagreement
from errata.noise import flip_labels

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
KINDS = ("ncar10", "ncar30", "nnar20")
SEARCH_ONCE = (EditedNeighborsFilter, AllNeighborsFilter, CutEdgeFilter, ModeFilter)


def quality():
    warnings.simplefilter("ignore")  # of classes that are spared
    found = np.zeros((len(FILTERS), len(KINDS), 2))
    cases = [(name, seed) for name in names(None) for seed in range(3)]
    for name, seed in cases:
        X, y = load(name, 400, seed, None)
        for k, kind in enumerate(KINDS):
            labels, wrong = inject(X, y, kind, name, seed)
            for f, filter_ in enumerate(FILTERS):
                filter_.fit(scale(X), labels)
                ap = average_precision_score(wrong, filter_.suspicion_)
                found[f, k] += np.array([f1_score(wrong, filter_.flagged_), ap]) / len(cases)
    print(f"{'F1, average precision':38}", *(f"{kind:>12}" for kind in (*KINDS, "mean")))
    for filter_, scores in zip(FILTERS, found, strict=True):
        rows = [f"{f1:7.3f}{ap:6.3f}" for f1, ap in (*scores, scores.mean(axis=0))]
        print(f"{filter_!r:38}", *rows, flush=True)


def search_time(n=50_000, d=20, k=10):
    random = np.random.RandomState(0)
    y = random.randint(3, size=n)
    X = random.normal(size=(n, d)) + 3 * np.eye(3, d)[y]
    labels = flip_labels(y, 0.1, random_state=0)[0]
    search = seconds(lambda: NeighborIndex(X).others(k))
    for kind in SEARCH_ONCE:
        whole = seconds(lambda kind=kind: kind(n_neighbors=k).fit(X, labels))
        print(f"{kind.__name__:22} the search is {search / whole:4.0%} of its time", flush=True)


def seconds(run):
    start = time.process_time()
    run()
    return time.process_time() - start


if __name__ == "__main__":
    parts = {"quality": quality, "time": search_time}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=parts)
    parts[parser.parse_args().part]()
