"""How fast are bagging and boosting, and how accurate with wrong labels?

    python benchmarks/ensembles.py bagging         perceptrons beside scikit-learn's bagging
    python benchmarks/ensembles.py perceptrons     the compiled loop beside plain ones
    python benchmarks/ensembles.py boosting        boosters beside scikit-learn's AdaBoost
    python benchmarks/ensembles.py hardness FOLDER does hardness help outside of bagging?
    python benchmarks/ensembles.py tempered        boosters that hold weights back

Times are of the processor, on one thread, as ratios within one run. ``hardness`` learns from 0 to
40 % wrong labels in at most 1,500 rows of the CSV files in FOLDER; ``tempered`` takes 50 rounds of
the same trees, stumps for two classes and depth 2 for more, on ten bundled or drawn sets.
"""

import argparse
import itertools
import resource
import subprocess
import sys
import time
import warnings

import numpy as np
from joblib import Parallel, delayed
from runs import BUNDLED, SYNTHETIC, fastest, inject, load, main, take_turns
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.linear_model import Perceptron
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from errata._kernels import _perceptrons, _perceptrons_numba
from errata.datasets import load_dataset, make_twonorm
from errata.ensemble import (
    AveBoostClassifier,
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    HardnessBaggingClassifier,
    LogitBoostClassifier,
    MadaBoostClassifier,
    ORBoostClassifier,
    RobustBoostClassifier,
)
from errata.exceptions import SuspicionWarning
from errata.filters import FilteredClassifier, MarginPeeler
from errata.noise import flip_labels

# Bagging.

N, D, POOL = 5000, 36, 50


def alike(X, y):
    return np.zeros(len(y))


def compare(n_classes, perceptron, name):
    X, y = make_classification(
        2 * N, D, n_informative=12, n_classes=n_classes, class_sep=0.7, random_state=0
    )
    X, y, X_test, y_test = X[:N], y[:N], X[N:], y[N:]
    rivals = {
        "errata, constant hardness": lambda: HardnessBaggingClassifier(
            perceptron, POOL, hardness=alike, random_state=0
        ),
        "errata, kDN hardness": lambda: HardnessBaggingClassifier(perceptron, POOL, random_state=0),
        "scikit-learn bagging": lambda: BaggingClassifier(perceptron, POOL, random_state=0),
    }
    rivals["errata, constant hardness"]().fit(X[:100], y[:100])  # compile
    fits = {label: lambda make=make: make().fit(X, y) for label, make in rivals.items()}
    times, fitted = take_turns(fits, 3)
    ours = times["errata, constant hardness"]
    print(f"\n{name}, {n_classes} classes, n = {N}, d = {D}, pool of {POOL}")
    for label, model in fitted.items():
        accuracy = model.score(X_test, y_test)
        print(f"  {label:26s} time x {times[label] / ours:5.1f}   accuracy {accuracy:.3f}")


def run_bagging():
    with threadpool_limits(1):
        for n_classes in (2, 6):
            compare(n_classes, Perceptron(), "perceptrons until they stop improving")
            compare(n_classes, Perceptron(max_iter=5, tol=None), "perceptrons of five epochs")


# Parallel perceptrons.

MACHINES, EPOCHS, PERCEPTRONS, ROWS = 10, 250, 3, 270


def row_by_row(X, targets, row_weights, start, gamma, rate, epochs, *_):
    """The algorithm as printed: one row after the other, then the move."""
    W, last = start.copy(), np.inf
    for _ in range(epochs):
        moved, growth, loss = np.zeros_like(W), 0.0, 0.0
        for x, y, c in zip(X, targets, row_weights, strict=True):
            agreement = y * (W @ x)
            if np.sign(np.where(W @ x > 0, 1, -1).sum()) != y:
                loss += c
                moved[np.where(W @ x > 0, 1, -1) != y] += c * y * x
                continue
            near = (agreement > 0) & (agreement < gamma)
            moved[near] += c * y * x
            if near.any():
                growth -= 0.75 * c
            elif (agreement[agreement > 0] > gamma).all():
                growth += 0.25 * c
        W = W + rate * moved
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        gamma = max(gamma + rate * growth, _perceptrons.LEAST_GAMMA)
        if loss > last:
            rate *= 0.9
        last = loss
    return W, gamma


