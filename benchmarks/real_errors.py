"""Errors that people and rules made: the audit against cleanlab on the same probabilities.

    python benchmarks/real_errors.py --data FOLDER
    python benchmarks/real_errors.py --data FOLDER --summary     of what was measured so far

Three sets come with out-of-sample probabilities of a network, which both are given. Two come with
features: the audit fits its own models, cleanlab has a logistic regression, a forest, gradient
boosting and their mean, each out of fold. "Best" is the best of cleanlab's answers on that set,
which nobody could have chosen beforehand. Results go to a CSV file that a later run continues.
"""

import re
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd  # noqa: TID251
from detectors import MEASURED, by_cleanlab, measure, model_proba, told
from noisy_sets import REAL
from runs import asked, options, run, show

import errata

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


def cell(name, data, rows):
    X, proba, codes, wrong = read(name, data, rows)
    answers = {"errata": told(errata.audit(X, codes, pred_proba=proba, random_state=0))}
    answers |= by_cleanlab(model_proba(X, codes) if proba is None else {"given": proba}, codes)
    return [{"method": method, **measure(found, wrong)} for method, found in answers.items()]


def summarise(path):
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
    asked(f"real errors, {len(ours)} sets", limits(ours, best.loc[ours.index]))


def limits(ours, best):
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


if __name__ == "__main__":
    parser = options(__doc__, "real_errors.csv")
    parser.add_argument("--rows", type=int, help="the first rows only, to try the script")
    parser.add_argument("--datasets", nargs="*", default=REAL)
    parser.add_argument("--summary", action="store_true")
    args = parser.parse_args()
    cells = [] if args.summary else [(name,) for name in args.datasets]
    work = partial(cell, data=args.data, rows=args.rows)
    run(work, cells, ("dataset",), ("method", *MEASURED), args)
    summarise(args.out)
