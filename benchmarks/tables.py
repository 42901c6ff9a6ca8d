"""How fast tables are read and turned into features, and how much memory that takes.

    python benchmarks/tables.py            about two minutes on one core
    python benchmarks/tables.py --rows 5000

Claims: reading takes at most 2 x the processor time of `pyarrow.csv.read_csv`; encoding, and making
the same features of the same rows again, at most 1.5 x that of skrub's `TableVectorizer`; and a
table holds at most 3 x the bytes of the Arrow table with numbers as numbers, though every cell is
kept as the text it is. All of it on one thread. Times are the best of several, the candidates
taking turns. Peaks add up the most that Arrow and that NumPy and Python hold at a time. The
vectorizer gets the table as pyarrow has parsed it, numbers as numbers; errata gets it as it has
read it, as text.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is imported

import argparse
import multiprocessing
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np

from errata._optional import require
from errata.tables import features_of, read_table

pandas, pyarrow, skrub = (require(name, extra="tables") for name in ("pandas", "pyarrow", "skrub"))
csv = require("pyarrow.csv", extra="tables")
pyarrow.set_cpu_count(1)
pyarrow.set_io_thread_count(1)

READING, ENCODING, APPLYING, MEMORY = 2.0, 1.5, 1.5, 3.0


def numeric(n, random):
    """Twenty measurements to six digits, and a label."""
    columns = {f"x{j}": random.normal(size=n).round(6) for j in range(20)}
    return columns | {"label": random.choice(["cat", "dog"], n)}


def precise(n, random):
    """The same as Python writes floats, seventeen digits: the worst case for text in memory."""
    return {f"x{j}": random.normal(size=n) for j in range(21)}


def mixed(n, random):
    """Numbers, categories, dates, free text, empty cells."""
    words = ["the", "a", "small", "large", "grey", "old", "young", "cat", "dog", "sat", "ran", "on"]
    columns = {f"x{j}": random.normal(size=n).round(4) for j in range(8)}
    columns |= {f"n{j}": random.integers(0, 50, n).astype(object) for j in range(4)}
    columns |= {f"c{j}": random.choice([f"kind {i}" for i in range(12)], n) for j in range(6)}
    day = np.datetime64("2020-01-01") + random.integers(0, 2000, n)
    columns["day"] = day.astype(str)
    columns["comment"] = [" ".join(random.choice(words, 8)) for _ in range(n)]
    for name in ("x0", "n0", "c0"):
        columns[name] = np.where(random.random(n) < 0.1, "", columns[name].astype(str))
    return columns


def long_cells(n, random):
    """A thousandth of the cells of one column holds 5,000 characters."""
    columns = numeric(n, random)
    columns["note"] = np.where(random.random(n) < 0.001, "x" * 5_000, "short").astype(object)
    return columns


TABLES = (numeric, precise, mixed, long_cells)


def arrow_read(path):
    return csv.read_csv(path, csv.ReadOptions(use_threads=False))


def vectorized(frame):
    return skrub.TableVectorizer().fit_transform(frame)


def best_times(candidates, repeats):
    times = dict.fromkeys(candidates, np.inf)
    for _ in range(repeats):
        for name, run in candidates.items():
            start = time.process_time()
            run()
            times[name] = min(times[name], time.process_time() - start)
    return times


def compare_times(path, repeats):
    read = best_times({"ours": lambda: read_table(path), "arrow": lambda: arrow_read(path)}, 7)
    table, frame = read_table(path), arrow_read(path).to_pandas()
    encode = best_times(
        {"ours": lambda: features_of(table, random_state=0), "skrub": lambda: vectorized(frame)},
        repeats,
    )
    plan, fitted = features_of(table, random_state=0).plan, skrub.TableVectorizer().fit(frame)
    apply = best_times(
        {"ours": lambda: plan.apply(table), "skrub": lambda: fitted.transform(frame)}, repeats
    )
    return read, encode, apply


def watched(run, path, queue):
    """Put the most bytes that Arrow and Python hold at a time while ``run(path)`` goes on."""
    run(path.with_name("tiny.csv"))  # imports, which no table is to blame for
    tracemalloc.start()
    kept = run(path)
    queue.put(pyarrow.default_memory_pool().max_memory() + tracemalloc.get_traced_memory()[1])
    del kept


def memory(run, path):
    """The same in a process of its own, as Arrow remembers its highest."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=watched, args=(run, path, queue))
    process.start()
    highest = queue.get()
    process.join()
    return highest


def encode_file(path):
    table = read_table(path)
    return table, features_of(table, random_state=0)


def verdict(ratio, limit):
    return f"{ratio:5.2f} x {'' if ratio <= limit else f'(above {limit:g})'}"


def report(make, rows, folder, repeats):
    path = folder / f"{make.__name__}.csv"
    pandas.DataFrame(make(rows, np.random.default_rng(0))).to_csv(path, index=False)
    pandas.DataFrame(make(50, np.random.default_rng(1))).to_csv(folder / "tiny.csv", index=False)
    read, encode, apply = compare_times(path, repeats)
    typed, table = arrow_read(path).nbytes, read_table(path)
    features = features_of(table, random_state=0).X.nbytes
    print(f"{make.__name__}: {rows} rows, file {path.stat().st_size / 1e6:.1f} MB, "
          f"Arrow table {typed / 1e6:.1f} MB, features {features / 1e6:.1f} MB")  # fmt: skip
    print(f"  reading   {verdict(read['ours'] / read['arrow'], READING)} pyarrow.csv.read_csv")
    print(f"  encoding  {verdict(encode['ours'] / encode['skrub'], ENCODING)} TableVectorizer")
    print(f"  applying  {verdict(apply['ours'] / apply['skrub'], APPLYING)} its transform, "
          f"{rows / apply['ours']:.2g} rows a second")  # fmt: skip
    print(f"  held      {verdict(table.nbytes / typed, MEMORY)} Arrow table")
    ours, theirs = memory(read_table, path), memory(arrow_read, path)
    print(f"  peak      {verdict(ours / theirs, MEMORY)} pyarrow.csv.read_csv, when reading")
    peak = memory(encode_file, path)
    print(f"  peak      {verdict(peak / (typed + features), MEMORY)} Arrow table and features, "
          "when reading and encoding", flush=True)  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--table", choices=[make.__name__ for make in TABLES])
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for make in TABLES:
            if chosen.table in (None, make.__name__):
                report(make, chosen.rows, Path(folder), chosen.repeats)


if __name__ == "__main__":
    main()
