"""How well are wrong labels found? The audit beside cleanlab and two plain baselines.

    python benchmarks/detection.py injected detect --data FOLDER --sets all    the final table
    python benchmarks/detection.py injected detect --data FOLDER --sets folder   any tables
    python benchmarks/detection.py injected large --data FOLDER --sets all   class to class
    python benchmarks/detection.py injected summary                           of what was measured
    python benchmarks/detection.py real --data FOLDER       errors that people and rules made
    python benchmarks/detection.py large --data FOLDER      10,000 rows and more, with their cost
    python benchmarks/detection.py tutorials [--seeds 5]    five tasks of cleanlab's tutorials

Peers: cleanlab (when installed) on out-of-fold probabilities, by self-confidence, normalised margin
and adjusted self-confidence, with its default flags; the loss of a kernel logistic model on each
row; the margin of an RBF-SVM in five folds. One setting for all data sets. Errors of five kinds are
injected in at most 3,000 rows of each set (class to class: 20,000). Results go to a CSV file that a
later run continues; ``results/detection.csv`` has the means that the pages cite. ``label_f1`` is
the best F1 of a list that takes some labels whole, whatever the rows: hard to beat where noise is
uneven, and no use. ``missed`` is the fraction of wrong labels that are not among as many first rows
as there are wrong ones. What is fixed before a run: benchmarks/registered.md.

``real``: three sets come with out-of-sample probabilities of a network, which both are given. Two
come with features: the audit fits its own models, cleanlab has a logistic regression, a forest,
gradient boosting and their mean. "Best" is the best of cleanlab's answers on that set, which nobody
could have chosen beforehand. ``large``: processor times are ratios within one cell, on one thread.

``tutorials``: by cleanlab and by errata behind the same calls. Every task is one function of the
library, so that both get the same calls and the same draws, one after the other in one run. Errors
are planted; AP and F1 are those of finding them: of annotators, the labels of the majority that are
wrong; of several labels, the rows that have a wrong one. Seconds are of the processor, fits of the
user's model included; each library runs a task once before it is timed.
"""

import argparse
import itertools
import re
import warnings
from argparse import BooleanOptionalAction
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from runs import (
    CHOSEN_ON,
    HELD_OUT,
    KINDS,
    LARGE,
    REAL,
    RELATED,
    UNSEEN,
    asked,
    inject,
    load,
    main,
    names,
    options,
    run,
    seconds,
    show,
)
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, brier_score_loss, f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

import errata
from errata.compat import cleanlab as compat
from errata.metrics import expected_calibration_error, precision_at_k
from errata.noise import flip_labels
from errata.stats import wilcoxon_holm

# Peers, and what is measured.

try:
    import cleanlab
    import cleanlab.multiannotator
    import cleanlab.multilabel_classification.filter
    import cleanlab.regression.learn
    from cleanlab import filter as cleanlab_filter
    from cleanlab import rank as cleanlab_rank
    from cleanlab.count import estimate_joint
except ImportError:
    cleanlab = cleanlab_filter = None

MODELS = {
    "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "forest": lambda: RandomForestClassifier(100, random_state=0),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
}
SCORES = {
    "self-confidence": {"method": "self_confidence"},
    "margin": {"method": "normalized_margin"},
    "adjusted": {"method": "self_confidence", "adjust_pred_probs": True},
}
TOLD = (
    "promised", "rate", "low", "high", "self_ap", "injected", "found", "by_label", "lift", "note",
)  # fmt: skip
MEASURED = (
    "n", "true_rate", "ap", "missed", "flagged", "recall", "precision", "f1", "label_f1", "covered",
    "brier", "ece", *TOLD,
)  # fmt: skip


def out_of_fold(model, X, y, method="predict_proba"):
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_predict(model, X, y, cv=folds, method=method)


def model_proba(X, y):
    """Out-of-fold probabilities of the three models, and their mean."""
    proba = {name: out_of_fold(make(), X, y) for name, make in MODELS.items()}
    return {**proba, "ensemble": np.mean(list(proba.values()), axis=0)}


