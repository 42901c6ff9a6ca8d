"""How fast are bagging, boosting and extreme learning machines, beside others in the same run?

    python benchmarks/learners.py bagging            perceptrons beside scikit-learn's bagging
    python benchmarks/learners.py perceptrons        the compiled loop beside plain ones
    python benchmarks/learners.py boosting           boosters beside scikit-learn's AdaBoost
    python benchmarks/learners.py elm                out-of-sample predictions, some minutes
    python benchmarks/learners.py elm --rows 20000   smaller

Times are of the processor, on one thread, as ratios within one run. Those of ``elm`` are of the
fastest of some repetitions, taken in turns, with the same number of threads for all; with more than
one (``--threads``) they are the clock's, so keep the machine quiet.
"""

import argparse
import resource
import subprocess
import sys
import time
import warnings

import numpy as np
from runs import fastest, main, take_turns
from scipy.linalg import blas
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.linear_model import Perceptron
from sklearn.model_selection import cross_val_predict
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from errata._kernels import _perceptrons, _perceptrons_numba
from errata.datasets import make_twonorm
from errata.elm import ELMClassifier, ELMRegressor, _hidden_layer
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


# Extreme learning machines.

TARGETS = {
    "plain fit": "",
    "5 folds": "<= 1.7 plain fits",
    "10 folds": "<= 1.7 plain fits",
    "leave one out": "<= 2.5 plain fits",
    "dsyrk alone": "the machine's limit for a fit",
    "cross_val_predict, 10 folds": ">= 4 times 10 folds",
}


def run_elm():
    options = read_options()
    if options.plain:
        _hidden_layer.kernels = lambda subject: _hidden_layer.plain
    if options.child:
        measure_child(options)
        return
    with threadpool_limits(options.threads):
        clock = time.process_time if options.threads == 1 else time.perf_counter
        print(f"{options.rows} rows, {options.features} features, {options.units} units, "
              f"{options.threads} thread(s), {'plain NumPy' if options.plain else 'compiled'}, "
              f"best of {options.repeat}\n")  # fmt: skip
        X, y = elm_data(options.rows, options.features)
        measure_folds(X, y, options, clock)
        measure_hpelm(X, y, options, clock)
        measure_alphas(options, clock)
    measure_elm_growth(options)


def read_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--units", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--plain", action="store_true", help="without Numba")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def elm_data(n, d):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, d))
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.5 * random.normal(size=n) > 0
    return X, y.astype(int)


def measure_folds(X, y, options, clock):
    def fit(cv):
        return lambda: make_elm(options.units, cv=cv).fit(X, y)

    jobs = {
        "plain fit": fit(False),
        "5 folds": fit(5),
        "10 folds": fit(10),
        "leave one out": fit(None),
        "dsyrk alone": lambda: dsyrk(options.rows, options.units),
    }
    seconds, _ = take_turns(jobs, options.repeat, clock)
    refits = {
        "cross_val_predict, 10 folds": lambda: cross_val_predict(
            make_elm(options.units, cv=False), X, y, cv=10, method="decision_function"
        )
    }
    seconds |= take_turns(refits, 1, clock)[0]
    plain = seconds["plain fit"]
    print(f"{'':30}{'plain fits':>11}   target")
    for name, value in seconds.items():
        print(f"{name:30}{value / plain:11.2f}   {TARGETS[name]}")
    slow, fast = seconds["cross_val_predict, 10 folds"], seconds["10 folds"]
    print(f"\n10 folds are {slow / fast:.1f} times as fast as cross_val_predict.")
    print(
        f"A plain fit runs at {seconds['dsyrk alone'] / plain:.0%} of the speed of dsyrk alone.\n"
    )


def make_elm(m, **parameters):
    return ELMClassifier(n_hidden=m, alpha=1.0, random_state=0, **parameters)


def dsyrk(n, m, block=8192):
    """The symmetric products of a fit and nothing else."""
    H = np.random.default_rng(0).normal(size=(block, m))
    gram = np.zeros((m, m), order="F")
    for start in range(0, n, block):
        part = H[: min(block, n - start)]
        gram = blas.dsyrk(1.0, part.T, beta=1.0, c=gram, lower=True, overwrite_c=True)


def measure_hpelm(X, y, options, clock):
    """One fit by hpelm and by us: tanh units, the same alpha, regression on +-1."""
    here = sys.path.pop(0)  # tables.py beside this file would hide the library that hpelm needs
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from hpelm import ELM
    except ImportError as error:
        print(f"hpelm is not here to compare with ({error}); pip install hpelm\n")
        return
    finally:
        sys.path.insert(0, here)
    T = 2.0 * y[:, None] - 1

    def theirs():
        network = ELM(X.shape[1], 1, norm=1.0)
        network.add_neurons(options.units, "tanh")
        network.train(X, T)

    def ours():
        ELMRegressor(
            n_hidden=options.units, activation="tanh", alpha=1.0, cv=False, random_state=0
        ).fit(X, T[:, 0])

    seconds, _ = take_turns({"hpelm": theirs, "errata": ours}, options.repeat, clock)
    ratio = seconds["hpelm"] / seconds["errata"]
    print(f"One fit of {options.units} tanh units: hpelm takes {ratio:.2f} times as long as "
          "errata (target >= 1).\n")  # fmt: skip


def measure_alphas(options, clock):
    """49 alphas compared and every row left out, the default of the estimators."""
    X, y = elm_data(options.rows, 30)
    start = clock()
    ELMClassifier(n_hidden=options.units // 2, random_state=0).fit(X, y)
    everything = clock() - start
    seconds, _ = take_turns(
        {
            "plain": lambda: make_elm(options.units // 2, cv=False).fit(X, y),
            "folds": lambda: make_elm(options.units // 2, cv=10).fit(X, y),
        },
        options.repeat,
        clock,
    )
    print(f"{options.rows} rows, 30 features, {options.units // 2} units: 49 alphas and leave one "
          f"out take {everything:.1f} s (target: 20 s on two cores),\n10 folds "
          f"{seconds['folds'] / seconds['plain']:.2f} plain fits (target <= 2).\n")  # fmt: skip


def measure_elm_growth(options):
    """Time and peak memory of 5 folds for ten times as many rows, each in its own process."""
    m = options.units // 2
    print(f"5 folds of {m} units:")
    small, large = (run_child(n, options) for n in (options.rows, 10 * options.rows))
    for n, (seconds, peak) in ((options.rows, small), (10 * options.rows, large)):
        print(f"{n:>10} rows  {seconds / small[0]:6.1f} times the time, peak {peak / 2**20:.2f} GB")
    print("target: about 10 times the time, below 2 GB")


def run_child(n, options):
    command = [sys.executable, __file__, "elm", "--child", str(n), "--features",
               str(options.features), "--threads", str(options.threads), "--units",
               str(options.units)]  # fmt: skip
    command += ["--plain"] if options.plain else []
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, kilobytes = map(float, printed.split())
    return seconds, kilobytes


def measure_child(options):
    X, y = elm_data(options.child, options.features)
    clock = time.process_time if options.threads == 1 else time.perf_counter
    with threadpool_limits(options.threads):
        make_elm(options.units // 2, cv=5).fit(X[:10_000], y[:10_000])  # compiles what is compiled
        start = clock()
        make_elm(options.units // 2, cv=5).fit(X, y)
        print(clock() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    main(
        __doc__,
        bagging=run_bagging,
        perceptrons=run_perceptrons,
        boosting=run_boosting,
        elm=run_elm,
    )
