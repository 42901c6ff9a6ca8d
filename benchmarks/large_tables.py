"""Tables of 10,000 rows and more: who ranks best, and at what cost in processor time.

    python benchmarks/large_tables.py --data FOLDER --jobs 1              sets that choose constants
    python benchmarks/large_tables.py --data FOLDER --jobs 1 --sets all   the final table
    python benchmarks/large_tables.py --data FOLDER --summary             of what was measured

Uniform noise of 10 %, and every class flowing into one other at rates from 2 to 38 %. Peers are a
forest, histogram gradient boosting and their mean with logistic regression in five shuffled folds,
scored by cleanlab's self-confidence and margin. All run on one thread; times are of the processor,
as ratios within one cell. Results go to a CSV file that a later run continues.
"""

from functools import partial

import numpy as np
import pandas as pd  # noqa: TID251
from detectors import MODELS, cleanlab_flags, cleanlab_scores, out_of_fold
from noisy_sets import inject, load, names
from runs import asked, options, run, seconds, show
from sklearn.metrics import average_precision_score

import errata

SETS = ("adult", "higgs7500", "electricity", "bank_marketing", "letter", "pendigits")
KINDS = ("ncar10", "class20")
PEERS = ("forest", "boosting", "mean")


def cell(name, kind, seed, data, most):
    X, y = load(name, most, seed, data)
    noisy, wrong = inject(X, y, kind, name, seed)
    rows = []
    for method, took, suspicion in (*audits(X, noisy), *peers(X, noisy)):
        ap = average_precision_score(wrong, suspicion)
        rows.append({"method": method, "n": len(y), "ap": ap, "seconds": took})
    return rows


def audits(X, y):
    errata.audit(X[:500], y[:500], random_state=0)  # compile first
    for method, check in (("errata", True), ("errata, no self-check", False)):
        took, found = seconds(
            lambda check=check: errata.audit(X, y, self_check=check, random_state=0)
        )
        yield method, took, found.suspicion


def peers(X, y):
    times, proba = {}, {}
    for name, make in MODELS.items():
        times[name], proba[name] = seconds(lambda make=make: out_of_fold(make(), X, y))
    times["mean"], proba["mean"] = sum(times.values()), np.mean(list(proba.values()), axis=0)
    for name in PEERS:
        flags, _ = seconds(lambda name=name: cleanlab_flags(proba[name], y))
        for score, quality in cleanlab_scores(proba[name], y).items():
            if score != "adjusted":
                yield f"cleanlab {name} {score}", times[name] + flags, quality


def summarise(path):
    table = pd.read_csv(path)
    ap = table.pivot_table("ap", ["dataset", "kind"], "method")
    took = table.pivot_table("seconds", ["dataset", "kind"], "method")
    theirs = ap.filter(like="cleanlab")
    lead = ap["errata"] - theirs.max(axis=1)
    show("average precision", ap.T)
    show("mean", ap.mean().sort_values(ascending=False))
    ratios = took.div(took["cleanlab boosting self-confidence"], axis=0)
    show("processor time, cleanlab with gradient boosting = 1", ratios.T)
    asked("level with the best peer", [(" ".join(i), x, ">=", 0) for i, x in lead.items()])
    asked(
        "mean",
        [
            ("lead over the best peer of each table", lead.mean(), ">=", 0.03),
            (
                "lead over the best single peer",
                ap["errata"].mean() - theirs.mean().max(),
                ">=",
                0.03,
            ),
            ("processor time, worst table", ratios["errata"].max(), "<=", 1.5),
            ("without self-check", ratios["errata, no self-check"].max(), "<=", 1.5),
        ],
    )


if __name__ == "__main__":
    parser = options(__doc__, "large_tables.csv")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--sets", choices=["chosen", "held", "all"], default="chosen")
    parser.add_argument("--datasets", nargs="*", help="these, instead of the six")
    parser.add_argument("--summary", action="store_true")
    args = parser.parse_args()
    chosen = args.datasets or [name for name in SETS if name in names(args.data, args.sets)]
    cells = [(n, k, s) for s in range(args.seeds) for n in chosen for k in KINDS]
    work = partial(cell, data=args.data, most=args.rows)
    columns = ("method", "n", "ap", "seconds")
    run(work, [] if args.summary else cells, ("dataset", "kind", "seed"), columns, args)
    summarise(args.out)
