"""Regression tables with planted errors, for the benchmark of numeric targets."""

import zlib
from functools import lru_cache

import numpy as np

from errata.auditing.inputs._features import fit_scale
from errata.datasets import load_dataset
from errata.tables import features_of

# Constants of the audit were chosen on the first list, in a prototype; the second chose none. Three
# of the second are other columns of the same simulations as one of the first.
CHOSEN_ON = (
    "concrete", "cpu_small", "california", "kin8nm", "house8l", "boston", "stock", "diabetes",
    "airfoil", "bank8fm", "yacht", "abalone", "puma8nh", "autompg", "bodyfat",
)  # fmt: skip
OTHERS = (
    "2dplanes", "ailerons", "autoprice", "bank32nh", "cancer_wpbc", "cpu_act", "delta_ailerons",
    "delta_elevators", "elevators", "fried", "machine_cpu", "pol", "puma32h", "pyrim", "quake",
    "servo", "triazines",
)  # fmt: skip
KINDS = (
    "swap5", "swap20", "gross10", "shift10", "unit10", "uneven+swap10", "uneven+shift10", "none",
)  # fmt: skip
LEAST_MOVED = 0.1  # standard deviations: a target that moved less is not wrong
TEST_ROWS = 1_000


@lru_cache(maxsize=2)  # the kinds of errors of one table follow each other
def load(name, rows, seed, data):
    """Scaled features and targets of rows to audit, and of other rows to test on."""
    bunch = load_dataset(f"reg_{name}", folder=data)
    drawn = np.random.RandomState(seed).permutation(len(bunch.target))
    n = min(rows, round(0.7 * len(drawn)))
    drawn = drawn[: n + TEST_ROWS]
    X, _ = fit_scale(features_of(bunch.data[drawn], random_state=seed).X, seed)
    y = np.asarray(bunch.target, dtype=float)[drawn]
    return X[:n], y[:n], X[n:], y[n:]


def plant(X, y, kind, name, seed):
    """Targets with errors, and which of them are wrong."""
    random = np.random.default_rng(zlib.crc32(f"{name} {kind} {seed}".encode()))
    if kind.startswith("uneven"):
        y = y + uneven_noise(X, y.std(), random)
    form, percent = kind.rstrip("0123456789"), kind.lstrip("abcdefghijklmnopqrstuvwxyz+")
    noisy = y.copy()
    if form != "none":
        rows = rows_of(form, X, float(percent) / 100, random)
        noisy[rows] = ERRORS[form.removeprefix("uneven+")](y, rows, random)
    return noisy, np.abs(noisy - y) > LEAST_MOVED * y.std()


def uneven_noise(X, sd, random):
    """Legitimate: up to 0.8 standard deviations, growing with a feature."""
    feature = X[:, random.integers(X.shape[1])]
    rank = np.argsort(np.argsort(feature, kind="stable")) / len(feature)
    return 0.8 * sd * rank**2 * random.normal(size=len(X))


def rows_of(form, X, rate, random):
    """At random, but for units: within a third of the table."""
    n = len(X)
    if form != "unit":
        return random.choice(n, round(rate * n), replace=False)
    third = np.argsort(X[:, random.integers(X.shape[1])], kind="stable")[: n // 3]
    return random.choice(third, round(rate * n), replace=False)


def swaps(y, rows, random):
    return y[random.integers(len(y), size=len(rows))]


def gross(y, rows, random):
    """Far off, ten times too large or too small, or of the other sign."""
    far = y[rows] + y.std() * random.uniform(3, 10, len(rows)) * random.choice([-1, 1], len(rows))
    forms = np.stack([far, 10 * y[rows], y[rows] / 10, -y[rows]])
    return forms[random.integers(4, size=len(rows)), np.arange(len(rows))]


def shifts(y, rows, random):
    return y[rows] + 1.5 * y.std() * random.choice([-1, 1], len(rows))


def units(y, rows, random):
    return 2.54 * y[rows]


ERRORS = {"swap": swaps, "gross": gross, "shift": shifts, "unit": units}
