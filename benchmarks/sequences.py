"""Audits of sequences: what they find, what they claim where there is nothing, what they cost.

    python benchmarks/sequences.py find --seeds 3
    python benchmarks/sequences.py null --seeds 10
    python benchmarks/sequences.py speed --rows 200000

``find`` moves boundaries by up to 0.3 of a segment, renames a tenth of the segments, or leaves the
labels as they are; beside the audit stands what ``TolerantHMM.relabel`` says of recordings that it
was not fitted to, which takes the labels of neighbours for independent. ``null`` has features that
know nothing of the labels: white noise, and slow random walks. ``speed`` compares with reading the
table from CSV and with the ordinary audit of the same rows.
"""

import argparse
import os
import tempfile
import time
import warnings
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from scipy.signal import lfilter
from sklearn.metrics import average_precision_score

import errata
from errata.datasets import make_activity, make_ecg
from errata.noise import shift_boundaries
from errata.sequence import TolerantHMM, WaveletFeatures
from errata.tables import read_table, write_table

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
    stretches = len(found.stretch_columns()["start"])
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
        reading, table = timed(lambda: read_table(path))
    warm_up = SETS["activity, 6 recordings"](0)
    errata.audit(
        *warm_up[:2], sequence=warm_up[2], self_check=False, random_state=0
    )  # compiled now
    plain = table.drop_columns(["record"])
    for check in (False, True):  # like with like: both with a self-check, or neither
        how = {"self_check": check, "random_state": 0}
        ordinary, _ = timed(lambda how=how: errata.audit(plain, "what", groups=recording, **how))
        seconds, _ = timed(lambda how=how: errata.audit(table, "what", sequence="record", **how))
        ratios = f"{seconds / reading:.0f} x reading, {seconds / ordinary:.2f} x ordinary audit"
        print(f"{len(y):,} rows, self-check {check}: {seconds:.1f} s, {ratios}", flush=True)


def timed(work):
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


def main():
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


if __name__ == "__main__":
    main()
