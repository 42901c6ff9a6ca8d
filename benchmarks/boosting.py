"""How fast are the boosters? `python benchmarks/boosting.py`

Prints times as ratios against scikit-learn's AdaBoost on the same stumps and data, one thread each,
in one run; the fraction of rows on which both decide alike, which must be 1; what peeling adds; and
how time and memory grow with the rows. The time is the processor's, which other work on the machine
hardly disturbs.
"""

import argparse
import resource
import subprocess
import sys
import time

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from errata.datasets import make_twonorm
from errata.ensemble import (
    AveBoostClassifier,
    DiscreteAdaBoostClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
    MadaBoostClassifier,
    ORBoostClassifier,
    RobustBoostClassifier,
)
from errata.filters import FilteredClassifier, MarginPeeler
from errata.noise import flip_labels

ROUNDS = 300
GROWTH = (125_000, 250_000, 500_000, 1_000_000)
GROWTH_ROUNDS = 30


def main():
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


def fastest(run, times):
    """The result and the least time of several runs."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        result = run()
        seconds.append(time.process_time() - start)
    return result, min(seconds)


def against_scikit_learn(n, times):
    X, y = data(n)
    stump = DecisionTreeClassifier(max_depth=1)
    rival, theirs = fastest(lambda: AdaBoostClassifier(stump, n_estimators=ROUNDS).fit(X, y), times)
    model, ours = fastest(lambda: DiscreteAdaBoostClassifier(n_estimators=ROUNDS).fit(X, y), times)
    their_codes, they_predict = fastest(lambda: rival.predict(X), times)
    our_codes, we_predict = fastest(lambda: model.predict(X), times)
    print(f"AdaBoost, {ROUNDS} stumps, n = {n:,}, d = {X.shape[1]}: scikit-learn takes")
    print(f"  {theirs / ours:6.1f} times our time to fit")
    print(f"  {they_predict / we_predict:6.1f} times our time to predict")
    print(f"  {np.mean(their_codes == our_codes):6.4f} of the rows decided alike\n")


def against_adaboost(n):
    X, y = data(n)
    _, once = fastest(lambda: DiscreteAdaBoostClassifier().fit(X, y), 7)
    print(f"n = {n}: times one fit of our AdaBoost with {ROUNDS} stumps")
    peeled = FilteredClassifier(MarginPeeler(), DiscreteAdaBoostClassifier())
    others = (LogitBoostClassifier(), GentleBoostClassifier(), RobustBoostClassifier(), peeled)
    tempered = (MadaBoostClassifier, AveBoostClassifier, ORBoostClassifier)
    for other in (*others, *(booster(n_estimators=ROUNDS) for booster in tempered)):
        _, seconds = fastest(lambda other=other: clone(other).fit(X, y), 5)
        print(f"  {seconds / once:6.2f}  {type(other).__name__}")


def growth():
    print(f"\nAdaBoost, {GROWTH_ROUNDS} stumps on bins, d = 20: times the first, and peak memory")
    first = None
    for n in GROWTH:
        command = [sys.executable, __file__, "--child", str(n)]
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


if __name__ == "__main__":
    main()
