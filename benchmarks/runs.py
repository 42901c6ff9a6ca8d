"""What the benchmarks share: parts by name, runs that can be continued, times, limits.

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
from pathlib import Path

import numpy as np
import sklearn
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

import errata


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


def seconds(work):
    """Processor time of one call, and what it returns."""
    start = time.process_time()
    kept = work()
    return time.process_time() - start, kept


def show(title, table):
    print(f"\n{title}\n{table.round(3).to_string()}")


def asked(title, figures):
    """Each figure beside its limit: name, value, sign, limit."""
    print(f"\n{title}")
    for name, value, sign, limit in figures:
        kept = value <= limit if sign == "<=" else value >= limit
        print(f"  {name:62} {value:7.3f}   wanted {sign} {limit:<6g} {'yes' if kept else 'NO'}")
