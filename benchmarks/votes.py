"""Labels by several annotators: the audit of votes beside other ways to find the class.

    python benchmarks/votes.py votes --data FOLDER          real crowds whose truth is known
    python benchmarks/votes.py features --data FOLDER       tables with simulated annotators
    python benchmarks/votes.py ask --data FOLDER            where further votes are asked for
    python benchmarks/votes.py simulate                     intervals on simulated crowds
    python benchmarks/votes.py choose --data FOLDER         whether votes tell the better model
    python benchmarks/votes.py speed                        88,000 votes, one thread, one run

All but the last two go on where they were left, and end with their tables.

Peers: crowd-kit (Dawid-Skene, one coin, MACE with their defaults; GLAD in 25 steps, as its 100 take
minutes) and cleanlab (CROWDLAB), to be installed beside errata: pip install crowd-kit cleanlab.
Without crowd-kit ``votes`` leaves its methods out.
"""

import time
from functools import partial
from importlib.util import find_spec

import numpy as np
import pandas as pd
from runs import options, print_header, run
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

from errata import audit_votes
from errata.auditing.inputs._features import FeatureScaler
from errata.auditing.votes import ItemModels, JudgedVotes, read_votes
from errata.auditing.votes._finding import (
    class_posterior_of_votes,
    keep_shares,
    start,
    votes_by_others,
)
from errata.auditing.votes._noise_model import Incidence
from errata.tables import features_of, read_table
from errata.tables._columns import column_array, without_columns

CROWDS = ("bluebirds", "rte", "web", "sentiment_tweets", "weather_amt", "zencrowd_us")
TABLES = ("vehicle", "segment", "yeast", "satimage")
PEERS = {"DawidSkene": {}, "OneCoinDawidSkene": {}, "MACE": {}, "GLAD": {"n_iter": 25}}
ITEMS, WORKERS = 500, 30  # of a table with simulated annotators
FEWEST_VOTES = 10  # of a worker whose accuracy is compared
FLOOR = 1e-6  # of probabilities in the log loss
MEASURED = ("accuracy", "AP", "log loss", "calibration", "workers")
TOLD = ("rate", "low", "high", "true")
HELD = ("held", "still held", "workers held", "width")
KINDS = ("many votes", "few votes", "many classes", "same errors", "guessing", "table errs alike")
WAYS = ("ask", "entropy", "random")
COIN = {"coin": 16.0, "matrix": 1e6}  # no worker has a matrix of his own
MODELS = {
    "errata": {},
    "one coin": {**COIN, "shape": 0.0},
    "one matrix, bent": {**COIN, "shape": 1.0},
}


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


def crowdkit_method(name):
    """A method of crowd-kit with the options of this comparison, still to be called."""
    try:
        from crowdkit import aggregation
    except ImportError as error:
        raise SystemExit("crowd-kit is not installed: pip install crowd-kit") from error
    return partial(getattr(aggregation, name), **PEERS[name])


def by_peer(name, votes):
    """What a method of crowd-kit says, (N, K)."""
    frame = pd.DataFrame({"task": votes.item, "worker": votes.worker, "label": votes.label})
    told = crowdkit_method(name)().fit_predict_proba(frame)
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


def column(findings, name):
    return np.array([worker[name] for worker in findings.workers])


def votes_alone(name, method, data):
    """One method on one crowd."""
    votes, truth = crowd(data, name)
    if method in PEERS:
        return [measured(votes, truth, by_peer(method, votes))]
    findings = JudgedVotes(votes)
    if method == "majority":
        return [measured(votes, truth, by_shares(votes), column(findings, "agreement"))]
    cell = measured(votes, truth, findings.proba, column(findings, "accuracy"))
    wrong = (votes.majority != truth)[truth >= 0].mean()
    return [{**cell, **dict(zip(TOLD, (*findings.noise_rate, wrong), strict=True))}]


