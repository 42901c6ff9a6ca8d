"""How fast are parallel perceptrons trained? `python benchmarks/perceptrons.py`

Ten machines of three perceptrons, 250 epochs each, on 270 rows of 20 features: the compiled loop,
the vectorised NumPy one that stands in without Numba, and a straightforward loop over rows, which
must all agree. Prints times as multiples of the first; the time is the processor's.
"""

import time

import numpy as np
from threadpoolctl import threadpool_limits

from errata._kernels import _perceptrons, _perceptrons_numba
from errata.datasets import make_twonorm
from errata.noise import flip_labels

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


def main():
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


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
