"""Data sets with injected errors, random tables and tables of noise, for the audit's benchmarks."""

import zlib
from functools import lru_cache
from pathlib import Path

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
SYNTHETIC = ("moons", "twonorm", "threenorm", "ringnorm", "overlap", "imbalanced")
FOLDER = (
    "australian", "balance_scale", "cmc", "credit_g", "ctg", "ecoli", "electricity", "glass",
    "heart_statlog", "hill_valley", "ionosphere", "led7", "letter", "liver_bupa", "mfeat_zernike",
    "monk3", "optdigits", "page_blocks", "pima", "satimage", "segment", "sonar", "soybean",
    "spambase", "tic_tac_toe", "vehicle", "vertebral3", "vowel", "wall_robot", "waveform21",
    "winequality_red", "yeast",
)  # fmt: skip
REAL = (
    "human_cifar10n_aggregate_probs_resnet18", "human_cifar10n_worst_probs_efficientnet",
    "human_roman_numerals", "weak_youtube", "weak_semeval",
)  # fmt: skip

# The split is fixed. Constants of the audit may be chosen on CHOSEN_ON alone; its first 42 names
# chose all earlier constants as well. HELD_OUT was looked at while rules for the posterior were
# compared, and no constant was changed on its account, but for adult, bank_marketing, higgs7500 and
# pendigits: these, with electricity, chose the models of tables with many rows. UNSEEN was looked
# at by nobody before the final table.
CHOSEN_ON = (*BUNDLED, *SYNTHETIC, *FOLDER, *REAL)
HELD_OUT = (
    "ann_thyroid", "anneal", "breast_cancer_ljubljana", "crabs", "credit_a", "ctg10", "dna",
    "glass_window", "haberman", "heart_c", "hepatitis", "hypothyroid", "ilpd", "kr_vs_kp",
    "mammographic", "mfeat_morphological", "monk1", "monk2", "mushroom", "nursery", "oil_spill",
    "parkinsons", "pendigits", "seeds", "shuttle", "sick", "sleep_stage", "spectf", "splice",
    "transfusion", "vertebral2", "vote", "wpbc", "winequality_white", "bank_marketing", "adult",
    "higgs7500",
)  # fmt: skip
UNSEEN = (
    "arrhythmia", "breast_w", "colon", "crabs_species", "mammography", "prnn_synth", "skin", "tae",
    "zoo",
)  # fmt: skip
# Held out, but with the rows of a set that constants are chosen on (australian, ctg, glass,
# heart_statlog, vertebral3, and the same digits as mfeat_zernike): told apart in the tables.
RELATED = ("credit_a", "ctg10", "glass_window", "heart_c", "mfeat_morphological", "vertebral2")
# Nothing is injected in these 24: nine of the first list, fifteen of the second.
UNTOUCHED = (
    "breast_cancer", "cmc", "digits", "led7", "liver_bupa", "pima", "satimage", "winequality_red",
    "yeast", "adult", "bank_marketing", "dna", "haberman", "hypothyroid", "ilpd", "kr_vs_kp",
    "mammographic", "mushroom", "pendigits", "seeds", "sleep_stage", "transfusion", "vote",
    "winequality_white",
)  # fmt: skip
LARGE = (  # of 5,000 rows and more
    "satimage", "letter", "wall_robot", "optdigits", "electricity", "page_blocks", "waveform21",
    "pendigits", "adult", "ann_thyroid", "bank_marketing", "higgs7500", "mushroom", "nursery",
    "shuttle", "sleep_stage",
)  # fmt: skip
NO_SIGNAL = {  # rows, columns, fractions of the classes
    "95:5": (2000, 4, (0.95, 0.05)),
    "four equal": (600, 5, (0.25,) * 4),
    "ten equal": (1000, 10, (0.1,) * 10),
    "80:15:5": (1000, 8, (0.8, 0.15, 0.05)),
    "95:5, more rows": (5000, 6, (0.95, 0.05)),
}


def names(data, sets="chosen"):
    """Data sets to inject errors in: those of one list, all, or all tables of the folder.

    Bundled ones without a folder.
    """
    chosen = (*BUNDLED, *SYNTHETIC, *(FOLDER if data else ()))
    held, unseen = (HELD_OUT, UNSEEN) if data else ((), ())
    lists = {"chosen": chosen, "held": held, "unseen": unseen, "all": chosen + held + unseen}
    return tables_in(data) if sets == "folder" else lists[sets]


def tables_in(folder):
    """The names of all tables in a folder: NAME.csv, NAME.csv.gz."""
    return tuple(path.name.split(".")[0] for path in sorted(Path(folder).glob("*.csv*")))


