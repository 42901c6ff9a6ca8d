"""How well wrong labels are found: the audit against cleanlab and two plain baselines.

    python benchmarks/detection.py detect --data FOLDER              sets that choose constants
    python benchmarks/detection.py detect --data FOLDER --sets all   the final table
    python benchmarks/detection.py large --data FOLDER --sets all    class to class, many rows
    python benchmarks/detection.py summary                           of what was measured so far

Errors of five kinds are injected in at most 3,000 rows of each set; every class flowing into one
other in at most 20,000 rows of the large sets. Peers are those of detectors.py, in the same run.
Results go to a CSV file that a later run continues. What cleaning brings is measured in
cleaning.py, speed in audit_speed.py, tables that could deceive in honesty.py.
"""

import itertools
from argparse import BooleanOptionalAction
from functools import partial

import numpy as np
import pandas as pd  # noqa: TID251
from detectors import MEASURED, by_cleanlab, by_plain_models, measure, model_proba, told
from noisy_sets import CHOSEN_ON, HELD_OUT, KINDS, LARGE, RELATED, UNSEEN, inject, load, names
from runs import asked, options, run, show
from scipy.stats import wilcoxon

import errata

KEYS = ("dataset", "kind", "seed")
GROUPS = {"chosen on": CHOSEN_ON, "held out": HELD_OUT, "unseen": UNSEEN}
# Average precision of the release before, by kind: `detect --rows 3000 --seeds 2`, 42 sets.
BEFORE = {"ncar10": 0.821, "ncar20": 0.864, "ncar30": 0.877, "nar20": 0.819, "nnar20": 0.703}
# The five large sets that the prototype of class-to-class noise was measured on.
PROTOTYPE_ON = ("pendigits", "satimage", "letter", "wall_robot", "optdigits")


def cell(name, kind, seed, rows, data, alone, check):
    X, y = load(name, rows, seed, data)
    noisy, wrong = inject(X, y, kind, name, seed)
    answers = {"errata": told(errata.audit(X, noisy, self_check=check, random_state=0))}
    codes = np.unique(noisy, return_inverse=True)[1]  # noise may leave a class without a label
    if not alone:
        answers |= by_cleanlab(model_proba(X, codes), codes)
    if not alone and kind in KINDS:  # the SVM takes too long on large tables
        answers |= by_plain_models(X, codes)
    return [{"method": method, **measure(found, wrong)} for method, found in answers.items()]


def detect(args):
    kinds = (*KINDS, "clean") if args.part == "detect" else ("class20",)
    chosen = args.datasets or names(args.data, args.sets)
    if args.part == "large":
        chosen = [name for name in chosen if name in LARGE]
    cells = [(n, k, s) for s, n, k in itertools.product(range(args.seeds), chosen, kinds)]
    rows = args.rows or {"detect": 3000, "large": 20_000}[args.part]
    work = partial(cell, rows=rows, data=args.data, alone=args.alone, check=args.self_check)
    run(work, cells, KEYS, ("method", *MEASURED), args)


def summarise(path):
    table = pd.read_csv(path)
    table["rate_error"] = (table.rate - table.true_rate).abs()
    table["width"] = table.high - table.low
    table["self_error"] = (table.self_ap - table.ap).abs()
    for group, sets in GROUPS.items():
        part = table[table.dataset.isin(sets)]
        if part.kind.isin(KINDS).any():
            tell_ordinary(group, part)
    if (table.kind == "class20").any():
        tell_large(table[table.kind == "class20"])


def tell_ordinary(group, table):
    noisy, ours = table[table.kind.isin(KINDS)], table[table.method == "errata"]
    print(f"\n===== {group}: {noisy.dataset.nunique()} sets")
    ap = precision_by_kind(noisy)
    show("average precision", ap)
    tell_lead(noisy, ap)
    show("errata", means(ours))
    show("F1 of default flags", best(noisy, "f1", ascending=False))
    show("error of the noise rate, NCAR and NAR", best(noisy[noisy.kind != "nnar20"], "rate_error"))
    show("expected calibration error", best(noisy, "ece"))
    clean = ours[ours.kind == "clean"].groupby("dataset").rate.mean().sort_values()
    show("estimated rate without injected errors, worst last", clean.tail(8))
    worst = ours.nlargest(5, "self_error")[[*KEYS, "ap", "self_ap"]]
    show("self-check furthest from the truth", worst)
    asked(f"asked for, {group}", limits(noisy, group))
    unrelated = noisy[~noisy.dataset.isin(RELATED)]
    if len(unrelated) < len(noisy):
        asked(f"asked for, {group}, relatives of the others left out", limits(unrelated, group))


