"""How well is learnt from noisy labels? Accuracy on clean test rows.

    python benchmarks/learning.py actions --data FOLDER    what AuditedClassifier makes of the rows
    python benchmarks/learning.py actions --summary        of results/learning.csv
    python benchmarks/learning.py tolerant --data FOLDER   tolerant learners beside plain ones
    python benchmarks/learning.py cleaning --data FOLDER   drop and relabel, for three learners
    python benchmarks/learning.py losses FOLDER            bounded losses beside an SVM
    python benchmarks/learning.py compare --data FOLDER    does errata.compare rank as clean labels?
    python benchmarks/learning.py hardness FOLDER          does hardness help outside of bagging?
    python benchmarks/learning.py tempered                 boosters that hold weights back

Noise is in the training half only, test labels are clean, and features are standardised by the
training half. cleanlab's CleanLearning stands beside them where it is installed. ``actions`` uses
sets that no constant of the audit was chosen on; one audit serves all actions. ``compare`` takes
Kendall's tau with the ranking by the labels before the errors: of agreement with noisy labels,
which is plain cross-validation, and of the accuracy that ``errata.compare`` estimates. ``hardness``
learns from 0 to 40 % wrong labels in at most 1,500 rows of the CSV files in FOLDER, ``tempered``
takes 50 rounds of the same trees, stumps for two classes and depth 2 for more, on ten bundled or
drawn sets.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import argparse
import itertools
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from detection import MODELS
from joblib import Parallel, delayed
from runs import (
    BUNDLED,
    KINDS,
    SYNTHETIC,
    UNSEEN,
    inject,
    load,
    main,
    names,
    options,
    run,
    seconds,
    show,
)
from scipy.stats import kendalltau, wilcoxon
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

import errata
from errata import ensemble, tolerant
from errata._random import clone_keeping_seeds, draw_seed
from errata.auditing._audited_classifier import LEARNT, material
from errata.auditing.models._default import KernelAndTrees
from errata.datasets import load_dataset
from errata.ensemble import (
    AveBoostClassifier,
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    HardnessBaggingClassifier,
    MadaBoostClassifier,
    ORBoostClassifier,
)
from errata.exceptions import SuspicionWarning
from errata.noise import flip_labels
from errata.stats import critical_difference, friedman_test, wilcoxon_holm
from errata.tolerant import KernelRobustLossClassifier, RobustLossClassifier

# Tolerant learners.

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
    return clone_keeping_seeds(learner, seed).fit(X, y).predict(X_test)


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


def run_tolerant():
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


# What AuditedClassifier makes of the rows.

RESULTS = Path(__file__).parent / "results" / "learning.csv"
ACTIONS_KEYS = ("dataset", "kind", "seed")
ACTIONS_KINDS = ("clean", "ncar20", "nar20", "nnar20")
WAYS = ("as it is", *LEARNT, "CleanLearning")
# The first of those that were held out, without the related ones, and all that nobody had seen.
HELD = (
    "ann_thyroid", "anneal", "breast_cancer_ljubljana", "crabs", "dna", "haberman", "hepatitis",
    "hypothyroid", "ilpd",
)  # fmt: skip
SETS = (*HELD, *UNSEEN)


def actions_cell(name, kind, seed, rows, data):
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
    return clone_keeping_seeds(learner, seed).fit(X[rows], classes, **weighted)


def actions_summarise():
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


def run_actions():
    parser = options(__doc__, "learning.csv")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=2)
    args = parser.parse_args()
    if not args.summary:
        cells = [(n, k, s) for s, n, k in itertools.product(range(args.seeds), SETS, ACTIONS_KINDS)]
        columns = ("learner", *WAYS)
        run(
            partial(actions_cell, rows=args.rows, data=args.data),
            cells,
            ACTIONS_KEYS,
            columns,
            args,
        )
        keep_means(args.out)
    actions_summarise()


# Cleaning.


try:
    from cleanlab.classification import CleanLearning
except ImportError:
    CleanLearning = None


def cleaning_cell(name, kind, seed, rows, data):
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


def run_cleaning():
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
    runs = Parallel(args.jobs)(delayed(cleaning_cell)(*c, args.rows, args.data) for c in cells)
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


# Bounded losses.

LOSSES_SETS = (
    "australian", "balance_scale", "breast_cancer", "credit_g", "heart_statlog", "ionosphere",
    "moons", "overlap", "pima", "ringnorm", "satimage", "segment", "sonar", "spambase", "threenorm",
    "twonorm", "vehicle", "vowel", "waveform21", "wine",
)  # fmt: skip
LOSSES_KINDS = ("ncar20", "ncar30", "nar20", "nnar20")
LOSSES_MODELS = {
    "SVC": SVC(),
    "logistic regression": LogisticRegression(max_iter=1000),
    "linear, GCE": RobustLossClassifier(),
    "kernel, GCE": KernelRobustLossClassifier(),
    "kernel, ramp": KernelRobustLossClassifier("ramp", C=0.1),
    "kernel, Savage": KernelRobustLossClassifier("savage", C=1.0),
}


def run_losses():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="where load_dataset finds its files")
    folder = parser.parse_args().folder
    table = np.array(
        [[accuracies(name, kind, folder) for kind in LOSSES_KINDS] for name in LOSSES_SETS]
    )
    print(f"{'accuracy (%)':20}", *(f"{kind:>7}" for kind in LOSSES_KINDS), "  better  worse  p")
    by_set = table.mean(axis=1)
    for m, model in enumerate(LOSSES_MODELS):
        means = " ".join(f"{100 * mean:7.1f}" for mean in table[:, :, m].mean(axis=0))
        print(f"{model:20} {means}  {against(by_set[:, m], by_set[:, 0])}")


def against(ours, theirs):
    gain = ours - theirs
    p = wilcoxon(gain).pvalue if gain.any() else 1.0
    return f"{(gain > 0).sum():6d} {(gain < 0).sum():6d}  {p:.2f}"


def accuracies(name, kind, folder):
    X, y = load(name, 1400, 0, folder)
    n = 400 if len(y) > 550 else 3 * len(y) // 5
    labels, _ = inject(X[:n], y[:n], kind, name, 0)
    fitted = [make_pipeline(StandardScaler(), m).fit(X[:n], labels) for m in LOSSES_MODELS.values()]
    return [model.score(X[n:], y[n:]) for model in fitted]


# Rankings of learners.

COMPARE_KEYS = ("dataset", "kind", "seed")
SCORES = {"plain": "agreement", "ours": "accuracy"}
COMPARE_COLUMNS = (
    "learners",
    *(f"{what}_{who}" for what in ("tau", "regret", "error") for who in SCORES),
)
COMPARE_SETS = (
    "ann_thyroid", "breast_w", "crabs_species", "dna", "hypothyroid", "ilpd", "mammographic",
    "parkinsons", "seeds", "spectf", "splice", "vote",
)  # fmt: skip
COMPARE_KINDS = ("ncar20", "nar20", "nnar20")


def compare_cell(name, kind, seed, rows, repetitions, data):
    X, y = load(name, rows, seed, data)
    how = {"kind": kind[:-2], "noise": int(kind[-2:]) / 100, "repetitions": repetitions}
    learners = quick_learners(len(set(y.tolist())))
    found = errata.compare(X, y, **how, competitors=learners, random_state=seed)
    means = {metric: values.mean(axis=0) for metric, values in found.scores.items()}
    truth, row = means["clean_accuracy"], {"learners": len(found.names)}
    for who, metric in SCORES.items():
        told = means.get(metric, means["agreement"])  # without skill, that is what it goes by
        row[f"tau_{who}"] = kendalltau(truth, told).statistic
        row[f"regret_{who}"] = truth.max() - truth[told.argmax()]
        row[f"error_{who}"] = abs(told - truth).mean()
    return [row]


def quick_learners(n_classes):
    """The default competitors but for those that audit, or take long."""
    defaults = errata.comparing.default_competitors(n_classes)
    slow = ("audit", "Audited", "bagging", "RobustBoost", "EM")
    return [name for name in defaults if not any(word in name for word in slow)]


def compare_summarise(path):
    table = pd.read_csv(path)
    by_set = table.groupby("dataset")[list(COMPARE_COLUMNS)].mean()
    show(f"means over kinds and seeds, {table.learners.iloc[0]} learners", by_set)
    show("by kind of noise", table.groupby("kind")[list(COMPARE_COLUMNS)].mean())
    show("all", table[list(COMPARE_COLUMNS)].mean().to_frame("mean").T)
    for what, better in (("tau", "greater"), ("regret", "less"), ("error", "less")):
        ours, plain = by_set[f"{what}_ours"], by_set[f"{what}_plain"]
        p = wilcoxon(ours, plain, alternative=better, zero_method="zsplit").pvalue
        print(f"{what}: {ours.mean():.3f} against {plain.mean():.3f}, one-sided p = {p:.3g}")


def run_compare():
    parser = options(__doc__, "comparing.csv")
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=1)
    args = parser.parse_args()
    if not args.summary:
        cells = [
            (n, k, s)
            for s, k, n in itertools.product(range(args.seeds), COMPARE_KINDS, COMPARE_SETS)
        ]
        work = partial(compare_cell, rows=args.rows, repetitions=args.repetitions, data=args.data)
        run(work, cells, COMPARE_KEYS, COMPARE_COLUMNS, args)
    compare_summarise(args.out)


# Hardness outside of bagging.

HARDNESS_SETS = (
    "wdbc", "pima", "ionosphere", "liver_bupa", "glass", "haberman", "vertebral2", "ecoli",
    "yeast", "vowel528", "sonar", "breast_w",
)  # fmt: skip
LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4)


def alike(X, y):
    return np.zeros(len(y))


HARDNESS_METHODS = {
    "AdaBoost": DiscreteAdaBoostClassifier(),
    "AdaBoost from hardness": DiscreteAdaBoostClassifier(hardness="kdn"),
    "GentleBoost": GentleBoostClassifier(),
    "GentleBoost from hardness": GentleBoostClassifier(hardness="kdn"),
    "bagging": HardnessBaggingClassifier(hardness=alike),
    "bagging, local votes": HardnessBaggingClassifier(hardness=alike, voting="local"),
    "hardness bagging": HardnessBaggingClassifier(),
    "hardness bagging, local votes": HardnessBaggingClassifier(voting="local"),
}


def hardness_accuracies(name, level, repetition, folder):
    X, y = load_dataset(name, folder=folder, return_X_y=True)
    complete = np.flatnonzero(~np.isnan(X).any(axis=1))
    rows = np.random.RandomState(repetition).permutation(complete)[:1500]
    X, y = X[rows], y[rows]
    split = StratifiedShuffleSplit(1, train_size=0.6, random_state=repetition)
    train, test = next(split.split(X, y))
    labels, _ = flip_labels(y[train], level, random_state=repetition)
    found = []
    for method in HARDNESS_METHODS.values():
        if "random_state" in method.get_params():
            method.set_params(random_state=repetition)
        model = make_pipeline(MinMaxScaler(), method).fit(X[train], labels)
        found.append(100 * model.score(X[test], y[test]))
    return found


def run_hardness():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=-1)
    options = parser.parse_args()
    cells = list(itertools.product(HARDNESS_SETS, LEVELS, range(options.repetitions)))
    found = Parallel(n_jobs=options.jobs)(
        delayed(hardness_accuracies)(*cell, options.folder) for cell in cells
    )
    found = np.reshape(
        found, (len(HARDNESS_SETS), len(LEVELS), options.repetitions, len(HARDNESS_METHODS))
    )
    print(f"mean accuracy over {len(HARDNESS_SETS)} data sets, {options.repetitions} repetitions")
    print(" " * 30, *(f"{level:7.0%}" for level in LEVELS))
    for name, means in zip(HARDNESS_METHODS, found.mean(axis=(0, 2)).T, strict=True):
        print(f"{name:30s}", *(f"{mean:7.2f}" for mean in means))


# Boosters that hold weights back.

BOOSTERS = (DiscreteAdaBoostClassifier, MadaBoostClassifier, AveBoostClassifier, ORBoostClassifier)
TEMPERED_KINDS = ("clean", "ncar10", "ncar30", "nar20")


def run_tempered():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    warnings.simplefilter("ignore", SuspicionWarning)
    print(
        "accuracy (%): AdaBoost, MadaBoost, AveBoost2, ORBoost, for each of",
        ", ".join(TEMPERED_KINDS),
    )
    table = []
    for name in (*BUNDLED, *SYNTHETIC):
        table.append([mean_accuracies(name, kind) for kind in TEMPERED_KINDS])
        print(f"{name:14}", tempered_row(table[-1]))
    print(f"{'mean':14}", tempered_row(np.mean(table, axis=0)))
    better = (np.array(table)[:, :, 1:] > np.array(table)[:, :, :1]).sum(axis=0)
    print(f"sets of {len(table)} on which each of the last three beats AdaBoost:", better.tolist())


def tempered_row(accuracies):
    return "   ".join(" ".join(f"{100 * a:5.1f}" for a in kind) for kind in accuracies)


def mean_accuracies(name, kind):
    return np.mean([tempered_accuracies(name, kind, seed) for seed in range(5)], axis=0)


def tempered_accuracies(name, kind, seed):
    X, y = load(name, 600, seed, None)
    half = len(y) // 2
    labels, _ = inject(X[:half], y[:half], kind, name, seed)
    depth = 1 if y.max() == 1 else 2
    fitted = [b(n_estimators=50, max_depth=depth).fit(X[:half], labels) for b in BOOSTERS]
    return [np.mean(model.predict(X[half:]) == y[half:]) for model in fitted]


if __name__ == "__main__":
    main(
        __doc__,
        tolerant=run_tolerant,
        actions=run_actions,
        cleaning=run_cleaning,
        losses=run_losses,
        compare=run_compare,
        hardness=run_hardness,
        tempered=run_tempered,
    )
