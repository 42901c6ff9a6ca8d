"""What the benchmarks share: data sets with errors, runs that can be continued, times, limits.

``python benchmarks/NAME.py PART ... | tee benchmarks/results/NAME_PART.txt`` keeps what is printed,
below the command and the versions that printed it.
"""

import argparse
import csv
import os
import platform
import sys
import time
import warnings
import zlib
from functools import lru_cache
from pathlib import Path

import numpy as np
import sklearn
from joblib import Parallel, delayed
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
    make_moons,
)
from threadpoolctl import threadpool_limits

import errata
from errata.datasets import load_dataset, make_ringnorm, make_threenorm, make_twonorm
from errata.noise import boundary_flip_proba, flip_labels, reference_proba
from errata.tables import features_of


def main(about, **parts):
    """Run the part that the first argument names, with the arguments that follow."""
    if len(sys.argv) < 2 or sys.argv[1] not in parts:
        sys.exit(f"{about}\nThe first argument is one of: {', '.join(parts)}.")
    print_header()
    parts[sys.argv.pop(1)]()


def print_header():
    """Print the command and the versions, unless another process reads what this one prints."""
    if not any(argument.endswith("child") for argument in sys.argv):
        command = " ".join([f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]])
        print(f"$ python {command}")
        print(
            f"# errata {errata.__version__}, Python {platform.python_version()}, "
            f"NumPy {np.__version__}, scikit-learn {sklearn.__version__}\n",
            flush=True,
        )


def options(about, out):
    """A parser with the options that every script has."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("ERRATA_DATA"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path(out))
    return parser


def run(work, cells, keys, columns, args):
    """Append the rows of ``work(*cell)`` to the CSV file, for each cell that it lacks.

    A cell that fails is told and left out, so that a later run tries it again.
    """
    known = done(args.out, keys)
    todo = [cell for cell in cells if tuple(map(str, cell)) not in known]
    if not todo:
        return
    results = Parallel(args.jobs, return_as="generator_unordered")(
        delayed(attempt)(work, cell) for cell in todo
    )
    with open(args.out, "a", newline="") as file:
        table = csv.DictWriter(file, [*keys, *columns])
        if file.tell() == 0:
            table.writeheader()
        for cell, rows in results:
            table.writerows({**dict(zip(keys, cell, strict=True)), **row} for row in rows)
            file.flush()


def done(path, keys):
    if not path.exists():
        return set()
    with open(path, newline="") as file:
        return {tuple(row[key] for key in keys) for row in csv.DictReader(file)}


def attempt(work, cell):
    warnings.simplefilter("ignore")
    try:
        with threadpool_limits(1):
            return cell, work(*cell)
    except Exception as error:  # one bad cell must not end a run of hours
        print(f"FAILED {cell}: {error!r}", flush=True)
        return cell, []


def seconds(work, clock=time.process_time):
    """Processor time of one call, and what it returns."""
    start = clock()
    kept = work()
    return clock() - start, kept


def fastest(work, rounds=3):
    """The least processor time of some calls, and what the last returned."""
    times, found = take_turns({"": work}, rounds)
    return times[""], found[""]


def take_turns(works, rounds, clock=time.process_time):
    """The least time of each, and what it gave; a busy machine is fair to all."""
    times = dict.fromkeys(works, np.inf)
    found = {}
    for _ in range(rounds):
        for name, work in works.items():
            took, found[name] = seconds(work, clock)
            times[name] = min(times[name], took)
    return times, found


def read_memory(name="VmHWM"):
    """Kilobytes of this process, as Linux counts them: ``ru_maxrss`` begins with its parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def show(title, table):
    print(f"\n{title}\n{table.round(3).to_string()}")


def asked(title, figures):
    """Each figure beside its limit: name, value, sign, limit."""
    print(f"\n{title}")
    for name, value, sign, limit in figures:
        kept = value <= limit if sign == "<=" else value >= limit
        print(f"  {name:62} {value:7.3f}   wanted {sign} {limit:<6g} {'yes' if kept else 'NO'}")


# Data sets with injected errors, random tables and tables of noise.

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