def told(audit):
    """What an audit says."""
    answer = {
        "suspicion": audit.suspicion,
        "p_wrong": audit.p_wrong,
        "flagged": audit.flagged,
        "promised": audit.expected_precision,
        "rate": audit.noise_rate.estimate,
        "low": audit.noise_rate.low,
        "high": audit.noise_rate.high,
        "note": audit.notes[0] if audit.notes else "",
    }
    check = audit.self_check
    if check is not None:
        answer |= {"injected": check.injected, "found": check.found, "by_label": check.by_label}
        answer |= {"lift": int(check.lift), "self_ap": check.average_precision}
    return answer


def by_cleanlab(proba, y):
    """Its answers for each of the probabilities and each of its scores, by name."""
    if cleanlab_filter is None:
        return {}
    return {
        f"cleanlab {model} {score}": {**flags, "suspicion": quality, "p_wrong": quality}
        for model, p in proba.items()
        for flags in [cleanlab_flags(p, y)]
        for score, quality in cleanlab_scores(p, y).items()
    }


def cleanlab_flags(p, y):
    joint = estimate_joint(y, p)
    flagged = cleanlab_filter.find_label_issues(y, p, n_jobs=1)
    return {"flagged": flagged, "rate": 1 - np.trace(joint) / joint.sum()}


def cleanlab_scores(p, y):
    scores = {}
    for score, how in SCORES.items():
        try:
            scores[score] = 1 - cleanlab_rank.get_label_quality_scores(y, p, **how)
        except ValueError:  # adjusting may leave the range it allows: then as they are
            scores[score] = scores["self-confidence"]
    return scores


def by_plain_models(X, y):
    Z, own = StandardScaler().fit_transform(X), (np.arange(len(y)), y)
    features = Nystroem(gamma=1 / Z.shape[1], n_components=min(100, len(y)), random_state=0)
    kernel = make_pipeline(features, LogisticRegression(max_iter=1000)).fit(Z, y)
    loss = 1 - kernel.predict_proba(Z)[own]
    scores = out_of_fold(SVC(), Z, y, "decision_function")
    scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    of_label = scores[own]
    scores[own] = -np.inf
    margin = scores.max(axis=1) - of_label
    return {
        "kernel logistic loss": {"suspicion": loss, "p_wrong": loss},
        "SVM margin": {"suspicion": margin},
    }


def measure(answer, wrong):
    """All there is to say about one answer; what it does not give stays empty."""
    row = {"n": len(wrong), "true_rate": wrong.mean()}
    row |= {name: answer[name] for name in TOLD if name in answer}
    if wrong.any():
        row["ap"] = average_precision_score(wrong, answer["suspicion"])
        row["missed"] = 1 - precision_at_k(wrong, answer["suspicion"])
    if "flagged" in answer:
        row |= of_flags(answer["flagged"], wrong)
    if "low" in answer:
        row["covered"] = int(answer["low"] <= wrong.mean() <= answer["high"])
    if "p_wrong" in answer:
        p = np.clip(answer["p_wrong"], 0, 1)
        row |= {"brier": brier_score_loss(wrong, p), "ece": expected_calibration_error(wrong, p)}
    return row


def of_flags(flagged, wrong):
    row = {"flagged": flagged.mean()}
    if flagged.any():
        row["precision"] = wrong[flagged].mean()
    if wrong.any():
        row["recall"] = flagged[wrong].mean()
        row["f1"] = 2 * np.sum(flagged & wrong) / (flagged.sum() + wrong.sum())
    return row


# Injected errors.

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
    by_label = f1_by_label(codes, wrong)
    return [
        {"method": method, **measure(found, wrong), "label_f1": by_label}
        for method, found in answers.items()
    ]


