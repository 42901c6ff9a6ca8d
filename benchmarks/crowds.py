"""Votes whose truth is known, what is measured on them, and what peers say of them.

Peers: crowd-kit (Dawid-Skene, one coin, MACE with their defaults; GLAD in 25 steps, as its 100 take
minutes) and cleanlab (CROWDLAB), to be installed beside errata: pip install crowd-kit cleanlab.
"""

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

from errata.auditing.votes import read_votes
from errata.tables import features_of, read_table
from errata.tables._columns import column_array, without_columns

CROWDS = ("bluebirds", "rte", "web", "sentiment_tweets", "weather_amt", "zencrowd_us")
TABLES = ("vehicle", "segment", "yeast", "satimage")
PEERS = {"DawidSkene": {}, "OneCoinDawidSkene": {}, "MACE": {}, "GLAD": {"n_iter": 25}}
ITEMS, WORKERS = 500, 30  # of a table with simulated annotators
FEWEST_VOTES = 10  # of a worker whose accuracy is compared
FLOOR = 1e-6  # of probabilities in the log loss


def crowd(data, name):
    """Votes and the code of the class of each item, -1 where votes never name it."""
    table = pd.read_csv(data / f"crowd_{name}.csv")
    votes = read_votes(table)
    truth = table.drop_duplicates("item").set_index("item").true_label.loc[votes.items].to_numpy()
    at = np.minimum(np.searchsorted(votes.classes, truth), len(votes.classes) - 1)
    return votes, np.where(votes.classes[at] == truth, at, -1)


def measured(votes, truth, proba, accuracy=None):
    """Accuracy, AP for wrong majority labels, log loss, calibration error, error of workers."""
    known = truth >= 0
    rows, own = np.flatnonzero(known), truth[known]
    right = proba[known].argmax(axis=1) == own
    majority = votes.majority[known]
    sure = proba[known].max(axis=1)
    return {
        "accuracy": right.mean(),
        "AP": average_precision_score(majority != own, 1 - proba[rows, majority]),
        "log loss": -np.log(np.clip(proba[rows, own], FLOOR, 1)).mean(),
        "calibration": calibration_error(sure, right),
        "workers": np.nan if accuracy is None else worker_error(votes, truth, accuracy),
    }


def calibration_error(sure, right, bins=10):
    place = np.minimum((bins * sure).astype(int), bins - 1)
    return np.abs(np.bincount(place, weights=sure - right, minlength=bins)).sum() / len(sure)


def worker_error(votes, truth, accuracy):
    """Mean distance to how often workers are right, of those with enough votes."""
    seen = truth[votes.item] >= 0
    n = np.bincount(votes.worker[seen], minlength=len(votes.workers))
    right = votes.label[seen] == truth[votes.item[seen]]
    share = np.bincount(votes.worker[seen], weights=right, minlength=len(n)) / np.maximum(n, 1)
    return np.abs(share - accuracy)[n >= FEWEST_VOTES].mean()


def by_shares(votes):
    """The majority: shares of the votes as probabilities."""
    return votes.counts / np.maximum(votes.n_votes, 1)[:, None]


def by_peer(name, votes):
    """What a method of crowd-kit says, (N, K)."""
    try:
        from crowdkit import aggregation
    except ImportError as error:
        raise SystemExit("crowd-kit is not installed: pip install crowd-kit") from error
    frame = pd.DataFrame({"task": votes.item, "worker": votes.worker, "label": votes.label})
    model = getattr(aggregation, name)(**PEERS[name])
    told = model.fit_predict_proba(frame)
    everything = told.reindex(index=range(len(votes.items)), columns=range(len(votes.classes)))
    return everything.fillna(0.0).to_numpy()


