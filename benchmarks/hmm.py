"""How fast are the hidden Markov models? `python benchmarks/hmm.py`

Prints times as ratios against hmmlearn on the same samples and sizes, one thread each, in one run;
whether both take the same path; how much memory a step needs; and whether the result depends on how
sequences are cut into blocks. The time is the processor's, which other work on the machine hardly
disturbs. Needs hmmlearn, and Linux to tell the memory.
"""

import argparse
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from hmmlearn.hmm import GMMHMM
from runs import asked, seconds
from threadpoolctl import threadpool_limits

from errata.sequence import BaumWelchHMM, TolerantHMM, _inputs

STATES, COMPONENTS, FEATURES = 4, 5, 7
SAMPLES, LONG = 100_000, 1_000_000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    child = parser.parse_args().child
    warnings.simplefilter("ignore")  # of steps that are too few to settle
    with threadpool_limits(1):
        if child:
            print(measure_memory())
            return
        X, y = samples(SAMPLES)
        model(BaumWelchHMM, 1).fit(X[:2000], y[:2000]).predict(X[:2000])  # compile
        model(TolerantHMM, 1, implementation="scaling").fit(X[:2000], y[:2000])
        figures = [*learning(X, y), *decoding(X, y), memory(), partition(X, y)]
    asked("hidden Markov models, 4 states, 5 components, 7 features", figures)


def samples(n):
    """A cycle of states, each a mixture."""
    random = np.random.default_rng(0)
    lengths = random.geometric(1 / 40, n // 20)
    y = np.repeat(np.arange(len(lengths)) % STATES, lengths)[:n]
    centres = 2 * random.normal(size=(STATES, COMPONENTS, FEATURES))
    return centres[y, random.integers(COMPONENTS, size=n)] + random.normal(size=(n, FEATURES)), y


def model(kind, max_iter, **params):
    return kind(n_components=COMPONENTS, n_init=1, max_iter=max_iter, tol=-np.inf, random_state=0,
                **params)  # fmt: skip


def step(fit, **params):
    """Time of one step: what two fits differ by that differ in their number of steps."""
    few, many = (min(seconds(partial(fit, n, **params))[0] for _ in range(2)) for n in (1, 4))
    return (many - few) / 3


def learning(X, y):
    rival = step(lambda n: GMMHMM(
        STATES, COMPONENTS, covariance_type="full", n_iter=n, tol=-np.inf, random_state=0
    ).fit(X))  # fmt: skip
    ours = step(lambda n, **how: model(BaumWelchHMM, n, **how).fit(X, y))
    tolerant = step(lambda n, **how: model(TolerantHMM, n, **how).fit(X, y))
    scaled = step(lambda n, **how: model(TolerantHMM, n, **how).fit(X, y), implementation="scaling")
    return [
        ("one step of hmmlearn's GMMHMM, times that of BaumWelchHMM", rival / ours, ">=", 3),
        ("the same, times that of TolerantHMM", rival / tolerant, ">=", 3),
        ("the same, times that of TolerantHMM, scaling", rival / scaled, ">=", 3),
    ]


def decoding(X, y):
    ours = model(BaumWelchHMM, 3).fit(X, y)
    rival = GMMHMM(STATES, COMPONENTS, covariance_type="full")
    rival.n_features, rival.startprob_, rival.transmat_ = FEATURES, ours.startprob_, ours.transmat_
    rival.weights_, rival.means_, rival.covars_ = ours.weights_, ours.means_, ours.covariances_
    long = samples(LONG)[0]
    theirs, path = seconds(lambda: rival.predict(long))
    mine, classes = seconds(lambda: ours.predict(long))
    return [
        ("a million samples decoded by hmmlearn, times ours", theirs / mine, ">=", 1),
        ("  of which both give the same class", np.mean(path == classes), ">=", 1),
    ]


def memory():
    """Peak that a fit adds, in multiples of a table of samples and states.

    In a process of its own, as the loops are compiled and Python does not see what they allocate.
    """
    command = [sys.executable, __file__, "--child"]
    added = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return "peak memory that a fit adds, in tables of samples and states", float(added), "<=", 4


def measure_memory():
    X, y = samples(LONG)
    model(BaumWelchHMM, 1).fit(X[:2000], y[:2000])  # compile
    before = kilobytes("VmRSS")
    # Making the samples took more memory than keeping them: the peak is counted from here.
    Path("/proc/self/clear_refs").write_text("5")
    model(BaumWelchHMM, 1).fit(X, y)
    return (kilobytes("VmHWM") - before) * 1024 / (8 * STATES * LONG)


def kilobytes(name):
    """What Linux says of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def partition(X, y):
    lengths = np.full(len(X) // 1000, 1000)
    whole = model(TolerantHMM, 5).fit(X, y, lengths)
    _inputs.BLOCK = 3000
    parts = model(TolerantHMM, 5).fit(X, y, lengths)
    gap = max(
        np.abs(whole.means_ - parts.means_).max(), np.abs(whole.transmat_ - parts.transmat_).max()
    )
    return "parameters differ between partitions by at most, in 1e-9", gap / 1e-9, "<=", 1


if __name__ == "__main__":
    main()
