"""How fast audits are, beside peers in the same run, in processor seconds of one thread.

    python benchmarks/speed.py tables [--data FOLDER] [--most ROWS]    tables of 1,000 rows and more
    python benchmarks/speed.py given         probabilities given: 10,000, 100,000, 1,000,000 x 10
    python benchmarks/speed.py first         first calls, while Numba compiles
    python benchmarks/speed.py growth        how the time grows with rows, classes and columns
    python benchmarks/speed.py start         `errata audit iris.csv`, imports included, run twice

Peers are classifiers in five folds and the rule of confident learning on what they say, which
cleanlab has: a label is an issue where another class passes the mean confidence of its own rows.
Every time is the smaller of two runs, which take turns. Set OMP_NUM_THREADS=1.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from noisy_sets import load
from runs import main, seconds
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict

import errata
from errata.noise import flip_labels

SHAPES = (  # rows, classes
    (1_000, 2), (1_000, 10), (2_900, 2), (3_100, 2), (5_000, 5), (5_000, 6),
    (10_000, 2), (10_000, 5), (10_000, 10), (100_000, 2),
)  # fmt: skip
SETS = ("electricity", "bank_marketing", "adult")
WORKS = ("audit", "unchecked", "boosting", "forest")
FOREST_ROWS = 5_000  # beyond, the forest takes many times as long as boosting


def suspicion(proba, labels):
    """Confident learning: issues first, both by how little the label is believed."""
    own = proba[np.arange(len(labels)), labels]
    k = proba.shape[1]
    mean = np.bincount(labels, own, k) / np.maximum(np.bincount(labels, minlength=k), 1)
    confident = np.where(proba >= mean, proba, -1)
    issue = (confident.max(axis=1) >= 0) & (confident.argmax(axis=1) != labels)
    return issue + (1 - own) / 2


def by_model(model, X, labels):
    return suspicion(cross_val_predict(model, X, labels, cv=5, method="predict_proba"), labels)


def tables():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default=os.environ.get("ERRATA_DATA"))
    parser.add_argument("--most", type=int, default=10**6, help="rows of a table")
    args = parser.parse_args()
    print(f"{'table':24} {' '.join(f'{work:>9}' for work in WORKS)}   ratio   AP of each")
    for n, k in SHAPES:
        if n <= args.most:
            X, y = make_classification(
                n, 20, n_informative=10, n_classes=k, class_sep=1.5, flip_y=0, random_state=0
            )
            measure(f"{n:,} x 20, {k} classes", X, y)
    for name in SETS if args.data else ():
        X, y = load(name, min(args.most, 10**6), 0, args.data)
        measure(f"{name}, {len(y):,}", X, y)


def measure(name, X, y):
    labels, wrong = flip_labels(y, 0.1, random_state=0)
    errata.audit(
        X[:1_500], labels[:1_500], self_check=False, random_state=0
    )  # load what is compiled
    works = {
        "audit": lambda: errata.audit(X, labels, random_state=0).suspicion,
        "unchecked": lambda: errata.audit(X, labels, self_check=False, random_state=0).suspicion,
        "boosting": lambda: by_model(HistGradientBoostingClassifier(random_state=0), X, labels),
        "forest": lambda: by_model(RandomForestClassifier(random_state=0), X, labels),
    }
    if len(y) > FOREST_ROWS:
        del works["forest"]
    times, found = take_turns(works)
    cheaper = min(times["boosting"], times.get("forest", np.inf))
    ap = ", ".join(f"{average_precision_score(wrong, found[work]):.3f}" for work in works)
    told = " ".join(f"{times.get(work, np.nan):9.2f}" for work in WORKS)
    print(f"{name:24} {told}  {times['audit'] / cheaper:6.2f}   {ap}", flush=True)


def take_turns(works, rounds=2):
    """The smallest time of each, and what it gave."""
    times = {}
    found = {}
    for _ in range(rounds):
        for name, work in works.items():
            took, found[name] = seconds(work)
            times[name] = min(took, times.get(name, np.inf))
    return times, found


def given():
    try:
        from cleanlab.experimental.label_issues_batched import find_label_issues_batched as peer
    except ModuleNotFoundError:
        peer = None
    print(
        "rows x 10      audit  cleanlab batched  its rule  np.exp  ratio to cleanlab  to the rule"
    )
    random = np.random.default_rng(0)
    for n in (10_000, 100_000, 1_000_000):
        proba, labels = draw_probabilities(n, random)
        works = {
            "audit": lambda proba=proba, labels=labels: errata.audit(
                None, labels, pred_proba=proba, self_check=False, random_state=0
            ),
            "rule": lambda proba=proba, labels=labels: suspicion(proba, labels),
            "exp": lambda proba=proba: np.exp(proba),
        }
        if peer is not None:
            works["cleanlab"] = lambda proba=proba, labels=labels: peer(
                labels=labels, pred_probs=proba, n_jobs=1, verbose=False
            )
        times, _ = take_turns(works, rounds=5)
        cleanlab = times.get("cleanlab", np.nan)
        print(
            f"{n:9,} {times['audit']:10.3f} {cleanlab:17.4f} {times['rule']:9.4f} "
            f"{times['exp']:7.4f} {times['audit'] / cleanlab:18.2f} "
            f"{times['audit'] / times['rule']:12.2f}"
        )


def draw_probabilities(n, random):
    y = random.integers(10, size=n)
    scores = random.normal(size=(n, 10)) + 4 * np.eye(10)[y]
    proba = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return proba, flip_labels(y, 0.1, random_state=0)[0]


def first():
    """Processor seconds of a first call and of the next, each in a process with an empty cache."""
    for what in ("table", "probabilities"):
        with tempfile.TemporaryDirectory() as folder:
            code = f"import speed; speed.call_twice({what!r})"
            subprocess.run(
                [sys.executable, "-c", code],
                check=True,
                cwd=Path(__file__).parent,
                env=os.environ | {"NUMBA_CACHE_DIR": folder},
            )


def call_twice(what):
    if what == "table":
        X, y = make_classification(1_000, 20, n_informative=10, class_sep=1.5, random_state=0)
        labels, _ = flip_labels(y, 0.1, random_state=0)
        work = partial(errata.audit, X, labels, random_state=0)
    else:
        proba, labels = draw_probabilities(100_000, np.random.default_rng(0))
        work = partial(
            errata.audit, None, labels, pred_proba=proba, self_check=False, random_state=0
        )
    compiling, _ = seconds(work)
    took, _ = seconds(work)
    print(f"{what}: first call {compiling:.1f}, second {took:.2f} processor seconds", flush=True)


def growth():
    """Times along each axis, their exponent, and the largest step that size does not explain."""
    axes = {
        "rows": (900, 1_000, 1_100, 2_000, 2_900, 3_100, 6_000, 12_000, 19_000, 21_000, 40_000),
        "classes": (2, 3, 4, 5, 6, 8, 12, 16),
        "columns": (12, 20, 40, 80),
    }
    print("axis       size  seconds")
    for axis, sizes in axes.items():
        times = []
        for size in sizes:
            shape = {"rows": 4_000, "classes": 2, "columns": 20} | {axis: size}
            X, y = make_classification(
                shape["rows"],
                shape["columns"],
                n_informative=10,
                n_classes=shape["classes"],
                class_sep=1.5,
                flip_y=0.1,
                random_state=0,
            )
            works = {"audit": lambda X=X, y=y: errata.audit(X, y, random_state=0)}
            if not times:
                works["audit"]()  # load what is compiled
            times.append(take_turns(works)[0]["audit"])
            print(f"{axis:8} {size:7,} {times[-1]:8.2f}", flush=True)
        exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        beyond = np.exp(np.abs(np.diff(np.log(times))) - np.diff(np.log(sizes)))
        worst = int(beyond.argmax())
        print(
            f"{axis}: exponent {exponent:.2f}; the largest step beyond proportional is "
            f"{beyond[worst]:.2f}, from {sizes[worst]:,} to {sizes[worst + 1]:,}"
        )


def start():
    X, y = load_iris(return_X_y=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "iris.csv"
        rows = [",".join(map(str, [*row, label])) for row, label in zip(X, y, strict=True)]
        path.write_text("\n".join(["a,b,c,d,label", *rows]) + "\n", encoding="utf-8")
        for run in ("first run", "second run"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [
                sys.executable,
                "-m",
                "errata.cli",
                "audit",
                str(path),
                "-l",
                "label",
                "--force",
            ]
            subprocess.run(command, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
            print(f"errata audit iris.csv, {run}: {took:.2f} processor seconds", flush=True)


if __name__ == "__main__":
    main(__doc__, tables=tables, given=given, first=first, growth=growth, start=start)