@threadpool_limits.wrap(limits=1)
def run_perceptrons():
    X, y = make_twonorm(ROWS, random_state=0)
    X = np.column_stack([X, np.ones(ROWS)])
    targets = np.where(flip_labels(y, 0.1, random_state=0)[0] == 1, 1.0, -1.0)
    W = np.random.RandomState(0).normal(size=(PERCEPTRONS, X.shape[1]))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    arguments = (X, targets, np.ones(ROWS), W, 0.05, 1e-3, EPOCHS, 0, 0.5, False, W)
    _perceptrons_numba.train_parallel(*arguments)  # compile
    rivals = {
        "compiled": (_perceptrons_numba.train_parallel, MACHINES),
        "NumPy, all rows at once": (_perceptrons.train_parallel, 3),
        "NumPy, row by row": (row_by_row, 1),
    }
    ours = None
    for name, (train, times) in rivals.items():
        start = time.process_time()
        for _ in range(times):
            weights = train(*arguments)[0]
        seconds = (time.process_time() - start) / times
        ours = ours or (seconds, weights)
        difference = np.abs(weights - ours[1]).max()
        print(f"{name:26s} time x {seconds / ours[0]:7.1f}   differs by {difference:.0e}")


# Boosting.

ROUNDS = 300
GROWTH = (125_000, 250_000, 500_000, 1_000_000)
GROWTH_ROUNDS = 30


def run_boosting():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    with threadpool_limits(1):
        if options.child:
            print(*measure_large(options.child))
            return
        DiscreteAdaBoostClassifier(n_estimators=2).fit(*data(50)).predict(data(50)[0])  # compile
        for n, times in ((180, 7), (10_000, 2)):
            against_scikit_learn(n, times)
        against_adaboost(180)
    growth()


def data(n):
    X, y = make_twonorm(n, random_state=0)
    X = X.astype(np.float32).astype(float)  # scikit-learn's trees see no more
    return X, flip_labels(y, 0.1, random_state=0)[0]


def against_scikit_learn(n, times):
    X, y = data(n)
    stump = DecisionTreeClassifier(max_depth=1)
    theirs, rival = fastest(lambda: AdaBoostClassifier(stump, n_estimators=ROUNDS).fit(X, y), times)
    ours, model = fastest(lambda: DiscreteAdaBoostClassifier(n_estimators=ROUNDS).fit(X, y), times)
    they_predict, their_codes = fastest(lambda: rival.predict(X), times)
    we_predict, our_codes = fastest(lambda: model.predict(X), times)
    print(f"AdaBoost, {ROUNDS} stumps, n = {n:,}, d = {X.shape[1]}: scikit-learn takes")
    print(f"  {theirs / ours:6.1f} times our time to fit")
    print(f"  {they_predict / we_predict:6.1f} times our time to predict")
    print(f"  {np.mean(their_codes == our_codes):6.4f} of the rows decided alike\n")


def against_adaboost(n):
    X, y = data(n)
    once, _ = fastest(lambda: DiscreteAdaBoostClassifier().fit(X, y), 7)
    print(f"n = {n}: times one fit of our AdaBoost with {ROUNDS} stumps")
    peeled = FilteredClassifier(MarginPeeler(), DiscreteAdaBoostClassifier())
    others = (LogitBoostClassifier(), GentleBoostClassifier(), RobustBoostClassifier(), peeled)
    tempered = (MadaBoostClassifier, AveBoostClassifier, ORBoostClassifier)
    for other in (*others, *(booster(n_estimators=ROUNDS) for booster in tempered)):
        seconds, _ = fastest(lambda other=other: clone(other).fit(X, y), 5)
        print(f"  {seconds / once:6.2f}  {type(other).__name__}")


