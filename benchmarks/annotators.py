"""Labels by several annotators: the audit of votes beside other ways to find the class.

    python benchmarks/annotators.py votes --data FOLDER     real crowds whose truth is known
    python benchmarks/annotators.py features --data FOLDER  tables with simulated annotators
    python benchmarks/annotators.py ask --data FOLDER       where further votes are asked for
    python benchmarks/annotators.py speed                   88,000 votes, one thread, one run

Peers: crowd-kit (Dawid-Skene, one coin, MACE, GLAD, each with its defaults) and cleanlab
(CROWDLAB), to be installed beside errata: pip install crowd-kit cleanlab.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd  # noqa: TID251
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

from errata.auditing._scaling import fit_scale
from errata.auditing.annotators import ItemModels, judge_votes, read_votes
from errata.tables import features_of, read_table
from errata.tables._columns import column_array, without_columns

CROWDS = ("bluebirds", "rte", "web", "sentiment_tweets", "weather_amt", "zencrowd_us")
TABLES = ("vehicle", "segment", "yeast", "satimage")
PEERS = ("DawidSkene", "OneCoinDawidSkene", "MACE", "GLAD")
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


def column(findings, name):
    return np.array([worker[name] for worker in findings.workers])


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
    model = getattr(aggregation, name)()
    told = model.fit_predict_proba(frame)
    everything = told.reindex(index=range(len(votes.items)), columns=range(len(votes.classes)))
    return everything.fillna(0.0).to_numpy()


def compare_votes(args):
    """Real crowds, votes alone."""
    rows = []
    for name in args.only or CROWDS:
        votes, truth = crowd(args.data, name)
        findings = judge_votes(votes)
        agreement = column(findings, "agreement")
        cells = {
            "errata": measured(votes, truth, findings.proba, column(findings, "accuracy")),
            "majority": measured(votes, truth, by_shares(votes), agreement),
        }
        for peer in PEERS:
            cells[peer] = measured(votes, truth, by_peer(peer, votes))
        rows += [{"set": name, "method": method, **cell} for method, cell in cells.items()]
        wrong = np.mean(votes.majority[truth >= 0] != truth[truth >= 0])
        print(f"{name}: {findings.noise_rate} of the majority labels, in truth {wrong:.1%}")
    tell(rows, ["accuracy", "AP", "log loss", "calibration", "workers"])


def tell(rows, columns):
    """A table for each measure, and the means."""
    table = pd.DataFrame(rows)
    order = list(dict.fromkeys(table.method))
    for name in columns:
        wide = table.pivot_table(index="set", columns="method", values=name, sort=False)
        wide.loc["mean"] = wide.mean()
        print(f"\n{name}\n{wide.reindex(columns=order).round(3).to_string()}")


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


def compare_features(args):
    """Tables with simulated annotators."""
    rows = []
    for name in args.only or TABLES:
        for seed in range(args.seeds):
            votes, X, truth = simulated(args.data, name, seed)
            models = ItemModels(fit_scale(X, seed)[0], len(votes.classes), seed=seed)
            classifier = models(votes.majority).proba
            alone, both = judge_votes(votes), judge_votes(votes, models)
            cells = {
                "errata": measured(votes, truth, both.proba, column(both, "accuracy")),
                "votes alone": measured(votes, truth, alone.proba, column(alone, "accuracy")),
                "CROWDLAB": measured(votes, truth, *by_crowdlab(votes, classifier)),
                "classifier": measured(votes, truth, classifier),
                "majority": measured(votes, truth, by_shares(votes), column(alone, "agreement")),
            }
            rows += [{"set": name, "method": method, **cell} for method, cell in cells.items()]
    tell(rows, ["accuracy", "AP", "log loss", "calibration", "workers"])


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


def compare_asking(args):
    """Two votes an item, then eight rounds of one vote for a quarter of the items."""
    rows = []
    for name in args.only or CROWDS:
        votes, truth = crowd(args.data, name)
        for seed in range(args.seeds):
            for way in ("ask", "entropy", "random"):
                rows.append(
                    {"set": name, "method": way, "accuracy": asked_for(votes, truth, way, seed)}
                )
    tell(rows, ["accuracy"])


def asked_for(votes, truth, way, seed):
    """Accuracy when votes that there are in truth have been asked for in this way."""
    random = np.random.default_rng(seed)
    order = np.lexsort((random.random(len(votes)), votes.item))
    first = np.searchsorted(votes.item, np.arange(len(votes.items)))
    rank = np.empty(len(votes), dtype=int)
    rank[order] = np.arange(len(votes)) - first[votes.item[order]]
    given = np.full(len(votes.items), 2)
    for _ in range(8):
        findings = judge_votes(some(votes, rank < given[votes.item]))
        entropy = -(findings.proba * np.log(np.maximum(findings.proba, FLOOR))).sum(axis=1)
        lot = random.random(len(given))
        value = {"ask": findings.ask, "entropy": entropy, "random": lot}[way]
        open_ = np.flatnonzero(given < votes.n_votes)
        best = open_[np.lexsort((lot[open_], -value[open_]))]
        given[best[: len(given) // 4]] += 1
    findings = judge_votes(some(votes, rank < given[votes.item]))
    known = truth >= 0
    return np.mean(findings.proba.argmax(axis=1)[known] == truth[known])


def some(votes, kept):
    columns = (votes.items[votes.item[kept]], votes.workers[votes.worker[kept]])
    return read_votes((*columns, votes.classes[votes.label[kept]]), classes=votes.classes)


def compare_speed(args):
    """Time beside crowd-kit's Dawid-Skene, on 19,000 items with 88,000 votes."""
    random = np.random.default_rng(0)
    n, n_workers, k = 19_000, 800, 4
    item = np.sort(random.integers(n, size=88_000))
    truth, worker = random.integers(k, size=n), random.integers(n_workers, size=len(item))
    right = random.random(len(item)) < random.beta(4, 2, n_workers)[worker]
    label = np.where(right, truth[item], random.integers(k, size=len(item)))
    votes = read_votes((item, worker, label))
    times = {}
    for name, work in {
        "errata": judge_votes,
        "DawidSkene": lambda v: by_peer("DawidSkene", v),
    }.items():
        start = time.perf_counter()
        work(votes)
        times[name] = time.perf_counter() - start
    ratio = times["errata"] / times["DawidSkene"]
    print(f"errata takes {ratio:.2f} of the time of crowd-kit's Dawid-Skene: {times}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ways = {
        "votes": compare_votes,
        "features": compare_features,
        "ask": compare_asking,
        "speed": compare_speed,
    }
    parser.add_argument("what", choices=ways)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*")
    args = parser.parse_args()
    with threadpool_limits(1):
        ways[args.what](args)


if __name__ == "__main__":
    main()
