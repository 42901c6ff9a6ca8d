"""How well wrong labels are found where a row has several: the audit against cleanlab.

    python benchmarks/multilabel.py detect --data FOLDER --sets chosen   sets that chose the method
    python benchmarks/multilabel.py detect --data FOLDER --sets unseen   sets that chose nothing
    python benchmarks/multilabel.py summary                              of what was measured so far

Cells are flipped in at most 300 rows: one in twenty of all ("uniform"), one in five of those set
("missing"), or 15 % of those set and 2 % of the others ("both"); "clean" flips none. cleanlab
(pip install cleanlab) gets the out-of-fold probabilities of the audit's own models, pooled, and
those of a random forest. "one pass" is the audit without its second pass. CHOSEN were looked at
while the method was made, seed 0 above all; UNSEEN were not before the first run of this script.
"""

import itertools
from functools import partial

import numpy as np
import pandas as pd
from runs import asked, options, print_header, run, seconds, show
from sklearn.datasets import load_digits, make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import average_precision_score

from errata.auditing import TrainingData
from errata.auditing.inputs._features import FeatureScaler
from errata.auditing.multilabel._finding import (
    JudgedCells,
    judge_in_two_passes,
    pool_labels,
    predict_from_columns,
)
from errata.auditing.results._flags import draw_flags
from errata.datasets import load_dataset
from errata.tables import features_of

KINDS = {"uniform": (0.05, 0.05), "missing": (0.0, 0.2), "both": (0.02, 0.15), "clean": (0, 0)}
WORDS = {  # labels, columns, labels of a row on the mean, words of a row
    "words 5": (5, 20, 2, 50), "words 12": (12, 40, 3, 80), "words, rare": (8, 30, 1, 40),
    "words 3": (3, 10, 1, 30),
}  # fmt: skip
CHOSEN = ("words 5", "words 12", "words, rare", "hidden axes", "digits")
UNSEEN = ("words 3", "satimage", "vote", "mushroom", "kr_vs_kp", "yeast", "zoo")
DIGITS = ((0, 2, 4, 6, 8), (5, 6, 7, 8, 9), (2, 3, 5, 7), (0, 4, 6, 8, 9), (1, 4, 7), (3, 8))
YEAST = (("CYT",), ("NUC",), ("MIT",), ("ME1", "ME2", "ME3"), ("CYT", "NUC"), ("EXC", "VAC", "POX"))
VOTES = (
    "adoption_of_the_budget_resolution", "el_salvador_aid", "mx_missile", "education_spending",
    "crime", "duty_free_exports",
)  # fmt: skip
MUSHROOM = {
    "bruises": "t", "gill_size": "n", "stalk_shape": "t", "ring_type": "p", "gill_spacing": "w",
    "habitat": "d",
}  # fmt: skip
NO_FEATURE = ("odor", "spore_print_color", "veil_color")  # tell nearly all there is
CHESS = ("bkblk", "bkxbq", "rimmx", "simpl", "wknck", "r2ar8")
ZOO = ("hair", "eggs", "milk", "aquatic", "predator", "catsize")
KEYS = ("dataset", "kind", "seed")
MEASURED = (
    "method", "cells", "rows", "f1", "flagged", "n_cells", "rate", "low", "high", "true_rate",
    "seconds",
)  # fmt: skip


def load(name, rows, seed, data):
    """At most ``rows`` rows; labels that five rows have, and five have not."""
    if name in WORDS:
        k, d, n_labels, length = WORDS[name]
        X, Y = make_multilabel_classification(
            rows, d, n_classes=k, n_labels=n_labels, length=length, random_state=seed
        )
    elif name == "hidden axes":
        X, Y = hidden_axes(rows, seed)
    else:
        X, Y = stored(name, data)
        drawn = np.random.RandomState(seed).permutation(len(Y))[:rows]
        X, Y = X[drawn], Y[drawn]
    return X[:, X.std(axis=0) > 0], Y[:, (Y.sum(axis=0) >= 5) & (Y.sum(axis=0) <= len(Y) - 5)]