def growth():
    print(f"\nAdaBoost, {GROWTH_ROUNDS} stumps on bins, d = 20: times the first, and peak memory")
    first = None
    for n in GROWTH:
        command = [sys.executable, __file__, "boosting", "--child", str(n)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        seconds, gigabytes = map(float, output.split())
        first = first or seconds
        print(f"  n = {n:9,d}   time x {seconds / first:5.2f}   {gigabytes:.2f} GB")


def measure_large(n):
    DiscreteAdaBoostClassifier(n_estimators=1).fit(*data(100_001))  # compile
    X, y = data(n)
    start = time.process_time()
    DiscreteAdaBoostClassifier(n_estimators=GROWTH_ROUNDS).fit(X, y)
    seconds = time.process_time() - start
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


# Hardness outside of bagging.

SETS = (
    "wdbc", "pima", "ionosphere", "liver_bupa", "glass", "haberman", "vertebral2", "ecoli",
    "yeast", "vowel528", "sonar", "breast_w",
)  # fmt: skip
LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4)


def hardness_alike(X, y):
    return np.zeros(len(y))


METHODS = {
    "AdaBoost": DiscreteAdaBoostClassifier(),
    "AdaBoost from hardness": DiscreteAdaBoostClassifier(hardness="kdn"),
    "GentleBoost": GentleBoostClassifier(),
    "GentleBoost from hardness": GentleBoostClassifier(hardness="kdn"),
    "bagging": HardnessBaggingClassifier(hardness=hardness_alike),
    "bagging, local votes": HardnessBaggingClassifier(hardness=hardness_alike, voting="local"),
    "hardness bagging": HardnessBaggingClassifier(),
    "hardness bagging, local votes": HardnessBaggingClassifier(voting="local"),
}


def accuracies(name, level, repetition, folder):
    X, y = load_dataset(name, folder=folder, return_X_y=True)
    complete = np.flatnonzero(~np.isnan(X).any(axis=1))
    rows = np.random.RandomState(repetition).permutation(complete)[:1500]
    X, y = X[rows], y[rows]
    split = StratifiedShuffleSplit(1, train_size=0.6, random_state=repetition)
    train, test = next(split.split(X, y))
    labels, _ = flip_labels(y[train], level, random_state=repetition)
    found = []
    for method in METHODS.values():
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
    cells = list(itertools.product(SETS, LEVELS, range(options.repetitions)))
    found = Parallel(n_jobs=options.jobs)(
        delayed(accuracies)(*cell, options.folder) for cell in cells
    )
    found = np.reshape(found, (len(SETS), len(LEVELS), options.repetitions, len(METHODS)))
    print(f"mean accuracy over {len(SETS)} data sets, {options.repetitions} repetitions")
    print(" " * 30, *(f"{level:7.0%}" for level in LEVELS))
    for name, means in zip(METHODS, found.mean(axis=(0, 2)).T, strict=True):
        print(f"{name:30s}", *(f"{mean:7.2f}" for mean in means))


# Boosters that hold weights back.

BOOSTERS = (DiscreteAdaBoostClassifier, MadaBoostClassifier, AveBoostClassifier, ORBoostClassifier)
KINDS = ("clean", "ncar10", "ncar30", "nar20")


def run_tempered():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    warnings.simplefilter("ignore", SuspicionWarning)
    print("accuracy (%): AdaBoost, MadaBoost, AveBoost2, ORBoost, for each of", ", ".join(KINDS))
    table = []
    for name in (*BUNDLED, *SYNTHETIC):
        table.append([mean_accuracies(name, kind) for kind in KINDS])
        print(f"{name:14}", show(table[-1]))
    print(f"{'mean':14}", show(np.mean(table, axis=0)))
    better = (np.array(table)[:, :, 1:] > np.array(table)[:, :, :1]).sum(axis=0)
    print(f"sets of {len(table)} on which each of the last three beats AdaBoost:", better.tolist())


def show(accuracies):
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
        bagging=run_bagging,
        perceptrons=run_perceptrons,
        boosting=run_boosting,
        hardness=run_hardness,
        tempered=run_tempered,
    )