def with_features(name, seed, data):
    """All methods on one table with simulated annotators."""
    votes, X, truth = simulated(data, name, int(seed))
    models = ItemModels(FeatureScaler(seed).fit_transform(X), len(votes.classes), seed=int(seed))
    classifier, _, _ = models(votes.majority)
    alone, both = JudgedVotes(votes), JudgedVotes(votes, models)
    cells = {
        "errata": (both.proba, column(both, "accuracy")),
        "votes alone": (alone.proba, column(alone, "accuracy")),
        "CROWDLAB": by_crowdlab(votes, classifier),
        "classifier": (classifier, None),
        "majority": (by_shares(votes), column(alone, "agreement")),
    }
    return [{"method": way, **measured(votes, truth, *cell)} for way, cell in cells.items()]


def simulated_crowd(kind, seed):
    """Whether the intervals of one simulated crowd hold the truth, without and with a table."""
    votes, truth, X = drawn_crowd(kind, int(seed))
    models = ItemModels(FeatureScaler(0).fit_transform(X), len(votes.classes))
    cells = []
    for way, findings in (("votes", JudgedVotes(votes)), ("table", JudgedVotes(votes, models))):
        majority, proba = votes.majority != truth, findings.proba
        known = np.array(
            [
                votes.label[votes.worker == w] == truth[votes.item[votes.worker == w]]
                for w in range(len(votes.workers))
            ],
            dtype=object,
        )
        share = np.array([right.mean() for right in known])
        enough = np.array([len(right) >= FEWEST_VOTES for right in known])
        held = (column(findings, "low") <= share) & (share <= column(findings, "high"))
        cells.append(
            {
                "method": way,
                **measured(votes, truth, proba, column(findings, "accuracy")),
                **dict(zip(TOLD, (*findings.noise_rate, majority.mean()), strict=True)),
                "held": holds(findings.noise_rate, majority.mean()),
                "still held": holds(findings.expected_wrong, (proba.argmax(1) != truth).mean()),
                "workers held": held[enough].mean() if enough.any() else np.nan,
                "width": findings.noise_rate.high - findings.noise_rate.low,
            }
        )
    return cells


def holds(rate, true):
    return float(rate.low <= true <= rate.high)


def summarise_simulated(path):
    """How often intervals hold the truth, and what a table does to the log loss."""
    table = pd.read_csv(path)
    columns = ["accuracy", "AP", "log loss", "calibration", *HELD]
    print(table.groupby(["kind", "method"])[columns].mean().round(3).to_string())
    wide = table.pivot_table(index=["kind", "seed"], columns="method", values="log loss")
    worse = wide["table"] - wide["votes"]
    print(f"\nwith a table the log loss rises by at most {worse.max():.3f}, on the mean of kinds")
    print(worse.groupby("kind").mean().round(3).to_string())
    print(table[["held", "still held", "workers held"]].mean().round(3).to_string())


