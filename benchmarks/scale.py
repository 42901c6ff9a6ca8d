"""Tables larger than memory: time, memory and ranking, in memory, out of core and on Dask.

    python benchmarks/scale.py tables million --before FOLDER   a million rows beside older source
    python benchmarks/scale.py tables parquet --rows 20000000   out of core, with half of the rows
    python benchmarks/scale.py tables stages --rows 5000000     what each stage takes, from Parquet
    python benchmarks/scale.py tables dask --rows 2000000       two workers beside one process
    python benchmarks/scale.py tables trees                     trees grown from more rows each
    python benchmarks/scale.py predict                          rows that were not learnt from

Tables are drawn: "A" has 4 classes in 8 clusters, "B" 10 classes in 80 clusters, the rarest with
one row in a thousand; a tenth of the labels is wrong. Every audit runs in a process of its own, on
one thread, without self-check. Times are of the processor, as ratios within one run. ``predict``
learns from 200,000 rows and predicts 100,000 others, with 4 and 10 classes, in about a minute;
ratios are to the same trees in scikit-learn, and to RBF features asked one by one.
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
from runs import main, seconds
from sklearn.datasets import make_classification
from sklearn.metrics import average_precision_score

from errata.auditing import NewRows, TrainingData, default_models
from errata.auditing._settings import TREE_ROWS
from errata.auditing.models._default import Forest, GradientBoosting
from errata.auditing.models._fitted import FittedRidge, predict_together
from errata.auditing.models._pooling import pool_models, pool_new_rows
from errata.noise import flip_labels

# Larger than memory.

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
    import pyarrow
    import pyarrow.parquet

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
        [sys.executable, __file__, "tables", "child", json.dumps(job)],
        env=env,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(told.stdout.splitlines()[-1])


def child(job):
    if job["how"] == "stages":
        time_stages(job)
        return
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


def stages(args):
    """Processor seconds of each stage, by one process that reads Parquet in parts."""
    source = args.folder / "rows"
    source.mkdir()
    write_parquet("A", args.rows, source)
    job = {"how": "stages", "folder": str(source), "out": str(args.folder / "stages.audit")}
    told = in_child(job)
    for name, took in told["stages"].items():
        a_row = took / args.rows * 1e6
        print(f"{args.rows:12,} rows: {name:<28} {took:8.2f} s {a_row:8.2f} us a row")
    print(f"{args.rows:12,} rows: {'all':<28} {told['processor']:8.2f} s, {told['peak']:.2f} GB")


def time_stages(job):
    import errata

    X, y, _ = whole("A", 2_000)
    errata.audit(X, y, self_check=False, random_state=0)  # compile first
    found = {}
    began = [time.process_time(), "opening"]

    def listen(stage):
        now = time.process_time()
        found[began[1]] = found.get(began[1], 0.0) + now - began[0]
        began[:] = now, str(getattr(stage, "name", stage)).partition(",")[0]

    before = began[0]
    errata.audit(
        Path(job["folder"]),
        "label",
        out=Path(job["out"]),
        self_check=False,
        random_state=0,
        progress=listen,
    )
    listen("")
    print(json.dumps({"stages": found, "processor": time.process_time() - before, "peak": peak()}))


def dask(args):
    """Rows that are judged in a second of the clock: two workers beside one process."""
    import distributed

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


def run_scale():
    if sys.argv[1] == "child":
        child(json.loads(sys.argv[2]))
        sys.exit()
    parts = {
        "million": million,
        "parquet": parquet,
        "stages": stages,
        "trees": trees,
        "dask": dask,
    }
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=parts)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--memory")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        args.folder = Path(folder)
        parts[args.part](args)


# Rows that were not learnt from.

NEW = 100_000


def table(n, n_classes):
    X, y = make_classification(
        n, 20, n_informative=10, n_classes=n_classes, class_sep=1.5, flip_y=0, random_state=0
    )
    return X / X.std(axis=0), flip_labels(y, 0.1, random_state=0)[0]


def per_second(name, call, rows):
    call(rows)  # compile first
    taken, found = seconds(lambda: call(rows))
    print(f"  {name:<22}{len(rows) / taken:>10,.0f} rows per processor second")
    return taken, found


def scikit_learn_s(model, data):
    """The same trees as scikit-learn holds them; None for models that are not of trees."""
    if isinstance(model, Forest):
        return model.grown(data)
    if isinstance(model, GradientBoosting):
        some = data.for_rows(np.arange(TREE_ROWS))
        return model._classifier(data).fit(some.X, some.codes)
    return None


def log_loss(logs, codes):
    return -np.mean(logs[codes, np.arange(len(codes))])


def measure(n, n_classes):
    X, codes = table(n + NEW, n_classes)
    data = TrainingData(X[:n].astype(np.float32), codes[:n], n_classes, more_rows=True)
    rows = NewRows(X[n:])
    models = default_models(n, n_classes)
    taken, pool = seconds(lambda: pool_models(data, models))
    print(f"{n_classes} classes, {n:,} rows learnt from in {taken:.0f} processor seconds")
    alone = 0.0
    for model, predictor in zip(models, pool.fitted, strict=True):
        taken, _ = per_second(model.name, predictor.predict_proba, rows)
        alone += taken if isinstance(predictor, FittedRidge) else 0.0
        peer = scikit_learn_s(model, data)
        if peer is not None:
            theirs, _ = seconds(lambda peer=peer: peer.predict_proba(rows.X))
            print(f"  scikit-learn takes {theirs / taken:.2f} times as long")
    ridges = [predictor for predictor in pool.fitted if isinstance(predictor, FittedRidge)]
    taken, _ = per_second("RBF features together", lambda r: predict_together(ridges, r), rows)
    print(f"  one by one they take {alone / taken:.2f} times as long")

    def pooled(rows):
        return pool_new_rows(pool.fitted, pool.weights, rows)[0]

    _, logs = per_second("all, pooled", pooled, rows)
    cut = np.hstack([pooled(rows.take(slice(i, i + 997))) for i in range(0, 20_000, 997)])
    apart = np.abs(np.exp(cut) - np.exp(logs[:, : cut.shape[1]])).max()
    print(f"  probabilities of rows in other blocks differ by {apart:.0e} at most")
    drawn, others = log_loss(pool.logs, codes[:n]), log_loss(logs, codes[n:])
    print(f"  log loss {drawn:.4f} of rows learnt from, out of fold; {others:.4f} of others")


def run_new():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=200_000)
    for k in (4, 10):
        measure(parser.parse_args().rows, k)


if __name__ == "__main__":
    main(__doc__, tables=run_scale, predict=run_new)
