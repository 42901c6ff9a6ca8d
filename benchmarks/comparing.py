"""Does a comparison on noisy labels rank learners as clean labels would? Kendall's tau.

    python benchmarks/comparing.py --data FOLDER
    python benchmarks/comparing.py --summary

Twelve sets that chose no constant of the comparison, with injected errors. All three rankings
are of the same predictions: by the labels before the errors, which is the truth; by agreement with
the noisy labels, which is plain cross-validation; and by the accuracy on the class that
``errata.compare`` estimates from the noisy labels. Learners are the default competitors but for the
slowest, among them those that audit: these err where the audit errs, and would flatter it.
"""

import itertools
from functools import partial

import pandas as pd  # noqa: TID251
from noisy_sets import load
from runs import options, run, show
from scipy.stats import kendalltau, wilcoxon

import errata

KEYS = ("dataset", "kind", "seed")
SCORES = {"plain": "agreement", "ours": "accuracy"}
COLUMNS = ("learners", *(f"{what}_{who}" for what in ("tau", "regret", "error") for who in SCORES))
SETS = (
    "ann_thyroid", "breast_w", "crabs_species", "dna", "hypothyroid", "ilpd", "mammographic",
    "parkinsons", "seeds", "spectf", "splice", "vote",
)  # fmt: skip
KINDS = ("ncar20", "nar20", "nnar20")


def cell(name, kind, seed, rows, repetitions, data):
    X, y = load(name, rows, seed, data)
    how = {"kind": kind[:-2], "noise": int(kind[-2:]) / 100, "repetitions": repetitions}
    learners = quick_learners(len(set(y.tolist())))
    found = errata.compare(X, y, **how, competitors=learners, random_state=seed)
    means = {metric: values.mean(axis=0) for metric, values in found.scores.items()}
    truth, row = means["clean_accuracy"], {"learners": len(found.names)}
    for who, metric in SCORES.items():
        told = means.get(metric, means["agreement"])  # without skill, that is what it goes by
        row[f"tau_{who}"] = kendalltau(truth, told).statistic
        row[f"regret_{who}"] = truth.max() - truth[told.argmax()]
        row[f"error_{who}"] = abs(told - truth).mean()
    return [row]


def quick_learners(n_classes):
    """The default competitors but for those that audit, or take long."""
    defaults = errata.comparing.default_competitors(n_classes)
    slow = ("audit", "Audited", "bagging", "RobustBoost", "EM")
    return [name for name in defaults if not any(word in name for word in slow)]


def summarise(path):
    table = pd.read_csv(path)
    by_set = table.groupby("dataset")[list(COLUMNS)].mean()
    show(f"means over kinds and seeds, {table.learners.iloc[0]} learners", by_set)
    show("by kind of noise", table.groupby("kind")[list(COLUMNS)].mean())
    show("all", table[list(COLUMNS)].mean().to_frame("mean").T)
    for what, better in (("tau", "greater"), ("regret", "less"), ("error", "less")):
        ours, plain = by_set[f"{what}_ours"], by_set[f"{what}_plain"]
        p = wilcoxon(ours, plain, alternative=better, zero_method="zsplit").pvalue
        print(f"{what}: {ours.mean():.3f} against {plain.mean():.3f}, one-sided p = {p:.3g}")


if __name__ == "__main__":
    parser = options(__doc__, "comparing.csv")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=1)
    args = parser.parse_args()
    if not args.summary:
        cells = [(n, k, s) for s, k, n in itertools.product(range(args.seeds), KINDS, SETS)]
        work = partial(cell, rows=args.rows, repetitions=args.repetitions, data=args.data)
        run(work, cells, KEYS, COLUMNS, args)
    summarise(args.out)