def asked_for(name, way, seed, data):
    """Two votes an item, then eight rounds of one vote for a quarter of the items."""
    votes, truth = crowd(data, name)
    random = np.random.default_rng(int(seed))
    order = np.lexsort((random.random(len(votes)), votes.item))
    first = np.searchsorted(votes.item, np.arange(len(votes.items)))
    rank = np.empty(len(votes), dtype=int)
    rank[order] = np.arange(len(votes)) - first[votes.item[order]]
    given = np.full(len(votes.items), 2)
    for _ in range(8):
        lot = random.random(len(given))
        value = lot if way == "random" else worth(some(votes, rank < given[votes.item]), way)
        open_ = np.flatnonzero(given < votes.n_votes)
        best = open_[np.lexsort((lot[open_], -value[open_]))]
        given[best[: len(given) // 4]] += 1
    findings = JudgedVotes(some(votes, rank < given[votes.item]))
    right = findings.proba.argmax(axis=1) == truth
    return [{"accuracy": right[truth >= 0].mean()}]


def worth(votes, way):
    findings = JudgedVotes(votes)
    if way == "ask":
        return findings.ask
    return -(findings.proba * np.log(np.maximum(findings.proba, FLOOR))).sum(axis=1)


def some(votes, kept):
    columns = (votes.items[votes.item[kept]], votes.workers[votes.worker[kept]])
    return read_votes((*columns, votes.classes[votes.label[kept]]), classes=votes.classes)


def compare_models(data):
    """Accuracy beside how well votes are predicted by the others of their item."""
    rows = []
    for name in CROWDS:
        votes, truth = crowd(data, name)
        incidence, known = Incidence(votes), truth >= 0
        row = {"set": name}
        for model, how in MODELS.items():
            prior, q = keep_shares(votes.shares), start(votes.counts)
            found = class_posterior_of_votes(incidence, q, prior, **how)
            row[f"{model}: right"] = (found.proba.argmax(axis=1) == truth)[known].mean()
            row[f"{model}: votes"] = votes_by_others(incidence, found).max() / len(votes)
        rows.append(row)
    print(pd.DataFrame(rows).round(3).to_string(index=False))


def compare_speed(repetitions=3):
    """Processor time beside crowd-kit's Dawid-Skene: 19,000 items, 88,000 votes, public calls."""
    random = np.random.default_rng(0)
    n, n_workers, k = 19_000, 800, 4
    item = np.sort(random.integers(n, size=88_000))
    truth, worker = random.integers(k, size=n), random.integers(n_workers, size=len(item))
    right = random.random(len(item)) < random.beta(4, 2, n_workers)[worker]
    label = np.where(right, truth[item], random.integers(k, size=len(item)))
    frame = pd.DataFrame({"task": item, "worker": worker, "label": label})
    peer = crowdkit_method("DawidSkene")
    works = {
        "errata": lambda: audit_votes((item, worker, label)),
        "DawidSkene": lambda: peer().fit_predict_proba(frame),
    }
    times = {name: [] for name in works}
    with threadpool_limits(1):
        for _ in range(repetitions):
            for name, work in works.items():
                start = time.process_time()
                work()
                times[name].append(time.process_time() - start)
    least = {name: min(taken) for name, taken in times.items()}
    ratio = least["errata"] / least["DawidSkene"]
    taken = ", ".join(f"{name} {seconds:.3f}" for name, seconds in least.items())
    print(f"errata takes {ratio:.2f} of the time of crowd-kit's Dawid-Skene: {taken} seconds")


def tell(path, columns):
    """A table for each measure, and the means."""
    table = pd.read_csv(path)
    for name in columns:
        wide = table.pivot_table(index="set", columns="method", values=name, sort=False)
        wide.loc["mean"] = wide.mean()
        print(f"\n{name}\n{wide.round(3).to_string()}")
    if "rate" in table:
        print(f"\n{table.dropna(subset='rate')[['set', *TOLD]].round(3).to_string(index=False)}")


def main():
    parser = options(__doc__, "votes.csv")
    parser.add_argument("part", choices=["votes", "features", "ask", "simulate", "choose", "speed"])
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    print_header()
    if args.part == "speed":
        return compare_speed()
    if args.part == "choose":
        return compare_models(args.data)
    if args.part == "simulate":
        cells = [(kind, seed) for seed in range(args.seeds) for kind in KINDS]
        columns = ("method", *MEASURED, *TOLD, *HELD)
        run(simulated_crowd, cells, ("kind", "seed"), columns, args)
        return summarise_simulated(args.out)
    seeds = range(args.seeds)
    if args.part == "votes":
        methods = ("errata", "majority", *(PEERS if find_spec("crowdkit") else ()))
        work, keys, columns = votes_alone, ("set", "method"), (*MEASURED, *TOLD)
        cells = [(name, method) for method in methods for name in CROWDS]  # GLAD takes long
    elif args.part == "features":
        work, keys, columns = with_features, ("set", "seed"), ("method", *MEASURED)
        cells = [(name, seed) for name in TABLES for seed in seeds]
    else:
        work, keys, columns = asked_for, ("set", "method", "seed"), ("accuracy",)
        cells = [(name, way, seed) for name in CROWDS for way in WAYS for seed in seeds]
    run(partial(work, data=args.data), cells, keys, columns, args)
    return tell(args.out, ("accuracy",) if args.part == "ask" else MEASURED)


if __name__ == "__main__":
    main()