def simulated(data, name, seed):
    """Votes of workers whose accuracies are drawn from Beta(4, 2.5), features and classes."""
    random = np.random.default_rng(seed)
    table = read_table(next(data.glob(f"{name}.csv*")))
    label = table.column_names[-1]
    classes, codes = np.unique(column_array(table, label), return_inverse=True)
    rows = np.sort(random.choice(len(codes), min(ITEMS, len(codes)), replace=False))
    X = features_of(without_columns(table, [label])).X[rows]
    truth, k = codes[rows], len(classes)
    matrices = np.stack([matrix_of(random, k) for _ in range(WORKERS)])
    columns = []
    for item, own in enumerate(truth):
        n = min(1 + random.poisson(2), WORKERS)
        for worker in random.choice(WORKERS, n, replace=False):
            columns.append((item, worker, random.choice(k, p=matrices[worker, own])))
    votes = read_votes(tuple(np.array(columns).T), classes=np.arange(k))
    return votes.for_items(np.arange(len(truth))), X, truth


def matrix_of(random, k):
    """A worker who is right that often, and has confusions of his own."""
    accuracy = random.beta(4, 2.5)
    wrong = random.dirichlet(np.ones(k), k) * (1 - np.eye(k))
    return (1 - accuracy) * wrong / wrong.sum(axis=1, keepdims=True) + accuracy * np.eye(k)


def drawn_crowd(kind, seed):
    """Votes of a simulated crowd, the class of each item, and features that tell some of it.

    The kinds: many or few votes an item, many classes, workers who err on the same items, or
    workers of whom a third guess; or who are misled by what misleads models of the table, too.
    """
    random = np.random.default_rng([3, seed])
    n = int(random.integers(100, 600))
    n_workers = int(random.integers(8, 40))
    are_many = kind in ("many classes", "table errs alike")
    k = int(random.integers(5, 11)) if are_many else int(random.integers(2, 5))
    mean_votes = random.uniform(2, 4) if kind == "few votes" else random.uniform(4, 10)
    truth = random.choice(k, size=n, p=random.dirichlet(np.full(k, 5.0)))
    accuracy = random.beta(6, 3, size=n_workers)
    if kind == "guessing":
        accuracy[: n_workers // 3] = 1 / k
    together = kind in ("same errors", "table errs alike")
    misleading = random.random(n) < (random.uniform(0.1, 0.3) if together else 0.0)
    lure = (truth + random.integers(1, k, size=n)) % k
    columns = []
    for item in range(n):
        voters = min(1 + random.poisson(mean_votes - 1), n_workers)
        for worker in random.choice(n_workers, voters, replace=False):
            if random.random() < accuracy[worker] * (0.4 if misleading[item] else 1.0):
                label = truth[item]
            elif misleading[item] and random.random() < 0.8:
                label = lure[item]
            else:
                label = (truth[item] + random.integers(1, k)) % k
            columns.append((item, worker, label))
    votes = read_votes(tuple(np.array(columns).T), classes=np.arange(k))
    X = random.normal(size=(n, 6))
    looks = np.where(misleading, lure, truth) if kind == "table errs alike" else truth
    X[:, :3] += random.uniform(0.2, 1.5) * random.normal(size=(k, 3))[looks]
    return votes.for_items(np.arange(n)), truth, X


def by_crowdlab(votes, proba):
    """What cleanlab says of the class of each item, and how good workers are.

    It tells how good its consensus is; other classes share the rest alike.
    """
    try:
        from cleanlab.multiannotator import get_label_quality_multiannotator
    except ImportError as error:
        raise SystemExit("cleanlab is not installed: pip install cleanlab") from error
    wide = np.full((len(votes.items), len(votes.workers)), np.nan)
    wide[votes.item, votes.worker] = votes.label
    told = get_label_quality_multiannotator(pd.DataFrame(wide), proba, verbose=False)
    items, k = told["label_quality"], len(votes.classes)
    quality = items.consensus_quality_score.to_numpy()
    found = np.tile(((1 - quality) / (k - 1))[:, None], (1, k))
    found[np.arange(len(found)), items.consensus_label.to_numpy()] = quality
    return found, told["annotator_stats"].annotator_quality.sort_index().to_numpy()
