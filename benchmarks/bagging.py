"""How fast is a pool of perceptrons trained together? `python benchmarks/bagging.py`

Prints times as multiples of ours, against scikit-learn's bagging of the same perceptrons, same
data, same run, one thread each; and the accuracies, which must agree. The time is the processor's,
which other work on the machine hardly disturbs.
"""

import time

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import Perceptron
from threadpoolctl import threadpool_limits

from errata.ensemble import HardnessBaggingClassifier

N, D, POOL = 5000, 36, 50


def alike(X, y):
    return np.zeros(len(y))


def best_of(make, X, y, times=3):
    """The fitted model and the least time of several fits."""
    seconds = []
    for _ in range(times):
        start = time.process_time()
        model = make().fit(X, y)
        seconds.append(time.process_time() - start)
    return model, min(seconds)


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
    found = {label: best_of(make, X, y) for label, make in rivals.items()}
    ours = found["errata, constant hardness"][1]
    print(f"\n{name}, {n_classes} classes, n = {N}, d = {D}, pool of {POOL}")
    for label, (model, seconds) in found.items():
        accuracy = model.score(X_test, y_test)
        print(f"  {label:26s} time x {seconds / ours:5.1f}   accuracy {accuracy:.3f}")


if __name__ == "__main__":
    with threadpool_limits(1):
        for n_classes in (2, 6):
            compare(n_classes, Perceptron(), "perceptrons until they stop improving")
            compare(n_classes, Perceptron(max_iter=5, tol=None), "perceptrons of five epochs")