def load(name, rows, seed, data):
    """At most ``rows`` rows, drawn at random, of classes with six or more; labels as codes."""
    X, y = synthetic(name, rows, seed) if name in SYNTHETIC else stored(name, seed, data)
    drawn = np.random.RandomState(seed).permutation(len(y))[:rows]
    X, y = np.asarray(X)[drawn], np.unique(y[drawn], return_inverse=True)[1]
    kept = np.bincount(y)[y] >= 6
    return X[kept], np.unique(y[kept], return_inverse=True)[1]


@lru_cache(maxsize=1)  # the kinds of noise of one set follow each other
def stored(name, seed, data):
    if name in BUNDLED:
        return BUNDLED[name](return_X_y=True)
    bunch = load_dataset(name, folder=data)
    return features_of(bunch.data, random_state=seed).X, bunch.target


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


def random_table(seed):
    """Another table for every seed: size, classes, fractions, columns and overlap are drawn."""
    random = np.random.default_rng([seed, 1])
    n = round(np.exp(random.uniform(np.log(300), np.log(3000))))
    k, clusters = int(random.choice((2, 2, 3, 4, 5, 8))), int(random.integers(1, 3))
    d = int(random.integers(4, 31))
    informative = int(random.integers(max(2, np.ceil(np.log2(k * clusters))), d + 1))
    return make_classification(
        n, d, n_informative=informative, n_redundant=int(random.integers(d - informative + 1)),
        n_classes=k, n_clusters_per_class=clusters, weights=random_fractions(random, k, 0.05),
        class_sep=random.uniform(0.5, 2.5), flip_y=0, random_state=seed,
    )  # fmt: skip


def random_rate(seed):
    """A rate of noise for it, from 2 to 30 %."""
    return np.random.default_rng([seed, 2]).uniform(0.02, 0.3)


def no_signal(shape, seed):
    """Normal columns that have nothing to do with the labels; "random" draws the shape as well."""
    random = np.random.default_rng([seed, 3])
    n, d, part = random_shape(random) if shape == "random" else NO_SIGNAL[shape]
    y = np.searchsorted(np.rint(np.cumsum(part) * n), np.arange(n), side="right")
    return random.normal(size=(n, d)), random.permutation(y)


def random_shape(random):
    n = round(np.exp(random.uniform(np.log(200), np.log(3000))))
    k = int(random.choice((2, 2, 3, 4, 6, 10)))
    return n, int(random.integers(3, 31)), random_fractions(random, k, 0.03)


def random_fractions(random, k, least):
    return least + (1 - least * k) * random.dirichlet(np.ones(k))


def inject(X, y, kind, name, seed):
    """Noisy labels, and which of them are wrong; a kind is a form of noise and its percentage."""
    seed = zlib.crc32(f"{name} {kind} {seed}".encode()) % 2**31
    if kind == "clean":
        return y.copy(), np.zeros(len(y), dtype=bool)
    return flip(X, y, kind[:-2], int(kind[-2:]) / 100, seed)


def flip(X, y, form, rate, seed):
    """Noise at random (ncar), by class (nar), class to class (class), near borders (nnar)."""
    if form == "ncar":
        return flip_labels(y, rate, random_state=seed)
    if form == "nnar":
        proba = reference_proba(X, y, random_state=seed)
        near = boundary_flip_proba(proba, rate)
        return flip_labels(y, flip_proba=near, target=proba, random_state=seed)
    transition = {"nar": uneven, "class": class_to_class}[form](y, rate, seed)
    return flip_labels(y, transition=transition, random_state=seed)


def uneven(y, rate, seed):
    """Some classes are wrong often, some hardly ever, and mostly for one particular other."""
    random, k = np.random.RandomState(seed), int(y.max()) + 1
    fractions, rates = np.bincount(y) / len(y), random.uniform(0, 1, k)
    for _ in range(50):
        rates = np.minimum(rates * rate / (fractions @ rates), 0.45)
    cycle = random.permutation(k)
    transition = np.zeros((k, k))
    for place, c in enumerate(cycle):
        towards = np.full(k, 0.2 / max(k - 2, 1))
        towards[cycle[(place + 1) % k]] = 0.8 if k > 2 else 1
        towards[c] = 0
        transition[c] = rates[c] * towards / towards.sum()
        transition[c, c] = 1 - rates[c]
    return transition


def class_to_class(y, rate, seed):
    """Every class flows into one other, at rates spread evenly from 0.1 to 1.9 times ``rate``."""
    random, k = np.random.RandomState(seed), int(y.max()) + 1
    rates = random.permutation(np.linspace(0.1, 1.9, k) * rate)
    cycle = random.permutation(k)
    transition = np.diag(1 - rates)
    transition[cycle, np.roll(cycle, -1)] = rates[cycle]
    return transition
