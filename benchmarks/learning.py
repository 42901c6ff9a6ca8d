"""Accuracy on clean test rows of one learner, taught by noisy labels in each of several ways.

    python benchmarks/learning.py --data FOLDER
    python benchmarks/learning.py --summary

Four learners learn from the training half as it is, from what ``errata.AuditedClassifier`` makes of
it with each of its actions, and by cleanlab's CleanLearning where it is installed. Sets are those
that no constant of the audit was chosen on. Noise is in the training half only, and features are
standardised by it. One audit serves all actions: what they learn from is what the classifier itself
would. ``results/learning.csv`` holds the means over the seeds, a column for each way.
"""

import itertools
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd  # noqa: TID251
from noisy_sets import UNSEEN, inject, load
from runs import options, run, show
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import errata
from errata._random import draw_seed, seeded_member
from errata.auditing._audit import LEARNT, material
from errata.stats import wilcoxon_holm
from tolerant import CLEANED, PLAIN, CleanLearning, predict

RESULTS = Path(__file__).parent / "results" / "learning.csv"
KEYS = ("dataset", "kind", "seed")
KINDS = ("clean", "ncar20", "nar20", "nnar20")
WAYS = ("as it is", *LEARNT, "CleanLearning")
# The first of those that were held out, without the related ones, and all that nobody had seen.
HELD = (
    "ann_thyroid", "anneal", "breast_cancer_ljubljana", "crabs", "dna", "haberman", "hepatitis",
    "hypothyroid", "ilpd",
)  # fmt: skip
SETS = (*HELD, *UNSEEN)


def cell(name, kind, seed, rows, data):
    X, y = load(name, rows, seed, data)
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=seed, stratify=y)
    noisy, _ = inject(X[train], y[train], kind, name, seed)
    scaler = StandardScaler().fit(X[train])
    X_train, X_test = scaler.transform(X[train]), scaler.transform(X[test])
    taught = lessons(X_train, noisy, draw_seed(seed))
    found = []
    for learner in CLEANED:
        told = {
            way: fit(PLAIN[learner], draw_seed(seed), X_train, *lesson).predict(X_test)
            for way, lesson in taught.items()
        }
        if CleanLearning is not None:
            told["CleanLearning"] = predict(
                CleanLearning(PLAIN[learner]), seed, X_train, noisy, X_test
            )
        scores = {way: round(float(np.mean(labels == y[test])), 4) for way, labels in told.items()}
        found.append({"learner": learner, **scores})
    return found


def lessons(X, labels, seed):
    """For each way the rows to learn from, their classes and their weights."""
    audit = errata.audit(X, labels, self_check=False, random_state=seed)
    untouched = np.arange(len(labels)), labels, None
    return {"as it is": untouched} | {action: material(audit, action) for action in LEARNT}


def fit(learner, seed, X, rows, classes, weights):
    weighted = {} if weights is None else {"sample_weight": weights}
    return seeded_member(learner, seed).fit(X[rows], classes, **weighted)


def summarise():
    table = pd.read_csv(RESULTS)
    table["noise"] = np.where(table.kind == "clean", "none", "a fifth")
    for group, sets in (("held out", HELD), ("unseen", UNSEEN), ("all", SETS)):
        part = table[table.dataset.isin(sets)]
        ways = [way for way in WAYS if way in part and part[way].notna().any()]
        title = f"accuracy in percent, {part.dataset.nunique()} sets ({group})"
        show(title, 100 * part.groupby(["noise", "learner"])[ways].mean())
        show(f"{title}, by kind", 100 * part.groupby("kind")[ways].mean())
    noisy = table[table.noise != "none"].groupby("dataset")[ways].mean()
    for rival in ("as it is", "CleanLearning"):
        if rival in ways:
            tell_gains(noisy, rival)


def tell_gains(by_set, rival):
    """Points over a rival in the mean of the sets, and Wilcoxon's p after Holm's correction."""
    others = [way for way in by_set if way != rival]
    p = wilcoxon_holm(by_set[[rival, *others]], control=0).p_values[0, 1:]
    print(f"\npoints over {rival!r}, {len(by_set)} sets, noisy labels")
    for way, q in zip(others, p, strict=True):
        gain = by_set[way] - by_set[rival]
        print(f"  {way:14} {100 * gain.mean():+.2f} (better on {np.mean(gain > 0):.0%}, p {q:.2g})")


def keep_means(path):
    """The means over seeds, which the page is made from: short enough to stay in the repository."""
    table = pd.read_csv(path)
    means = table.groupby(["dataset", "kind", "learner"])[[w for w in WAYS if w in table]].mean()
    RESULTS.parent.mkdir(exist_ok=True)
    means.round(4).to_csv(RESULTS)


if __name__ == "__main__":
    parser = options(__doc__, "learning.csv")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=2)
    args = parser.parse_args()
    if not args.summary:
        cells = [(n, k, s) for s, n, k in itertools.product(range(args.seeds), SETS, KINDS)]
        columns = ("learner", *WAYS)
        run(partial(cell, rows=args.rows, data=args.data), cells, KEYS, columns, args)
        keep_means(args.out)
    summarise()