def hidden_axes(rows, seed):
    """Twelve columns and seven labels, from half of the rows to 3 %, of four hidden axes."""
    random = np.random.RandomState(seed)
    Z = random.normal(size=(rows, 4))
    X = Z @ random.normal(size=(4, 12)) + 0.5 * random.normal(size=(rows, 12))
    S = Z @ random.normal(size=(4, 7))
    fractions = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97)
    borders = [np.quantile(s, q) for s, q in zip(S.T, fractions, strict=True)]
    return X, (borders < S).astype(int)


def stored(name, data):
    """Classes that share attributes; or columns of yes and no, predicted from the others."""
    if name == "digits":
        X, y = load_digits(return_X_y=True)
        return X, members(y, DIGITS)
    bunch = load_dataset(name, folder=data)
    table = pd.DataFrame(bunch.data, columns=bunch.feature_names)
    y = np.asarray(bunch.target).astype(str)
    if name == "yeast":
        return features_of(table, random_state=0).X, members(y, YEAST)
    if name == "satimage":
        names = sorted(set(y))
        groups = [[n for n in names if word in n] for word in ("damp", "grey", "red", "soil")]
        return features_of(table, random_state=0).X, members(y, groups)
    chosen = {"vote": VOTES, "kr_vs_kp": CHESS, "zoo": ZOO, "mushroom": tuple(MUSHROOM)}[name]
    left = [column for column in table.columns if column not in (*chosen, *NO_FEATURE)]
    one = MUSHROOM.get if name == "mushroom" else (lambda column: None)
    Y = [is_one(table[column], one(column)) for column in chosen]
    return features_of(table[left], random_state=0).X, np.column_stack([*Y, y == y[0]]).astype(int)


def members(y, groups):
    return np.array([[int(label in group) for group in groups] for label in y])


def is_one(column, value):
    texts = np.array([str(cell) for cell in column])  # a vote that was not given is none in favour
    return texts == (max(set(texts)) if value is None else value)


def plant(Y, kind, seed):
    added, removed = KINDS[kind]
    draw = np.random.RandomState([seed, 7]).rand(*Y.shape)
    wrong = draw < np.where(Y == 1, removed, added)
    return np.where(wrong, 1 - Y, Y), wrong


def cell(name, kind, seed, rows, data):
    X, Y = load(name, rows, seed, data)
    noisy, wrong = plant(Y, kind, seed)
    table = TrainingData(
        FeatureScaler(0).fit_transform(np.asarray(X, dtype=float)), noisy, n_classes=2
    )
    nothing = [[] for _ in noisy.T]
    fitting, predictions = seconds(lambda: predict_from_columns(table, nothing, str))
    one, pools = seconds(lambda: pool_labels(table, predictions))
    judging, first = seconds(lambda: JudgedCells(pools, noisy, 0))
    both, found = seconds(lambda: judge_in_two_passes(table, predictions, progress=str))
    rates, _ = found.estimate_rates(noisy, 0)
    forest = RandomForestClassifier(200, oob_score=True, random_state=0).fit(X, noisy)
    by_forest = np.nan_to_num(np.asarray(forest.oob_decision_function_)[:, 1], nan=0.5)
    pooled = np.column_stack([np.exp(pool.logs[1]) for pool in pools]).astype(float)
    told = [
        {"method": "errata", "seconds": fitting + both, **ours(found, wrong, rates["wrong"])},
        {"method": "one pass", "seconds": fitting + one + judging, **ours(first, wrong)},
        {"method": "cleanlab, same models", **by_cleanlab(noisy, pooled, wrong)},
        {"method": "cleanlab, forest", **by_cleanlab(noisy, by_forest, wrong)},
    ]
    return [row | {"n_cells": wrong.size, "true_rate": wrong.mean()} for row in told]


