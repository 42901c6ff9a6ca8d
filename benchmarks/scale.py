"""Tables larger than memory: time, memory and ranking, in memory, out of core and on Dask.

    python benchmarks/scale.py million --before FOLDER   1,000,000 x 20 beside an older src folder
    python benchmarks/scale.py parquet --rows 20000000   out of core, and with half of the rows
    python benchmarks/scale.py dask --rows 2000000       two workers beside one process
    python benchmarks/scale.py trees                     trees grown from more rows each

Tables are drawn: "A" has 4 classes in 8 clusters, "B" 10 classes in 80 clusters, the rarest with
one row in a thousand; a tenth of the labels is wrong. Every audit runs in a process of its own, on
one thread, without self-check. Times are of the processor, told as ratios within one run.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import average_precision_score

CHUNK = 250_000
CLUSTERS = {"A": (np.full(4, 0.25), 8, 0.7), "B": (np.geomspace(0.37, 0.001, 10), 80, 1.2)}


def chunk(kind, n, number):
    """Features, labels and whether these are wrong, of one chunk of a table."""
    prior, n_clusters, spread = CLUSTERS[kind]
    centers = np.random.default_rng(0).normal(scale=spread, size=(n_clusters, 20))
    random = np.random.default_rng((1, number))
    k = len(prior)
    y = random.choice(k, n, p=prior / prior.sum())
    cluster = y + k * random.integers(n_clusters // k, size=n)
    X = centers[cluster] + random.normal(size=(n, 20))
    wrong = random.random(n) < 0.1
    return X, np.where(wrong, (y + random.integers(1, k, size=n)) % k, y), wrong


def chunks(kind, n):
    for number, start in enumerate(range(0, n, CHUNK)):
        yield chunk(kind, min(CHUNK, n - start), number)


def whole(kind, n):
    return tuple(map(np.concatenate, zip(*chunks(kind, n), strict=True)))


def write_parquet(kind, n, folder, rows_per_group=100_000):
    """A folder of Parquet files, each of a chunk; returns which labels are wrong."""
    import pyarrow  # noqa: TID251
    import pyarrow.parquet  # noqa: TID251

    told = []
    for number, (X, y, wrong) in enumerate(chunks(kind, n)):
        columns = {f"x{j}": X[:, j].astype(np.float32) for j in range(X.shape[1])}
        path = folder / f"part-{number}.parquet"
        pyarrow.parquet.write_table(
            pyarrow.table(columns | {"label": y}), path, row_group_size=rows_per_group
        )
        told.append(wrong)
    return np.concatenate(told)


def in_child(job, src=None):
    """Run a job in a process of its own; what it tells."""
    env = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    env |= {} if src is None else {"PYTHONPATH": str(src)}
    told = subprocess.run(
        [sys.executable, __file__, "child", json.dumps(job)],
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(told.stdout.splitlines()[-1])


def child(job):
    import errata

    if "tree_rows" in job:
        from errata.auditing.models import _default

        _default.TREE_ROWS = job["tree_rows"]
    X, y, _ = whole("A", 2_000)
    errata.audit(X, y, self_check=False, random_state=0)  # compile first
    del X, y
    wrong, run = {"memory": from_memory, "parquet": from_parquet}[job["how"]](errata, job)
    before, processor = time.perf_counter(), time.process_time()
    audit = run()
    took = time.perf_counter() - before, time.process_time() - processor
    most = peak()  # before all rows are sorted for the average precision
    ap = float("nan") if wrong is None else average_precision_score(wrong, audit.suspicion)
    print(json.dumps({"wall": took[0], "processor": took[1], "peak": most, "ap": ap}))


def save_arrays(kind, args):
    """Not made where memory is measured: what makes a table takes more than it."""
    for name, array in zip(("X", "y", "wrong"), whole(kind, args.rows), strict=True):
        np.save(args.folder / f"{name}.npy", array)


def from_memory(errata, job):
    X, y, wrong = (np.load(Path(job["folder"], f"{name}.npy")) for name in ("X", "y", "wrong"))
    return wrong, lambda: errata.audit(X, y, self_check=False, random_state=0)


def from_parquet(errata, job):
    folder, out = Path(job["folder"]), Path(job["out"])
    more = {"memory": job["memory"]} if job.get("memory") else {}

    def run():
        return errata.audit(folder, "label", out=out, self_check=False, random_state=0, **more)

    wrong = np.load(job["wrong"]) if job.get("wrong") else None
    return wrong, run


def peak():
    """Largest resident memory of this process, in GB; what its parent had does not count."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 2**20