def f1_by_label(labels, wrong):
    """The best F1 score of a list that takes some labels whole."""
    if not wrong.any():
        return np.nan
    rows = np.bincount(labels)
    errors = np.bincount(labels, weights=wrong)
    order = np.argsort(-errors / np.maximum(rows, 1))
    return (2 * errors[order].cumsum() / (rows[order].cumsum() + wrong.sum())).max()


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
    listed = {name for sets in GROUPS.values() for name in sets}
    others = set(table.dataset) - listed
    for group, sets in {**GROUPS, "tables of the folder": others}.items():
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
    show("wrong labels missed by as many flags as there are errors", best(noisy, "missed"))
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
    """Over each model of the peers, by its best score; p-values of Wilcoxon, corrected by Holm."""
    others = ap.drop(index="errata")
    model = others.index.str.replace("( self-confidence| margin| adjusted)$", "", regex=True)
    rivals = list(others.groupby(model)["mean"].idxmax())
    if rivals:
        by_set = noisy.pivot_table("ap", "dataset", "method")
        p = wilcoxon_holm(by_set[["errata", *rivals]], control=0).p_values[0, 1:]
        lead = -by_set[rivals].sub(by_set.errata, axis=0)
        told = pd.DataFrame({"lead": lead.mean(), "tables ahead": (lead > 0).sum()})
        told["p (Holm)"] = [f"{one:.1g}" for one in p]
        show("errata over each of them", told.sort_values("lead"))
        best_one = others["mean"].idxmax()
        print(f"behind {best_one}: {', '.join(lead.index[lead[best_one] < 0]) or 'nowhere'}")


def means(ours):
    """What the audit is like, by kind of noise."""
    columns = [
        "ap", "missed", "f1", "label_f1", "flagged", "precision", "promised", "rate_error",
        "covered", "width", "ece", "self_ap", "self_error",
    ]  # fmt: skip
    return ours.groupby("kind")[[c for c in columns if c in ours]].mean()


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


def run_detect():
    parser = options(__doc__, "detection.csv")
    parser.add_argument("part", choices=["detect", "large", "summary"])
    parser.add_argument(
        "--sets", choices=["chosen", "held", "unseen", "all", "folder"], default="chosen"
    )
    parser.add_argument("--datasets", nargs="*", help="these, instead of a list")
    parser.add_argument("--rows", type=int, help="at most; 3,000, large 20,000")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--alone", action="store_true", help="the audit without its peers")
    parser.add_argument("--self-check", action=BooleanOptionalAction, default=True)
    args = parser.parse_args()
    if args.part != "summary":
        detect(args)
    summarise(args.out)


# Errors that people and rules made.

NO_FEATURES = ("true_label", "is_error", "review_action", "corrected_label", "label")
PROBABILITY = r"(?:.+_p_|p)(.+)"  # the name of a column of probabilities: p0, resnet18_p_iv
PROTOTYPE = {"ap": 0.663, "f1": 0.6, "ece": 0.093, "rate_error": 0.071}  # reached


def read(name, data, rows):
    """Features or None, probabilities or None, labels as codes, and which are wrong."""
    table = pd.read_csv(next(Path(data).glob(f"{name}.csv*")))[:rows]
    classes, codes = np.unique(table["label"].astype(str), return_inverse=True)
    truth = table["label"] != table["true_label"] if "true_label" in table else table["is_error"]
    values = table.drop(columns=[c for c in NO_FEATURES if c in table])
    named = [re.fullmatch(PROBABILITY, column) for column in values]
    if not all(named):
        return values.to_numpy(float), None, codes, truth.to_numpy(bool)
    values.columns = [match[1] for match in named]
    return None, probabilities(values, classes, codes), codes, truth.to_numpy(bool)


def probabilities(values, classes, codes):
    """Columns in the order of the sorted labels; agreement with the labels must say so too."""
    proba = values[list(classes)].to_numpy(float)
    if np.mean(proba.argmax(axis=1) == codes) < 0.5:
        raise ValueError("most labels are not the most probable ones: wrong order of columns?")
    return proba / proba.sum(axis=1, keepdims=True)


def real_cell(name, data, rows):
    X, proba, codes, wrong = read(name, data, rows)
    answers = {"errata": told(errata.audit(X, codes, pred_proba=proba, random_state=0))}
    answers |= by_cleanlab(model_proba(X, codes) if proba is None else {"given": proba}, codes)
    return [{"method": method, **measure(found, wrong)} for method, found in answers.items()]