def ours(found, wrong, rate=None):
    suspicion = found.suspicion
    flagged = np.zeros(wrong.shape, dtype=bool)
    judged = found.judged
    if judged.any():
        p, s = found.p_wrong[:, judged], suspicion[:, judged]
        flagged[:, judged] = draw_flags(p.ravel(), s.ravel())[0].reshape(p.shape)
    interval = {} if rate is None else {"rate": rate[0], "low": rate[1], "high": rate[2]}
    return {**measure(suspicion, suspicion.max(axis=1), flagged, wrong), **interval}


def by_cleanlab(noisy, proba, wrong):
    try:
        from cleanlab.multilabel_classification import filter as filters
        from cleanlab.multilabel_classification import rank
    except ImportError as error:
        raise ImportError("cleanlab is measured, too: pip install cleanlab") from error
    labels = [np.flatnonzero(row).tolist() for row in noisy]
    cells = 1 - rank.get_label_quality_scores_per_class(labels, proba)
    rows = 1 - rank.get_label_quality_scores(labels, proba)
    issues = filters.find_multilabel_issues_per_class(labels, proba, n_jobs=1)
    return measure(cells, rows, np.asarray(issues), wrong)


def measure(cells, rows, flagged, wrong):
    told = {"flagged": int(flagged.sum())}
    if not wrong.any():
        return told
    hits = np.sum(flagged & wrong)
    return told | {
        "cells": average_precision_score(wrong.ravel(), cells.ravel()),
        "rows": average_precision_score(wrong.any(axis=1), rows),
        "f1": 2 * hits / (flagged.sum() + wrong.sum()),
    }


def detect(args):
    chosen = (
        args.datasets or {"chosen": CHOSEN, "unseen": UNSEEN, "all": CHOSEN + UNSEEN}[args.sets]
    )
    cells = itertools.product(chosen, KINDS, range(args.seeds))
    run(partial(cell, rows=args.rows, data=args.data), list(cells), KEYS, MEASURED, args)


def summarise(path):
    table = pd.read_csv(path)
    for group, sets in {"chosen": CHOSEN, "unseen": UNSEEN}.items():
        part = table[table.dataset.isin(sets)]
        if len(part):
            tell(group, part)


def tell(group, table):
    noisy, clean = table[table.kind != "clean"], table[table.kind == "clean"]
    print(f"\n===== {group}: {table.dataset.nunique()} sets, {table.seed.nunique()} seeds")
    means = noisy.groupby("method")[["cells", "rows", "f1"]].mean()
    show("average precision of cells and of rows, F1 of flagged cells", means)
    for column in ("cells", "rows"):
        show(column, noisy.pivot_table(column, "dataset", "method"))
        show(column, noisy.pivot_table(column, "kind", "method"))
    errata = noisy[noisy.method == "errata"]
    held = (errata.low <= errata.true_rate) & (errata.true_rate <= errata.high)
    print(f"\nnoise rate: off by {(errata.rate - errata.true_rate).abs().mean():.3f}, ", end="")
    print(f"interval holds it in {held.mean():.0%}")
    fraction = (clean.flagged / clean.n_cells).groupby(clean.method).mean()
    show("flagged where nothing was flipped, fraction of cells", fraction)
    show("seconds", table.groupby("method").seconds.mean())
    rivals = [method for method in means.index if method.startswith("cleanlab")]
    best = means.loc[rivals].max()
    asked(f"asked for, {group}", [(c, means[c]["errata"], ">=", best[c]) for c in means])


if __name__ == "__main__":
    print_header()
    parser = options(__doc__, "multilabel.csv")
    parser.add_argument("part", choices=("detect", "summary"))
    parser.add_argument("--sets", choices=("chosen", "unseen", "all"), default="chosen")
    parser.add_argument("--datasets", nargs="*")
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    if given.part == "detect":
        detect(given)
    summarise(given.out)