def million(args):
    for kind in "AB":
        save_arrays(kind, args)
        job = {"how": "memory", "kind": kind, "rows": args.rows, "folder": str(args.folder)}
        ours = in_child(job)
        told = f"{kind}, {args.rows:,} rows in memory: AP {ours['ap']:.4f}, {ours['peak']:.2f} GB"
        if args.before is not None:
            theirs = in_child(job, args.before)
            told += (
                f"; before: AP {theirs['ap']:.4f}, {theirs['peak']:.2f} GB; processor time "
                f"{ours['processor'] / theirs['processor']:.2f} of it"
            )
        print(told, flush=True)


def parquet(args):
    """All rows and half of them, read in parts by one process."""
    told = {}
    for n in (args.rows // 2, args.rows):
        source = args.folder / f"rows-{n}"
        source.mkdir()
        wrong = write_parquet("A", n, source)
        np.save(args.folder / "wrong.npy", wrong)
        job = {"how": "parquet", "folder": str(source), "out": str(args.folder / f"{n}.audit")}
        told[n] = in_child(job | {"wrong": str(args.folder / "wrong.npy"), "memory": args.memory})
        shutil.rmtree(source)
        print(f"{n:,} rows: AP {told[n]['ap']:.4f}, {told[n]['peak']:.3f} GB", flush=True)
    half, full = told.values()
    print(f"twice the rows take {full['processor'] / half['processor']:.2f} times as long")
    print(f"and {full['peak'] / half['peak'] - 1:+.1%} of memory")


def dask(args):
    """Rows that are judged in a second of the clock: two workers beside one process."""
    import distributed  # noqa: TID251

    source = args.folder / "rows"
    source.mkdir()
    write_parquet("A", args.rows, source, rows_per_group=CHUNK)
    alone = judged_per_second(source, args.folder / "one.audit", None)
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(lambda: None)
        judged_per_second(source, args.folder / "first.audit", client)  # compile first
        together = judged_per_second(source, args.folder / "two.audit", client)
    print(f"two workers judge {together / alone:.2f} times as many rows a second as one process")


def judged_per_second(source, out, engine):
    import errata

    stages = []
    errata.audit(
        source,
        "label",
        out=out,
        engine=engine,
        self_check=False,
        random_state=0,
        progress=stages.append,
    )
    last = [s for s in stages if getattr(s, "name", None) == "judging"][-1]
    return last.rows_per_second


def trees(args):
    """Trees grown from 20,000 rows each, as they are, and from more."""
    for kind in "AB":
        save_arrays(kind, args)
        job = {"how": "memory", "kind": kind, "folder": str(args.folder)}
        told = {rows: in_child(job | {"tree_rows": rows}) for rows in (20_000, 50_000, 100_000)}
        for rows, found in told.items():
            ratio = found["processor"] / told[20_000]["processor"]
            print(
                f"{kind}: {rows:,} rows a tree: AP {found['ap']:.4f}, time {ratio:.2f}", flush=True
            )


if __name__ == "__main__":
    if sys.argv[1] == "child":
        child(json.loads(sys.argv[2]))
        sys.exit()
    parts = {"million": million, "parquet": parquet, "trees": trees, "dask": dask}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=parts)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--memory")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        args.folder = Path(folder)
        parts[args.part](args)
