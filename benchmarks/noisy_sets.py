"""Data sets with planted errors, for the benchmarks of the audit."""

import zlib

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
    make_moons,
)

from errata.datasets import load_dataset, make_ringnorm, make_threenorm, make_twonorm
from errata.noise import boundary_flip_proba, flip_labels, reference_proba
from errata.tables import features_of

KINDS = ("ncar10", "ncar20", "ncar30", "nar20", "nnar20")
BUNDLED = {
    "iris": load_iris,
    "wine": load_wine,
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
}
FOLDER = (
    "australian", "balance_scale", "cmc", "credit_g", "ctg", "ecoli", "electricity", "glass",
    "heart_statlog", "hill_valley", "ionosphere", "led7", "letter", "liver_bupa", "mfeat_zernike",
    "monk3", "optdigits", "page_blocks", "pima", "satimage", "segment", "sonar", "soybean",
    "spambase", "tic_tac_toe", "vehicle", "vertebral3", "vowel", "wall_robot", "waveform21",
    "winequality_red", "yeast",
)  # fmt: skip


def synthetic(name, rows, seed):
    if name == "moons":
        return make_moons(rows, noise=0.25, random_state=seed)
    if name == "overlap":
        return make_classification(
            rows, 20, n_informative=6, n_redundant=4, n_classes=3, class_sep=0.8, flip_y=0,
            random_state=seed,
        )  # fmt: skip
    if name == "imbalanced":
        return make_classification(
            rows, 15, n_informative=6, n_classes=3, weights=[0.7, 0.2, 0.1], flip_y=0,
            random_state=seed,
        )  # fmt: skip
    make = {"twonorm": make_twonorm, "threenorm": make_threenorm, "ringnorm": make_ringnorm}[name]
    return make(rows, random_state=seed)


SYNTHETIC = ("moons", "twonorm", "threenorm", "ringnorm", "overlap", "imbalanced")


def names(data):
    return (*BUNDLED, *SYNTHETIC, *(FOLDER if data else ()))


def load(name, rows, seed, data):
    """At most ``rows`` rows, drawn at random, of classes with six or more; labels as codes."""
    if name in BUNDLED:
        X, y = BUNDLED[name](return_X_y=True)
    elif name in SYNTHETIC:
        X, y = synthetic(name, rows, seed)
    else:
        bunch = load_dataset(name, folder=data)
        X, y = features_of(bunch.data, random_state=seed).X, bunch.target
    drawn = np.random.RandomState(seed).permutation(len(y))[:rows]
    X, y = np.asarray(X)[drawn], np.unique(y[drawn], return_inverse=True)[1]
    kept = np.bincount(y)[y] >= 6
    return X[kept], np.unique(y[kept], return_inverse=True)[1]


def plant(X, y, kind, name, seed):
    """Noisy labels, and which of them are wrong."""
    seed = zlib.crc32(f"{name} {kind} {seed}".encode()) % 2**31
    if kind == "clean":
        return y.copy(), np.zeros(len(y), dtype=bool)
    if kind.startswith("ncar"):
        return flip_labels(y, int(kind[4:]) / 100, random_state=seed)
    if kind == "nar20":
        return flip_labels(y, transition=uneven(y, 0.2, seed), random_state=seed)
    proba = reference_proba(X, y, random_state=seed)
    return flip_labels(
        y, flip_proba=boundary_flip_proba(proba, 0.2), target=proba, random_state=seed
    )


def uneven(y, rate, seed):
    """Some classes are wrong often, some hardly ever, and mostly for one particular other."""
    random, k = np.random.RandomState(seed), int(y.max()) + 1
    shares, rates = np.bincount(y) / len(y), random.uniform(0, 1, k)
    for _ in range(50):
        rates = np.minimum(rates * rate / (shares @ rates), 0.45)
    cycle = random.permutation(k)
    transition = np.zeros((k, k))
    for place, c in enumerate(cycle):
        towards = np.full(k, 0.2 / max(k - 2, 1))
        towards[cycle[(place + 1) % k]] = 0.8 if k > 2 else 1
        towards[c] = 0
        transition[c] = rates[c] * towards / towards.sum()
        transition[c, c] = 1 - rates[c]
    return transition
