"""How much out-of-sample predictions cost, as ratios measured in one run.

    python benchmarks/elm.py                 # everything, some minutes
    python benchmarks/elm.py --rows 20000    # smaller

Every ratio is of the fastest of some repetitions, taken in turns, with the same number of threads
for all. With one thread the time is that of the processor, which other work on the machine hardly
disturbs; with more it is the clock's, so keep the machine quiet.
"""

import argparse
import resource
import subprocess
import sys
import time
import warnings

import numpy as np
from runs import print_header, take_turns
from scipy.linalg import blas
from sklearn.model_selection import cross_val_predict
from threadpoolctl import threadpool_limits

from errata.elm import ELMClassifier, ELMRegressor, _hidden_layer

TARGETS = {
    "plain fit": "",
    "5 folds": "<= 1.7 plain fits",
    "10 folds": "<= 1.7 plain fits",
    "leave one out": "<= 2.5 plain fits",
    "dsyrk alone": "the machine's limit for a fit",
    "cross_val_predict, 10 folds": ">= 4 times 10 folds",
}


def main(options):
    with threadpool_limits(options.threads):
        clock = time.process_time if options.threads == 1 else time.perf_counter
        print(f"{options.rows} rows, {options.features} features, {options.units} units, "
              f"{options.threads} thread(s), {'plain NumPy' if options.plain else 'compiled'}, "
              f"best of {options.repeat}\n")  # fmt: skip
        X, y = data(options.rows, options.features)
        measure_folds(X, y, options, clock)
        measure_hpelm(X, y, options, clock)
        measure_alphas(options, clock)
    measure_growth(options)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--units", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--plain", action="store_true", help="without Numba")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def data(n, d):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, d))
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.5 * random.normal(size=n) > 0
    return X, y.astype(int)


def measure_folds(X, y, options, clock):
    def fit(cv):
        return lambda: model(options.units, cv=cv).fit(X, y)

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
            model(options.units, cv=False), X, y, cv=10, method="decision_function"
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


def model(m, **parameters):
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
    X, y = data(options.rows, 30)
    start = clock()
    ELMClassifier(n_hidden=options.units // 2, random_state=0).fit(X, y)
    everything = clock() - start
    seconds, _ = take_turns(
        {
            "plain": lambda: model(options.units // 2, cv=False).fit(X, y),
            "folds": lambda: model(options.units // 2, cv=10).fit(X, y),
        },
        options.repeat,
        clock,
    )
    print(f"{options.rows} rows, 30 features, {options.units // 2} units: 49 alphas and leave one "
          f"out take {everything:.1f} s (target: 20 s on two cores),\n10 folds "
          f"{seconds['folds'] / seconds['plain']:.2f} plain fits (target <= 2).\n")  # fmt: skip


def measure_growth(options):
    """Time and peak memory of 5 folds for ten times as many rows, each in its own process."""
    m = options.units // 2
    print(f"5 folds of {m} units:")
    small, large = (run_child(n, options) for n in (options.rows, 10 * options.rows))
    for n, (seconds, peak) in ((options.rows, small), (10 * options.rows, large)):
        print(f"{n:>10} rows  {seconds / small[0]:6.1f} times the time, peak {peak / 2**20:.2f} GB")
    print("target: about 10 times the time, below 2 GB")


def run_child(n, options):
    command = [sys.executable, __file__, "--child", str(n), "--threads", str(options.threads),
               "--features", str(options.features), "--units", str(options.units)]  # fmt: skip
    command += ["--plain"] if options.plain else []
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds, kilobytes = map(float, printed.split())
    return seconds, kilobytes


def child(options):
    X, y = data(options.child, options.features)
    clock = time.process_time if options.threads == 1 else time.perf_counter
    with threadpool_limits(options.threads):
        model(options.units // 2, cv=5).fit(X[:10_000], y[:10_000])  # compiles what is compiled
        start = clock()
        model(options.units // 2, cv=5).fit(X, y)
        print(clock() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    print_header()
    options = parse()
    if options.plain:
        _hidden_layer.kernels = lambda subject: _hidden_layer.plain
    child(options) if options.child else main(options)
