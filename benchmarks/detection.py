"""How well wrong labels are found: the audit against cleanlab and two plain baselines.

    python benchmarks/detection.py detect --data FOLDER      rank, flag, count, calibrate
    python benchmarks/detection.py summary                   of what was measured so far

What cleaning brings is measured in cleaning.py, speed in audit_speed.py.

Peers: cleanlab (when installed) on out-of-fold probabilities of a logistic regression, a forest,
gradient boosting and their mean, by self-confidence, normalised margin and adjusted
self-confidence; the loss of a kernel logistic model on each row; the margin of an RBF-SVM in five
folds. One setting for all data sets. Results go to a CSV file that a later run continues.
"""

import argparse
import csv
import itertools
import os
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd  # noqa: TID251
from joblib import Parallel, delayed
from noisy_sets import KINDS, load, names, plant
from scipy.stats import wilcoxon
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import errata
from errata.metrics import brier_score, detection_average_precision, expected_calibration_error

try:
    from cleanlab import filter as cleanlab_filter
    from cleanlab import rank as cleanlab_rank
    from cleanlab.count import estimate_joint
except ImportError:
    cleanlab_filter = None

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


def out_of_fold(model, X, y, method="predict_proba"):
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_predict(model, X, y, cv=folds, method=method)


def by_audit(X, y):
    found = errata.audit(X, y, random_state=0)
    yield (
        "errata",
        {
            "suspicion": found.suspicion,
            "p_wrong": found.p_wrong,
            "flagged": found.flagged,
            "rate": found.noise_rate.estimate,
            "low": found.noise_rate.low,
            "high": found.noise_rate.high,
            "promised": found.expected_precision,
        },
    )


def by_cleanlab(X, y):
    proba = {name: out_of_fold(make(), X, y) for name, make in MODELS.items()}
    proba["ensemble"] = np.mean(list(proba.values()), axis=0)
    for model, p in proba.items():
        flagged = cleanlab_filter.find_label_issues(y, p, n_jobs=1)
        joint = estimate_joint(y, p)
        for score, how in SCORES.items():
            try:
                suspicion = 1 - cleanlab_rank.get_label_quality_scores(y, p, **how)
            except ValueError:  # adjusting may leave the range it allows
                suspicion = np.full(len(y), np.nan)
            yield (
                f"cleanlab {model} {score}",
                {
                    "suspicion": suspicion,
                    "p_wrong": suspicion,
                    "flagged": flagged,
                    "rate": 1 - np.trace(joint) / joint.sum(),
                },
            )


def by_plain_models(X, y):
    Z = StandardScaler().fit_transform(X)
    bumps = Nystroem(gamma=1 / Z.shape[1], n_components=min(100, len(y)), random_state=0)
    kernel = make_pipeline(bumps, LogisticRegression(max_iter=1000)).fit(Z, y)
    loss = 1 - kernel.predict_proba(Z)[np.arange(len(y)), y]
    yield "kernel logistic loss", {"suspicion": loss, "p_wrong": loss}
    scores = out_of_fold(SVC(), Z, y, "decision_function")
    scores = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    own = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -np.inf
    yield "SVM margin", {"suspicion": scores.max(axis=1) - own}


def measure(found, wrong):
    """All there is to say about one answer; what it does not give stays empty."""
    row = {"true_rate": wrong.mean()}
    if wrong.any():
        row["ap"] = detection_average_precision(found["suspicion"], wrong)
    if "flagged" in found:
        flagged = found["flagged"]
        row["flagged"] = flagged.mean()
        row["f1"] = 2 * np.sum(flagged & wrong) / max(flagged.sum() + wrong.sum(), 1)
        row["precision"] = wrong[flagged].mean() if flagged.any() else ""
        row["promised"] = found.get("promised", "")
    if "rate" in found:
        row["rate"] = found["rate"]
        row["covered"] = found.get("low", np.nan) <= wrong.mean() <= found.get("high", np.nan)
        row["width"] = found.get("high", np.nan) - found.get("low", np.nan)
    if "p_wrong" in found and np.isfinite(found["p_wrong"]).all():
        p = np.clip(found["p_wrong"], 0, 1)
        row["brier"] = brier_score(p, wrong)
        row["ece"] = expected_calibration_error(p, wrong)
    return row