def precision_by_kind(noisy):
    ap = noisy.pivot_table("ap", "method", "kind")
    ap["mean"] = noisy.groupby(["method", "dataset"]).ap.mean().groupby("method").mean()
    by_set = noisy.pivot_table("ap", "dataset", "method")
    ap["rank"] = by_set.rank(axis=1, ascending=False).mean()
    return ap.sort_values("mean", ascending=False)


def tell_lead(noisy, ap):
    if len(ap) > 1:
        rival = ap.drop("errata")["mean"].idxmax()
        by_set = noisy.pivot_table("ap", "dataset", "method")
        p = wilcoxon(by_set.errata, by_set[rival]).pvalue
        print(f"errata {ap['mean']['errata'] - ap['mean'][rival]:+.3f} over {rival}, p = {p:.2g}")


def means(ours):
    """What the audit is like, by kind of noise."""
    columns = [
        "ap", "f1", "flagged", "precision", "promised", "rate_error", "covered", "width", "ece",
        "self_ap", "self_error",
    ]  # fmt: skip
    return ours.groupby("kind")[columns].mean()


def best(table, column, ascending=True):
    return table.groupby("method")[column].mean().sort_values(ascending=ascending).head(5)


def limits(noisy, group):
    ap, ours = precision_by_kind(noisy), noisy[noisy.method == "errata"]
    kinds = [kind for kind in KINDS if kind in ap]
    if group == "chosen on":
        for kind in kinds:
            yield f"average precision, {kind}", ap[kind]["errata"], ">=", BEFORE[kind] - 0.005
    if len(ap) > 1:
        for kind in kinds:
            lead = ap[kind]["errata"] - ap[kind].drop("errata").max()
            yield f"lead over the best peer, {kind}", lead, ">=", 0
    yield "F1", ours.f1.mean(), ">=", 0.74
    known = ours[ours.kind != "nnar20"]
    yield "error of the rate, NCAR and NAR", known.rate_error.mean(), "<=", 0.035
    yield "error of the rate, near borders as well", ours.rate_error.mean(), "<=", 0.035
    yield "self-check, mean distance from the true precision", ours.self_error.mean(), "<=", 0.08
    yield "self-check, largest distance", ours.self_error.max(), "<=", 0.25


def tell_large(table):
    ours = table[table.method == "errata"]
    print(f"\n===== class to class, 5,000 rows and more: {table.dataset.nunique()} sets")
    columns = ["ap", "f1", "true_rate", "rate", "rate_error", "covered", "width", "ece"]
    show("errata", ours.groupby("dataset")[columns].mean())
    show("average precision", table.pivot_table("ap", "method", "dataset"))
    five = ours[ours.dataset.isin(PROTOTYPE_ON)]
    rates = [("error of the rate, all", ours.rate_error.mean(), "<=", 0.02)]
    figures = [
        ("average precision", five.ap.mean(), ">=", 0.97),
        ("lowest average precision", five.ap.min(), ">=", 0.97),
        ("error of the rate", five.rate_error.mean(), "<=", 0.02),
        ("error of the rate, prototype", five.rate_error.mean(), "<=", 0.012),
        ("average precision, prototype", five.ap.mean(), ">=", 0.982),
        ("F1, prototype", five.f1.mean(), ">=", 0.95),
        ("expected calibration error, prototype", five.ece.mean(), "<=", 0.031),
    ]
    asked(f"asked for, of {' '.join(PROTOTYPE_ON)} ({five.dataset.nunique()} measured)", figures)
    asked("asked for, all", rates)


if __name__ == "__main__":
    parser = options(__doc__, "detection.csv")
    parser.add_argument("part", choices=["detect", "large", "summary"])
    parser.add_argument("--sets", choices=["chosen", "held", "unseen", "all"], default="chosen")
    parser.add_argument("--datasets", nargs="*", help="these, instead of a list")
    parser.add_argument("--rows", type=int, help="at most; 3,000, large 20,000")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--alone", action="store_true", help="the audit without its peers")
    parser.add_argument("--self-check", action=BooleanOptionalAction, default=True)
    args = parser.parse_args()
    if args.part != "summary":
        detect(args)
    summarise(args.out)