def real_summarise(path):
    table = pd.read_csv(path)
    table["rate_error"] = (table.rate - table.true_rate).abs()
    table["dataset"] = table.dataset.str.replace("human_|_probs_.*", "", regex=True)
    ours = table[table.method == "errata"].set_index("dataset")
    theirs = table[table.method != "errata"]
    columns = [
        "n", "true_rate", "rate", "low", "high", "ap", "f1", "precision", "promised", "ece",
        "self_ap",
    ]  # fmt: skip
    show("errata", ours[columns])
    best = theirs.groupby("dataset")[["ap", "f1"]].max().join(theirs.groupby("dataset").ece.min())
    show("cleanlab, the best of each set", best)
    show("average precision", table.pivot_table("ap", "method", "dataset"))
    flags = table[~table.method.str.contains("margin|adjusted")]  # the same for every score
    show("F1 of default flags", flags.pivot_table("f1", "method", "dataset"))
    show("expected calibration error", table.pivot_table("ece", "method", "dataset"))
    asked(f"real errors, {len(ours)} sets", real_limits(ours, best.reindex(ours.index)))


def real_limits(ours, best):
    yield "F1", ours.f1.mean(), ">=", 0.55
    yield "sets where F1 reaches cleanlab's best", (ours.f1 >= best.f1).sum(), ">=", 4
    yield "expected calibration error", ours.ece.mean(), "<=", 0.09
    yield "sets where the interval holds the truth", ours.covered.sum(), ">=", 4
    for name in ours.index:
        lead = ours.ap[name] - best.ap[name]
        yield f"average precision over cleanlab's best, {name}", lead, ">=", -0.003
    for column, figure in PROTOTYPE.items():
        sign = ">=" if column in ("ap", "f1") else "<="
        yield f"{column}, prototype", ours[column].mean(), sign, figure


def run_real():
    parser = options(__doc__, "real_errors.csv")
    parser.add_argument("--rows", type=int, help="the first rows only, to try the script")
    parser.add_argument("--datasets", nargs="*", default=REAL)
    parser.add_argument("--summary", action="store_true")
    args = parser.parse_args()
    cells = [] if args.summary else [(name,) for name in args.datasets]
    work = partial(real_cell, data=args.data, rows=args.rows)
    run(work, cells, ("dataset",), ("method", *MEASURED), args)
    real_summarise(args.out)


# 10,000 rows and more.

SETS = ("adult", "higgs7500", "electricity", "bank_marketing", "letter", "pendigits")
LARGE_KINDS = ("ncar10", "class20")
PEERS = ("forest", "boosting", "mean")


def large_cell(name, kind, seed, data, most):
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


def large_summarise(path):
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


def run_large():
    parser = options(__doc__, "large_tables.csv")
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--sets", choices=["chosen", "held", "all"], default="chosen")
    parser.add_argument("--datasets", nargs="*", help="these, instead of the six")
    parser.add_argument("--summary", action="store_true")
    args = parser.parse_args()
    chosen = args.datasets or [name for name in SETS if name in names(args.data, args.sets)]
    cells = [(n, k, s) for s in range(args.seeds) for n in chosen for k in LARGE_KINDS]
    work = partial(large_cell, data=args.data, most=args.rows)
    columns = ("method", "n", "ap", "seconds")
    run(work, [] if args.summary else cells, ("dataset", "kind", "seed"), columns, args)
    large_summarise(args.out)


# The tasks of cleanlab's tutorials.

LIBRARIES = {"cleanlab": cleanlab, "errata": compat}


def pictures(library, seed):
    """Labels of pictures, from probabilities: find_label_issues, get_label_quality_scores."""
    X, y = load_digits(return_X_y=True)
    labels, wrong = flip_labels(y, 0.1, random_state=seed)
    model = LogisticRegression(C=0.1, max_iter=200)
    pred_probs = cross_val_predict(model, X / 16, labels, cv=3, method="predict_proba")
    flagged = library.filter.find_label_issues(labels, pred_probs, n_jobs=1)
    scores = library.rank.get_label_quality_scores(labels, pred_probs)
    return wrong, flagged, 1 - scores


def table(library, seed):
    """Labels of a table: CleanLearning around a model."""
    X, y = load_breast_cancer(return_X_y=True)
    labels, wrong = flip_labels(y, 0.1, random_state=seed)
    model = ExtraTreesClassifier(100, random_state=0)
    issues = library.classification.CleanLearning(model, seed=seed).find_label_issues(X, labels)
    return wrong, issues["is_label_issue"], 1 - issues["label_quality"]


