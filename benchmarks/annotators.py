"""Labels by several annotators: the audit of votes beside other ways to find the class.

    python benchmarks/annotators.py votes --data FOLDER     real crowds whose truth is known
    python benchmarks/annotators.py features --data FOLDER  tables with simulated annotators
    python benchmarks/annotators.py ask --data FOLDER       where further votes are asked for
    python benchmarks/annotators.py simulate                intervals on simulated crowds
    python benchmarks/annotators.py choose --data FOLDER    whether votes tell the better model
    python benchmarks/annotators.py speed                   88,000 votes, one thread, one run

All but the last two go on where they were left, and end with their tables.
"""

import time
from functools import partial

import numpy as np
import pandas as pd
from crowds import (
    CROWDS,
    FEWEST_VOTES,
    FLOOR,
    PEERS,
    TABLES,
    by_crowdlab,
    by_peer,
    by_shares,
    crowd,
    drawn_crowd,
    measured,
    simulated,
)
from runs import options, run
from threadpoolctl import threadpool_limits

from errata.auditing.inputs._features import fit_scale
from errata.auditing.votes import ItemModels, judge_votes, read_votes
from errata.auditing.votes._finding import (
    class_posterior_of_votes,
    keep_shares,
    start,
    votes_by_others,
)
from errata.auditing.votes._noise_model import Incidence

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


def column(findings, name):
    return np.array([worker[name] for worker in findings.workers])


def votes_alone(name, method, data):
    """One method on one crowd."""
    votes, truth = crowd(data, name)
    if method in PEERS:
        return [measured(votes, truth, by_peer(method, votes))]
    findings = judge_votes(votes)
    if method == "majority":
        return [measured(votes, truth, by_shares(votes), column(findings, "agreement"))]
    cell = measured(votes, truth, findings.proba, column(findings, "accuracy"))
    wrong = (votes.majority != truth)[truth >= 0].mean()
    return [{**cell, **dict(zip(TOLD, (*findings.noise_rate, wrong), strict=True))}]


def with_features(name, seed, data):
    """All methods on one table with simulated annotators."""
    votes, X, truth = simulated(data, name, int(seed))
    models = ItemModels(fit_scale(X, seed)[0], len(votes.classes), seed=int(seed))
    classifier = models(votes.majority).proba
    alone, both = judge_votes(votes), judge_votes(votes, models)
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
    models = ItemModels(fit_scale(X, 0)[0], len(votes.classes))
    cells = []
    for way, findings in (("votes", judge_votes(votes)), ("table", judge_votes(votes, models))):
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
    findings = judge_votes(some(votes, rank < given[votes.item]))
    right = findings.proba.argmax(axis=1) == truth
    return [{"accuracy": right[truth >= 0].mean()}]


def worth(votes, way):
    findings = judge_votes(votes)
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
        incidence, known = Incidence.of(votes), truth >= 0
        row = {"set": name}
        for model, how in MODELS.items():
            prior, q = keep_shares(votes.shares), start(votes.counts)
            found = class_posterior_of_votes(incidence, q, prior, **how)
            row[f"{model}: right"] = (found.proba.argmax(axis=1) == truth)[known].mean()
            row[f"{model}: votes"] = votes_by_others(incidence, found).max() / len(votes)
        rows.append(row)
    print(pd.DataFrame(rows).round(3).to_string(index=False))


def compare_speed():
    """Time beside crowd-kit's Dawid-Skene, on 19,000 items with 88,000 votes."""
    random = np.random.default_rng(0)
    n, n_workers, k = 19_000, 800, 4
    item = np.sort(random.integers(n, size=88_000))
    truth, worker = random.integers(k, size=n), random.integers(n_workers, size=len(item))
    right = random.random(len(item)) < random.beta(4, 2, n_workers)[worker]
    label = np.where(right, truth[item], random.integers(k, size=len(item)))
    votes, times = read_votes((item, worker, label)), {}
    works = {"errata": judge_votes, "DawidSkene": lambda votes: by_peer("DawidSkene", votes)}
    with threadpool_limits(1):
        for name, work in works.items():
            start = time.perf_counter()
            work(votes)
            times[name] = time.perf_counter() - start
    ratio = times["errata"] / times["DawidSkene"]
    print(f"errata takes {ratio:.2f} of the time of crowd-kit's Dawid-Skene: {times}")


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
    parser = options(__doc__, "annotators.csv")
    parser.add_argument("part", choices=["votes", "features", "ask", "simulate", "choose", "speed"])
    parser.add_argument("--seeds", type=int, default=3)
    args = parser.parse_args()
    if args.part == "speed":
        return compare_speed()
    if args.part == "choose":
        return compare_models(args.data)
    if args.part == "simulate":
        cells = [(kind, seed) for seed in range(args.seeds) for kind in KINDS]
        columns = ("method", *MEASURED, *TOLD, *HELD)
        run(simulated_crowd, cells, ("kind", "seed"), columns, args)
        return summarise_simulated(args.out)
    seeds, methods = range(args.seeds), ("errata", "majority", *PEERS)
    if args.part == "votes":
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
