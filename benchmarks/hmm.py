"""How fast are the hidden Markov models? `python benchmarks/hmm.py`

Prints times as ratios against hmmlearn on the same samples and sizes, one thread each, in one run;
whether both take the same path; how much memory a step needs; and whether the result depends on how
sequences are cut into blocks. The time is the processor's, which other work on the machine hardly
disturbs. Needs hmmlearn.
"""

import argparse
import tracemalloc
import warnings
from functools import partial

import numpy as np
from hmmlearn.hmm import GMMHMM
from runs import asked, seconds
from threadpoolctl import threadpool_limits

from errata.sequence import BaumWelchHMM, TolerantHMM, _inputs

STATES, COMPONENTS, FEATURES = 4, 5, 7
SAMPLES, LONG = 100_000, 1_000_000


def main():
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    warnings.simplefilter("ignore")  # of steps that are too few to settle
    with threadpool_limits(1):
        X, y = samples(SAMPLES)
        model(BaumWelchHMM, 1).fit(X[:2000], y[:2000]).predict(X[:2000])  # compile
        model(TolerantHMM, 1, implementation="scaling").fit(X[:2000], y[:2000])
        figures = [*learning(X, y), *decoding(X, y), memory(X, y), partition(X, y)]
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


def memory(X, y):
    """Peak of a step, in multiples of the three tables (samples, states) that it must hold."""
    fitted = model(TolerantHMM, 1)
    tracemalloc.start()
    fitted.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return (
        "peak memory of a fit, in tables of samples and states",
        peak / (8 * STATES * len(X)),
        "<=",
        6,
    )


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
