"""Every filter on the detection bench: average precision, F1 of its own flags, and time.

    python benchmarks/filters.py --data FOLDER            sets, noises and seeds of detection.py
    python benchmarks/filters.py --summary                of what was measured so far

Beside them imbalanced-learn's editors, and cleanlab's filter on the probabilities of a forest,
where they are installed. Filters work on standardised features with their defaults.
"""

import itertools
from functools import partial

import numpy as np
import pandas as pd  # noqa: TID251
from detectors import cleanlab_filter, cleanlab_flags, measure, out_of_fold
from noisy_sets import KINDS, inject, load, names
from runs import options, run, seconds, show
from sklearn.ensemble import RandomForestClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from errata import elm, feature_selection, filters, hardness

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


if __name__ == "__main__":
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
