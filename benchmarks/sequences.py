"""What do audits of sequences find and cost, and how fast are the hidden Markov models?

    python benchmarks/sequences.py audit find --seeds 3
    python benchmarks/sequences.py audit null --seeds 10
    python benchmarks/sequences.py audit speed --rows 200000
    python benchmarks/sequences.py hmm                        beside hmmlearn
    python benchmarks/sequences.py ecg --data FOLDER          the QT database, in minutes

``find`` moves boundaries by up to 0.3 of a segment, renames a tenth of the segments, or leaves the
labels as they are; beside the audit stands what ``TolerantHMM.relabel`` says of recordings that it
was not fitted to, which takes the labels of neighbours for independent. ``null`` has features that
know nothing of the labels: white noise, and slow random walks. ``speed`` compares with reading the
table from CSV and with the ordinary audit of the same rows.

``hmm`` prints processor times as ratios on the same samples and sizes, whether both take the same
path, how much memory a step needs, and whether the result depends on how sequences are cut into
blocks. It needs hmmlearn, and Linux for the memory. ``ecg`` runs the experiments ecg and
ecg-experts with two starts and a hundred steps for each model (the experiments have ten and 300),
one repetition, no noise and the most of it, into folders in --out that a later run continues.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import argparse
import subprocess
import sys
import tempfile
import warnings
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from hmmlearn.hmm import GMMHMM
from runs import asked, main, read_memory, seconds
from scipy.signal import lfilter
from sklearn.base import clone
from sklearn.metrics import average_precision_score
from threadpoolctl import threadpool_limits

import errata
from errata.bench import get_experiment, run_experiment, write_comparison
from errata.datasets import make_activity, make_ecg
from errata.noise import shift_boundaries
from errata.sequence import BaumWelchHMM, TolerantHMM, WaveletFeatures, _base
from errata.tables import read_table, write_table

# Audits.


FIRST_SEED = 10  # those before chose the models


def activity(n_recordings, duration, seed):
    X, y, lengths = make_activity(n_recordings, duration=duration, dwell=5, random_state=seed)
    return X, y, np.repeat(np.arange(n_recordings), lengths)


def ecg(n_recordings, seed):
    random = np.random.default_rng(seed)
    seeds, rates = seed * 100 + np.arange(n_recordings), random.uniform(55, 85, n_recordings)
    found = [
        make_ecg(15, noise=0.05, jitter=0.15, heart_rate=rate, random_state=int(s))
        for s, rate in zip(seeds, rates, strict=True)
    ]
    lengths = [len(each.signal) for each in found]
    signal = np.concatenate([each.signal for each in found]).reshape(-1, 1)
    labels = np.concatenate([each.labels for each in found])
    return signal, labels, np.repeat(np.arange(n_recordings), lengths)


SETS = {
    "activity, 6 recordings": lambda seed: activity(6, 60, seed),
    "activity, 1 recording": lambda seed: activity(1, 300, seed),
    "activity, 50 short ones": lambda seed: activity(50, 8, seed),
    "ECG, 8 patients": lambda seed: ecg(8, seed),
}


def renamed(y, recording, seed, fraction=0.1):
    """A tenth of the segments under the name of another class."""
    random = np.random.default_rng(seed)
    noisy, classes = y.copy(), np.unique(y)
    begins = np.flatnonzero(np.r_[True, (y[1:] != y[:-1]) | (recording[1:] != recording[:-1])])
    for begin, end in zip(begins, np.r_[begins[1:], len(y)], strict=True):
        if random.random() < fraction:
            noisy[begin:end] = random.choice(classes[classes != y[begin]])
    return noisy


def shifted(y, recording, seed):
    return shift_boundaries(y, 0.3, lengths=np.bincount(recording), random_state=seed)[0]


NOISE = {"none": lambda y, recording, seed: y, "shifted": shifted, "renamed": renamed}


def by_relabel(X, labels, recording, seed):
    """Suspicion by models of the other recordings, which count every label of a recording."""
    X, suspicion = (X - X.mean(axis=0)) / X.std(axis=0), np.empty(len(labels))
    fold = recording % 5
    for k in range(5):
        train, test = fold != k, fold == k
        lengths = [np.unique(recording[rows], return_counts=True)[1] for rows in (train, test)]
        model = TolerantHMM(n_components=3, n_init=1, max_iter=50, tol=1e-4, random_state=seed)
        model.fit(X[train], labels[train], lengths[0])
        suspicion[test] = model.relabel(X[test], labels[test], lengths[1]).suspicion
    return suspicion


def find(seeds):
    head = ("set", "noise", "wrong", "claimed", "low", "high", "flagged", "right", "found")
    print(*head, "AP", "AP of relabel", "calibration", "stretches", sep="\t")
    for name, make in SETS.items():
        for kind, noise in NOISE.items():
            for seed in range(FIRST_SEED, FIRST_SEED + seeds):
                X, y, recording = make(seed)
                labels = noise(y, recording, seed)
                wavelets = WaveletFeatures() if X.shape[1] == 1 else None
                found = errata.audit(
                    X, labels, sequence=recording, wavelets=wavelets, self_check=False,
                    random_state=seed,
                )  # fmt: skip
                wrong, alone = labels != y, np.nan
                if wrong.any() and wavelets is None and recording.max() >= 4:
                    alone = average_precision_score(wrong, by_relabel(X, labels, recording, seed))
                tell(name, kind, found, wrong, alone)


def tell(name, kind, found, wrong, alone):
    rate, flagged = found.noise_rate, found.flagged
    right = wrong[flagged].mean() if flagged.any() else np.nan
    recall = flagged[wrong].mean() if wrong.any() else np.nan
    precision = average_precision_score(wrong, found.suspicion) if wrong.any() else np.nan
    tenth = np.minimum((10 * found.p_wrong).astype(int), 9)
    away = np.abs(np.bincount(tenth, weights=found.p_wrong - wrong)).sum() / len(wrong)
    numbers = (wrong.mean(), *rate, flagged.mean(), right, recall, precision, alone, away)
    stretches = len(found._stretch_columns()["start"])
    print(name, kind, *(f"{x:.3f}" for x in numbers), stretches, sep="\t", flush=True)


def null(seeds):
    print("set", "features", "passed", "flagged rows", sep="\t")
    for name in list(SETS)[:3]:
        for features, slow in (("white noise", 0.0), ("random walks", 0.995)):
            passed, flagged = 0, 0
            for seed in range(FIRST_SEED, FIRST_SEED + seeds):
                X, y, recording = SETS[name](seed)
                noise = np.random.default_rng(seed).normal(size=X.shape)
                X = lfilter([1], [1, -slow], noise, axis=0)
                found = errata.audit(X, y, sequence=recording, self_check=False, random_state=seed)
                passed, flagged = passed + found.has_skill, flagged + int(found.flagged.sum())
            print(name, features, f"{passed} of {seeds}", flagged, sep="\t", flush=True)


def speed(rows):
    duration = rows / 20 / 20
    X, y, recording = activity(20, duration, 0)
    labels = shifted(y, recording, 0)
    columns = {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "record": recording, "what": labels}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recordings.csv"
        write_table(path, columns)
        reading, table = seconds(lambda: read_table(path))
    warm_up = SETS["activity, 6 recordings"](0)
    errata.audit(
        *warm_up[:2], sequence=warm_up[2], self_check=False, random_state=0
    )  # compiled now
    plain = table.drop_columns(["record"])
    for check in (False, True):  # like with like: both with a self-check, or neither
        how = {"self_check": check, "random_state": 0}
        ordinary, _ = seconds(lambda how=how: errata.audit(plain, "what", groups=recording, **how))
        took, _ = seconds(lambda how=how: errata.audit(table, "what", sequence="record", **how))
        ratios = f"{took / reading:.0f} x reading, {took / ordinary:.2f} x ordinary audit"
        print(f"{len(y):,} rows, self-check {check}: {took:.1f} s, {ratios}", flush=True)


def run_audit():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("find", "null", "speed"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=200_000)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.part == "speed":
        speed(asked.rows)
    else:
        {"find": find, "null": null}[asked.part](asked.seeds)


# Hidden Markov models.

STATES, COMPONENTS, FEATURES = 4, 5, 7
SAMPLES, LONG = 100_000, 1_000_000


def run_hmm():
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
    command = [sys.executable, __file__, "hmm", "--child"]
    added = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return "peak memory that a fit adds, in tables of samples and states", float(added), "<=", 4


def measure_memory():
    X, y = samples(LONG)
    model(BaumWelchHMM, 1).fit(X[:2000], y[:2000])  # compile
    before = read_memory("VmRSS")
    # Making the samples took more memory than keeping them: the peak is counted from here.
    Path("/proc/self/clear_refs").write_text("5")
    model(BaumWelchHMM, 1).fit(X, y)
    return (read_memory("VmHWM") - before) * 1024 / (8 * STATES * LONG)


def partition(X, y):
    lengths = np.full(len(X) // 1000, 1000)
    whole = model(TolerantHMM, 5).fit(X, y, lengths)
    _base.BLOCK = 3000
    parts = model(TolerantHMM, 5).fit(X, y, lengths)
    gap = max(
        np.abs(whole.means_ - parts.means_).max(), np.abs(whole.transmat_ - parts.transmat_).max()
    )
    return "parameters differ between partitions by at most, in 1e-9", gap / 1e-9, "<=", 1


# The QT database.

REAL = ("sinus", "arrhythmia")


def hurried(experiment, **changes):
    methods = {
        name: clone(model).set_params(n_init=2, max_iter=100)
        for name, model in experiment.methods.items()
    }
    return replace(experiment, methods=methods, repetitions=1, **changes)


def report(experiment, args, name):
    out = args.out / name
    results = run_experiment(experiment, out, folder=args.data, n_jobs=args.jobs)
    write_comparison(experiment, results, out)
    for table in ("comparison.md", "suspicion.md", "experts.md"):
        if (out / table).exists():
            print((out / table).read_text(encoding="utf-8"))
    return results


def run_ecg():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("ecg"))
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    for group in REAL:
        name = f"ECG {group} (average)"
        part = get_experiment("ecg").part(datasets=[name])
        for row in report(hurried(part, noise_levels=(0.0, 0.5)), args, group):
            print({key: round(v, 2) if isinstance(v, float) else v for key, v in row.items()})
    report(hurried(get_experiment("ecg-experts")), args, "experts")


if __name__ == "__main__":
    main(__doc__, audit=run_audit, hmm=run_hmm, ecg=run_ecg)