def detect_cell(name, kind, seed, rows, data, alone):
    warnings.simplefilter("ignore")
    X, y = load(name, rows, seed, data)
    noisy, wrong = plant(X, y, kind, name, seed)
    peers = [by_plain_models] + ([by_cleanlab] if cleanlab_filter else [])
    methods = [by_audit] if alone else [by_audit, *peers]
    answers = itertools.chain.from_iterable(method(X, noisy) for method in methods)
    cell = {"dataset": name, "kind": kind, "seed": seed}
    return [{**cell, "method": method, **measure(found, wrong)} for method, found in answers]


COLUMNS = (
    "dataset", "kind", "seed", "method", "true_rate", "ap", "flagged", "f1", "precision",
    "promised", "rate", "covered", "width", "brier", "ece",
)  # fmt: skip


def detect(args):
    done = set()
    if args.out.exists():
        with open(args.out, newline="") as file:
            done = {(r["dataset"], r["kind"], int(r["seed"])) for r in csv.DictReader(file)}
    kinds = (*KINDS, "clean")
    cells = itertools.product(range(args.seeds), args.datasets or names(args.data), kinds)
    todo = [(n, k, s) for s, n, k in cells if (n, k, s) not in done]
    runs = Parallel(args.jobs, return_as="generator_unordered")(
        delayed(detect_cell)(*cell, args.rows, args.data, args.alone) for cell in todo
    )
    with open(args.out, "a", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        if not done:
            table.writeheader()
        for rows in runs:
            table.writerows(rows)
            file.flush()
    summarise(args.out)


def summarise(path):
    """Means over noise kinds, balanced over data sets, and ranks."""
    table = pd.read_csv(path)
    for name in ("covered", "precision", "promised"):
        table[name] = pd.to_numeric(table[name].replace({"True": 1, "False": 0}))
    table["rate_error"] = (table.rate - table.true_rate).abs()
    table["kept_promise"] = table.precision - table.promised
    noisy, ours = table[table.kind != "clean"], table[table.method == "errata"]
    print_precision(noisy)
    columns = ["f1", "flagged", "rate_error", "covered", "width", "brier", "ece", "kept_promise"]
    show("errata", ours.groupby("kind")[columns].mean())
    show("F1 of default flags", best(noisy, "f1", ascending=False))
    show("error of the noise rate, NCAR and NAR", best(noisy[noisy.kind != "nnar20"], "rate_error"))
    show("Brier score", best(noisy, "brier"))
    clean = ours[ours.kind == "clean"].groupby("dataset").rate.mean().sort_values()
    show("estimated rate without planted errors, worst last", clean.tail(8))


def print_precision(noisy):
    ap = noisy.pivot_table("ap", "method", "kind")
    ap["mean"] = noisy.groupby(["method", "dataset"]).ap.mean().groupby("method").mean()
    by_set = noisy.pivot_table("ap", "dataset", "method")
    ap["rank"] = by_set.rank(axis=1, ascending=False).mean()
    show("average precision", ap.sort_values("mean", ascending=False))
    if len(ap) > 1:
        rival = ap.drop("errata")["mean"].idxmax()
        p = wilcoxon(by_set.errata, by_set[rival]).pvalue
        print(f"errata {ap['mean']['errata'] - ap['mean'][rival]:+.3f} over {rival}, p = {p:.2g}")


def best(table, column, ascending=True):
    return table.groupby("method")[column].mean().sort_values(ascending=ascending).head(5)


def show(title, table):
    print(f"\n{title}\n{table.round(3).to_string()}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["detect", "summary"])
    parser.add_argument("--data", type=Path, default=os.environ.get("ERRATA_DATA"))
    parser.add_argument("--datasets", nargs="*")
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--alone", action="store_true", help="the audit without its peers")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("detection.csv"))
    args = parser.parse_args()
    detect(args) if args.part == "detect" else summarise(args.out)
