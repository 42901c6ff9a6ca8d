"""What cleaning brings: accuracy on clean test rows after learning from noisy labels.

    python benchmarks/cleaning.py --data FOLDER

The same learner (logistic regression, forest, gradient boosting) is fitted to the noisy training
half as it is, after ``audit.clean("drop")`` and ``clean("relabel")``, and by cleanlab's
CleanLearning when it is installed; an RBF-SVM that nobody cleans for stands beside them. Gains are
points of accuracy over the untouched learner.
"""

import argparse
import os
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pandas as pd  # noqa: TID251
from detectors import MODELS
from joblib import Parallel, delayed
from noisy_sets import KINDS, inject, load, names
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import errata

try:
    from cleanlab.classification import CleanLearning
except ImportError:
    CleanLearning = None


def cell(name, kind, seed, rows, data):
    warnings.simplefilter("ignore")
    X, y = load(name, rows, seed, data)
    train, test = train_test_split(np.arange(len(y)), test_size=0.4, random_state=seed, stratify=y)
    noisy, _ = inject(X[train], y[train], kind, name, seed)
    found = errata.audit(X[train], noisy, random_state=seed)
    cleaned = {action: found.clean(action).apply(X[train]) for action in ("drop", "relabel")}
    row = {"dataset": name, "kind": kind, "seed": seed}
    svm = make_pipeline(StandardScaler(), SVC()).fit(X[train], noisy)
    results = [
        {**row, "learner": "SVM", "how": "untouched", "accuracy": svm.score(X[test], y[test])}
    ]
    for learner, make in MODELS.items():
        ways = {"untouched": make().fit(X[train], noisy)}
        ways |= {action: make().fit(*rows) for action, rows in cleaned.items()}
        if CleanLearning is not None:
            ways["CleanLearning"] = CleanLearning(make(), seed=seed).fit(X[train], noisy)
        for how, model in ways.items():
            score = 100 * np.mean(model.predict(X[test]) == y[test])
            results.append({**row, "learner": learner, "how": how, "accuracy": score})
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("ERRATA_DATA"))
    parser.add_argument("--datasets", nargs="*")
    parser.add_argument("--kinds", nargs="*", default=["clean", *KINDS])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("cleaning.csv"))
    args = parser.parse_args()
    cells = [
        (name, kind, seed)
        for seed in range(args.seeds)
        for name in args.datasets or names(args.data)
        for kind in args.kinds
    ]
    runs = Parallel(args.jobs)(delayed(cell)(*c, args.rows, args.data) for c in cells)
    table = pd.DataFrame([row for rows in runs for row in rows])
    table.to_csv(args.out, index=False)
    report(table)


def report(table):
    accuracy = table.pivot_table("accuracy", ["dataset", "kind", "seed", "learner"], "how")
    gains = accuracy.drop(columns="untouched").sub(accuracy["untouched"], axis=0)
    noise = np.where(gains.index.get_level_values("kind") == "clean", "clean", "noisy")
    print("points over the untouched learner")
    print(gains.groupby([noise, gains.index.get_level_values("learner")]).mean().round(2))
    print(gains.groupby([gains.index.get_level_values("kind")]).mean().round(2))


if __name__ == "__main__":
    main()