def annotators(library, seed):
    """Labels by five people: the consensus, and how good it is."""
    X, y = load_digits(n_class=5, return_X_y=True)
    rng = np.random.default_rng(seed)
    right = rng.random((len(y), 5)) < np.linspace(0.5, 0.9, 5)
    votes = np.where(right, y[:, None], rng.integers(0, 5, (len(y), 5))).astype(float)
    votes[rng.random(votes.shape) < 0.5] = np.nan
    seen = ~np.isnan(votes).all(axis=1)
    X = X[seen]
    y = y[seen]
    votes = votes[seen]
    majority = compat.multiannotator.get_majority_vote_label(votes)  # the same for both
    model = LogisticRegression(C=0.01, max_iter=200)
    pred_probs = cross_val_predict(model, X / 16, majority, cv=3, method="predict_proba")
    found = library.multiannotator.get_label_quality_multiannotator(
        votes, pred_probs, verbose=False
    )["label_quality"]
    # Of the majority's labels, those that the consensus changes are found.
    agrees = found["consensus_label"].to_numpy() == majority
    score = found["consensus_quality_score"].to_numpy()
    return majority != y, ~agrees, np.where(agrees, 1 - score, 1 + score)


def several_labels(library, seed):
    """Rows with several labels: which have a wrong one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1000, 8))
    truth = X @ rng.normal(size=(8, 5)) + rng.normal(scale=0.5, size=(1000, 5)) > 0.5
    flipped = rng.random(truth.shape) < 0.03
    given = truth ^ flipped
    model = LogisticRegression()
    columns = [
        cross_val_predict(model, X, column, cv=3, method="predict_proba")[:, 1]
        for column in given.T
    ]
    pred_probs = np.column_stack(columns)
    labels = [np.flatnonzero(row).tolist() for row in given]
    module = library.multilabel_classification
    flagged = module.filter.find_label_issues(labels, pred_probs, n_jobs=1)
    scores = module.rank.get_label_quality_scores(labels, pred_probs)
    return flipped.any(axis=1), flagged, 1 - scores


def numbers(library, seed):
    """Numbers of a table: CleanLearning around a regressor."""
    X, y = load_diabetes(return_X_y=True)
    rng = np.random.default_rng(seed)
    wrong = rng.random(len(y)) < 0.05
    given = np.where(wrong, y + rng.choice([-1, 1], len(y)) * rng.uniform(150, 400, len(y)), y)
    model = GradientBoostingRegressor(n_estimators=50, random_state=0)
    learner = library.regression.learn.CleanLearning(model, seed=seed)
    issues = learner.find_label_issues(X, given)
    return wrong, issues["is_label_issue"], 1 - issues["label_quality"]


TASKS = (pictures, table, annotators, several_labels, numbers)


def measure_task(task, library, seed):
    took, (wrong, flagged, suspicion) = seconds(lambda: task(library, seed))
    ap = average_precision_score(wrong, suspicion)
    return took, wrong.sum(), np.sum(flagged), ap, f1_score(wrong, flagged)


def run_tutorials():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    print(f"cleanlab {cleanlab.__version__}; means of {args.seeds} draws\n")
    print("| task | library | seconds | wrong | flagged | AP | F1 |")
    print("|---|---|---:|---:|---:|---:|---:|")
    warnings.simplefilter("ignore")  # pandas, of calls that cleanlab makes
    with threadpool_limits(1):
        for task in TASKS:
            measured = {name: [] for name in LIBRARIES}
            for library in LIBRARIES.values():
                task(library, args.seeds)
            for seed in range(args.seeds):
                for name, library in LIBRARIES.items():
                    measured[name].append(measure_task(task, library, seed))
            for name, rows in measured.items():
                took, wrong, flagged, ap, f1 = np.mean(rows, axis=0)
                print(
                    f"| {task.__name__.replace('_', ' ')} | {name} | {took:.2f} | {wrong:.0f} "
                    f"| {flagged:.0f} | {ap:.3f} | {f1:.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main(__doc__, injected=run_detect, real=run_real, large=run_large, tutorials=run_tutorials)
