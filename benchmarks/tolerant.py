"""Clean-test accuracy of learners that were given wrong labels, with ranks.

    python benchmarks/tolerant.py --data FOLDER
    python benchmarks/tolerant.py --summary

Twenty sets, five kinds of noise, in the training half only; test labels are clean, and features
are standardised by the training half. Beside the tolerant learners stand plain ones, and cleanlab's
CleanLearning around the same ones where it is installed. All run with their defaults.
"""

import itertools
from functools import partial

import numpy as np
import pandas as pd  # noqa: TID251
from noisy_sets import KINDS, inject, load
from runs import options, run, seconds, show
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import errata
from errata import ensemble, tolerant
from errata._random import seeded_member
from errata.auditing.models._default import KernelAndTrees
from errata.stats import critical_difference, friedman_test, wilcoxon_holm

try:
    from cleanlab.classification import CleanLearning
except ImportError:
    CleanLearning = None

KEYS = ("dataset", "kind", "seed")
COLUMNS = ("method", "accuracy", "seconds")
# Ten that learners may have chosen their defaults on, and ten that chose none.
CHOSEN = (
    "wine", "breast_cancer", "twonorm", "ionosphere", "vehicle", "pima", "segment", "credit_g",
    "ecoli", "sonar",
)  # fmt: skip
OTHERS = (
    "breast_w", "crabs_species", "dna", "ilpd", "mammographic", "parkinsons", "pendigits", "seeds",
    "spectf", "vote",
)  # fmt: skip
PLAIN = {
    "SVC": SVC(),
    "logistic regression": LogisticRegression(max_iter=1000),
    "random forest": RandomForestClassifier(),
    "gradient boosting": HistGradientBoostingClassifier(),
    "kernel and trees": KernelAndTrees(),  # what AuditedClassifier fits unless told otherwise
}
CLEANED = ("logistic regression", "random forest", "gradient boosting", "kernel and trees")
TOLERANT = {
    "AuditedClassifier": errata.AuditedClassifier(),
    "AuditedClassifier, SVC, drop": errata.AuditedClassifier(SVC(), action="drop"),
    "NoiseModelClassifier": tolerant.NoiseModelClassifier(),
    "RobustDiscriminantAnalysis": tolerant.RobustDiscriminantAnalysis(),
    "RobustLogisticRegression": tolerant.RobustLogisticRegression(),
    "RobustMixtureClassifier": tolerant.RobustMixtureClassifier(covariance_type="diag"),
    "EvidentialKNNClassifier": tolerant.EvidentialKNNClassifier(n_neighbors=15),
    "RobustLossClassifier": tolerant.RobustLossClassifier(),
    "KernelRobustLossClassifier": tolerant.KernelRobustLossClassifier(),
    "ReinforcedLogisticRegression": tolerant.ReinforcedLogisticRegression(C=1.0),
    "HardnessBaggingClassifier": ensemble.HardnessBaggingClassifier(),
    "RobustBoostClassifier, 50 rounds": ensemble.RobustBoostClassifier(n_estimators=50),
    "MadaBoostClassifier": ensemble.MadaBoostClassifier(),
    "AveBoostClassifier": ensemble.AveBoostClassifier(),
    "ORBoostClassifier": ensemble.ORBoostClassifier(),
}


def learners():
    found = PLAIN | TOLERANT
    if CleanLearning is not None:
        found |= {f"CleanLearning, {n}": CleanLearning(PLAIN[n], seed=0) for n in CLEANED}
        found["CleanLearning, SVC"] = CleanLearning(SVC(probability=True), seed=0)
    return found


def cell(name, kind, seed, rows, data):
    X, y = load(name, rows, seed, data)
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=seed, stratify=y)
    noisy, _ = inject(X[train], y[train], kind, name, seed)
    scaler = StandardScaler().fit(X[train])
    given = scaler.transform(X[train]), noisy, scaler.transform(X[test])
    found = []
    for method, learner in learners().items():
        took, predicted = seconds(partial(predict, learner, seed, *given))
        accuracy = float(np.mean(predicted == y[test]))
        found.append({"method": method, "accuracy": accuracy, "seconds": took})
    return found


def predict(learner, seed, X, y, X_test):
    if type(learner).__name__ == "CleanLearning":  # it cannot be cloned by scikit-learn
        # It would start processes of its own, which a worker process may not.
        model = CleanLearning(learner.clf, seed=seed, find_label_issues_kwargs={"n_jobs": 1})
        codes = np.unique(y, return_inverse=True)
        return codes[0][model.fit(X, codes[1]).predict(X_test)]
    return seeded_member(learner, seed).fit(X, y).predict(X_test)


def summarise(path):
    table = pd.read_csv(path)
    for group, sets in (("all", CHOSEN + OTHERS), ("chose no default", OTHERS)):
        part = table[table.dataset.isin(sets)]
        by_set = part.pivot_table("accuracy", "dataset", "method").dropna()
        means = part.pivot_table("accuracy", "method", "kind")
        means["mean"] = by_set.mean()
        means["rank"] = by_set.rank(axis=1, ascending=False).mean()
        means["seconds"] = part.groupby("method").seconds.mean()
        show(f"accuracy, {len(by_set)} sets ({group})", means.sort_values("rank"))
        tell_differences(by_set)


def tell_differences(by_set):
    found = friedman_test(by_set)
    distance = critical_difference(by_set.shape[1], len(by_set))
    print(f"Friedman p = {found.p_value:.2g}, critical difference of ranks {distance:.2f}")
    rivals = ["SVC", *(c for c in by_set if c.startswith("CleanLearning"))]
    for name in [n for n in TOLERANT if n in by_set]:
        part = by_set[[name, *[r for r in rivals if r in by_set]]]
        p = wilcoxon_holm(part, control=0).p_values[0, 1:]
        gains = (part[name].to_numpy()[:, None] - part.iloc[:, 1:]).mean()
        told = ", ".join(
            f"{rival} {gain:+.3f} (p {q:.3g})"
            for (rival, gain), q in zip(gains.items(), p, strict=True)
        )
        print(f"{name} over {told}")


if __name__ == "__main__":
    parser = options(__doc__, "tolerant.csv")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--seeds", type=int, default=1)
    args = parser.parse_args()
    if not args.summary:
        sets = CHOSEN + OTHERS
        cells = [(n, k, s) for s, n, k in itertools.product(range(args.seeds), sets, KINDS)]
        run(partial(cell, rows=args.rows, data=args.data), cells, KEYS, COLUMNS, args)
    summarise(args.out)
