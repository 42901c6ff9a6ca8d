"""The experiments ecg and ecg-experts on the QT database, in minutes instead of days.

    python benchmarks/ecg.py --data FOLDER

Two starts and a hundred steps for each model (the experiments have ten and 300), one repetition, no
noise and the most of it. Results go to folders in --out that a later run continues.
"""

import argparse
from dataclasses import replace
from pathlib import Path

from sklearn.base import clone

from errata.bench import get_experiment, run_experiment, write_comparison

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


if __name__ == "__main__":
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
