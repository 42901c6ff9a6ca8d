"""How fast an audit is: against cleanlab end to end, on the same number of threads.

    python benchmarks/audit_speed.py forest          n = 10,000: cleanlab with a forest, 5 folds
    python benchmarks/audit_speed.py million         n = 100,000 and 1,000,000: with boosting
    python benchmarks/audit_speed.py given           probabilities given, 1,000,000 x 10 classes

Speed is told as a ratio of processor times measured in one run, as wall clocks tell little on a
busy machine; set OMP_NUM_THREADS=1.
"""

import argparse
import resource

import numpy as np
from cleanlab.experimental.label_issues_batched import LabelInspector
from cleanlab.filter import find_label_issues
from runs import seconds
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import cross_val_predict

import errata
from errata.noise import flip_labels


def table(n, d=20, n_classes=4):
    X, y = make_classification(
        n, d, n_informative=10, n_classes=n_classes, class_sep=1.5, flip_y=0, random_state=0
    )
    return X, *flip_labels(y, 0.1, random_state=0)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def cleanlab(model, X, y):
    proba = cross_val_predict(model, X, y, cv=5, method="predict_proba")
    return find_label_issues(y, proba, n_jobs=1)


def told(flagged, wrong):
    return f"precision {wrong[flagged].mean():.2f}, recall {wrong[flagged].sum() / wrong.sum():.2f}"


def forest(jobs):
    X, y, wrong = table(10_000)
    errata.audit(X[:500], y[:500], random_state=0)  # compile first
    theirs, issues = seconds(
        lambda: cleanlab(RandomForestClassifier(n_jobs=jobs, random_state=0), X, y)
    )
    for check in (True, False):
        ours, found = seconds(
            lambda check=check: errata.audit(X, y, self_check=check, n_jobs=jobs, random_state=0)
        )
        print(f"self-check {check}: cleanlab takes {theirs / ours:.2f} times as long,", end=" ")
        print(told(found.flagged, wrong))
    print("cleanlab:", told(issues, wrong))


def million(jobs):
    times = {}
    for n in (100_000, 1_000_000):
        X, y, wrong = table(n)
        times[n], found = seconds(lambda X=X, y=y: errata.audit(X, y, n_jobs=jobs, random_state=0))
        print(f"n = {n:,}: {told(found.flagged, wrong)}; peak {peak():.2f} GB so far", flush=True)
    theirs, _ = seconds(lambda: cleanlab(HistGradientBoostingClassifier(random_state=0), X, y))
    print(f"ten times the rows take {times[1_000_000] / times[100_000]:.1f} times as long")
    print(f"cleanlab takes {theirs / times[1_000_000]:.2f} times as long at a million rows")


def given(jobs):
    random = np.random.default_rng(0)
    n, k = 1_000_000, 10
    y = random.integers(k, size=n)
    scores = random.normal(size=(n, k)) + 4 * np.eye(k)[y]
    proba = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    labels, _ = flip_labels(y, 0.1, random_state=0)

    def batched():
        inspector = LabelInspector(num_class=k, n_jobs=1)
        for start in range(0, n, 100_000):
            batch = slice(start, start + 100_000)
            inspector.update_confident_thresholds(labels[batch], proba[batch])
        for start in range(0, n, 100_000):
            batch = slice(start, start + 100_000)
            inspector.score_label_quality(labels[batch], proba[batch])
        return inspector.get_label_issues()

    def ours():
        return errata.audit(None, labels, pred_proba=proba, self_check=False, random_state=0)

    single = proba.astype(np.float32)
    works = {
        "cleanlab's batched finder": batched,
        "the audit": ours,
        "np.exp of all, single precision": lambda: np.exp(single),
        "np.exp of all, double precision": lambda: np.exp(proba),
    }
    first, _ = seconds(ours)  # compiles, or loads what is compiled
    times = {name: np.median([seconds(work)[0] for _ in range(5)]) for name, work in works.items()}
    audit = times["the audit"]
    print(
        f"given probabilities: the first audit takes {first / audit:.1f} times as long as others,"
    )
    for name in sorted(works.keys() - {"the audit"}):
        print(f"  {name} {times[name] / audit:.3f} times")
    print(f"  peak {peak():.2f} GB, of which {proba.nbytes / 2**30:.2f} GB are the probabilities")


if __name__ == "__main__":
    parts = {"forest": forest, "million": million, "given": given}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="+", choices=parts)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    for part in args.parts:
        parts[part](args.jobs)
