"""Five tasks of cleanlab's tutorials, by cleanlab and by errata behind the same calls.

    python benchmarks/compat.py [--seeds 5]

Every task is one function of the library, so that both get the same calls and the same draws, one
after the other in one run. Errors are planted; AP and F1 are those of finding them: of annotators,
the labels of the majority that are wrong; of several labels, the rows that have a wrong one.
Seconds are of the processor, fits of the user's model included; each library runs a task once
before it is timed. cleanlab is needed (pip install cleanlab).
"""

import argparse
import time
import warnings

import cleanlab
import cleanlab.multiannotator
import cleanlab.multilabel_classification.filter
import cleanlab.regression.learn
import numpy as np
from runs import print_header
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits
from sklearn.ensemble import ExtraTreesClassifier, GradientBoostingRegressor
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import cross_val_predict
from threadpoolctl import threadpool_limits

from errata.compat import cleanlab as compat
from errata.noise import flip_labels

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


def measure(task, library, seed):
    started = time.process_time()
    wrong, flagged, suspicion = task(library, seed)
    seconds = time.process_time() - started
    ap = average_precision_score(wrong, suspicion)
    return seconds, wrong.sum(), np.sum(flagged), ap, f1_score(wrong, flagged)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    print_header()
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
                    measured[name].append(measure(task, library, seed))
            for name, rows in measured.items():
                seconds, wrong, flagged, ap, f1 = np.mean(rows, axis=0)
                print(
                    f"| {task.__name__.replace('_', ' ')} | {name} | {seconds:.2f} | {wrong:.0f} "
                    f"| {flagged:.0f} | {ap:.3f} | {f1:.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
