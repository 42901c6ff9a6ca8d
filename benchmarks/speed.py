"""How fast audits are, beside peers in the same run, in processor seconds of one thread.

    python benchmarks/speed.py tables [--data FOLDER] [--most ROWS]    tables of 1,000 rows and more
    python benchmarks/speed.py given         probabilities given: 10,000, 100,000, 1,000,000 x 10
    python benchmarks/speed.py first         first calls, while Numba compiles
    python benchmarks/speed.py growth        how the time grows with rows, classes and columns
    python benchmarks/speed.py start         `errata audit iris.csv`, imports included, run twice
    python benchmarks/speed.py stored million --before FOLDER   a million rows beside older source
    python benchmarks/speed.py stored parquet --rows 20000000   out of core, with half of the rows
    python benchmarks/speed.py stored stages --rows 5000000 [--columns 80] [--kind B]
                                                                what each stage takes, from Parquet
    python benchmarks/speed.py stored dask --rows 2000000       two workers beside one process
    python benchmarks/speed.py stored trees                     trees grown from more rows each
    python benchmarks/speed.py predict                          rows that were not learnt from
    python benchmarks/speed.py plan [--rows 1000000000] [--workers 100]     calculated from stages

Peers are classifiers in five folds and the rule of confident learning on what they say, which
cleanlab has: a label is an issue where another class passes the mean confidence of its own rows.
Every time is the smaller of two runs, which take turns. Set OMP_NUM_THREADS=1.

``stored``: tables larger than memory; time, memory and ranking, in memory, out of core and on Dask.
They are drawn: "A" has 4 classes in 8 clusters, "B" 10 classes in 80 clusters, the rarest with one
row in a thousand; a tenth of the labels is wrong. Every audit runs in a process of its own, on one
thread, without self-check. Times are of the processor, as ratios within one run. ``predict`` learns
from 200,000 rows and predicts 100,000 others, with 4 and 10 classes, in about a minute; ratios are
to as many trees of scikit-learn, and to RBF features asked one by one. ``plan`` measures nothing:
it reads ``results/speed_stages.txt``.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from runs import load, main, read_memory, seconds, take_turns
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict

import errata
from errata.auditing import NewRows, TrainingData, default_models
from errata.auditing._settings import TREE_ROWS
from errata.auditing.models._default import Forest, GradientBoosting
from errata.auditing.models._fitted import FittedRidge, predict_together
from errata.auditing.models._pooling import pool_models, pool_new_rows
from errata.noise import flip_labels

SHAPES = (  # rows, classes
    (1_000, 2), (1_000, 10), (2_900, 2), (3_100, 2), (5_000, 5), (5_000, 6),
    (10_000, 2), (10_000, 5), (10_000, 10), (100_000, 2),
)  # fmt: skip
SETS = ("electricity", "bank_marketing", "adult")
WORKS = ("audit", "unchecked", "boosting", "forest")
FOREST_ROWS = 5_000  # beyond, the forest takes many times as long as boosting


def suspicion(proba, labels):
    """Confident learning: issues first, both by how little the label is believed."""
    own = proba[np.arange(len(labels)), labels]
    k = proba.shape[1]
    mean = np.bincount(labels, own, k) / np.maximum(np.bincount(labels, minlength=k), 1)
    confident = np.where(proba >= mean, proba, -1)
    issue = (confident.max(axis=1) >= 0) & (confident.argmax(axis=1) != labels)
    return issue + (1 - own) / 2


def by_model(model, X, labels):
    return suspicion(cross_val_predict(model, X, labels, cv=5, method="predict_proba"), labels)


def tables():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default=os.environ.get("ERRATA_DATA"))
    parser.add_argument("--most", type=int, default=10**6, help="rows of a table")
    args = parser.parse_args()
    print(f"{'table':24} {' '.join(f'{work:>9}' for work in WORKS)}   ratio   AP of each")
    for n, k in SHAPES:
        if n <= args.most:
            X, y = make_classification(
                n, 20, n_informative=10, n_classes=k, class_sep=1.5, flip_y=0, random_state=0
            )
            measure(f"{n:,} x 20, {k} classes", X, y)
    for name in SETS if args.data else ():
        X, y = load(name, min(args.most, 10**6), 0, args.data)
        measure(f"{name}, {len(y):,}", X, y)


def measure(name, X, y):
    labels, wrong = flip_labels(y, 0.1, random_state=0)
    errata.audit(
        X[:1_500], labels[:1_500], self_check=False, random_state=0
    )  # load what is compiled
    works = {
        "audit": lambda: errata.audit(X, labels, random_state=0).suspicion,
        "unchecked": lambda: errata.audit(X, labels, self_check=False, random_state=0).suspicion,
        "boosting": lambda: by_model(HistGradientBoostingClassifier(random_state=0), X, labels),
        "forest": lambda: by_model(RandomForestClassifier(random_state=0), X, labels),
    }
    if len(y) > FOREST_ROWS:
        del works["forest"]
    times, found = take_turns(works, 2)
    cheaper = min(times["boosting"], times.get("forest", np.inf))
    ap = ", ".join(f"{average_precision_score(wrong, found[work]):.3f}" for work in works)
    told = " ".join(f"{times.get(work, np.nan):9.2f}" for work in WORKS)
    print(f"{name:24} {told}  {times['audit'] / cheaper:6.2f}   {ap}", flush=True)


def given():
    try:
        from cleanlab.experimental.label_issues_batched import find_label_issues_batched as peer
    except ModuleNotFoundError:
        peer = None
    print(
        "rows x 10      audit  cleanlab batched  its rule  np.exp  ratio to cleanlab  to the rule"
    )
    random = np.random.default_rng(0)
    for n in (10_000, 100_000, 1_000_000):
        proba, labels = draw_probabilities(n, random)
        works = {
            "audit": lambda proba=proba, labels=labels: errata.audit(
                None, labels, pred_proba=proba, self_check=False, random_state=0
            ),
            "rule": lambda proba=proba, labels=labels: suspicion(proba, labels),
            "exp": lambda proba=proba: np.exp(proba),
        }
        if peer is not None:
            works["cleanlab"] = lambda proba=proba, labels=labels: peer(
                labels=labels, pred_probs=proba, n_jobs=1, verbose=False
            )
        times, _ = take_turns(works, rounds=5)
        cleanlab = times.get("cleanlab", np.nan)
        print(
            f"{n:9,} {times['audit']:10.3f} {cleanlab:17.4f} {times['rule']:9.4f} "
            f"{times['exp']:7.4f} {times['audit'] / cleanlab:18.2f} "
            f"{times['audit'] / times['rule']:12.2f}"
        )


def draw_probabilities(n, random):
    y = random.integers(10, size=n)
    scores = random.normal(size=(n, 10)) + 4 * np.eye(10)[y]
    proba = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return proba, flip_labels(y, 0.1, random_state=0)[0]


def first():
    """Processor seconds of a first call and of the next, each in a process with an empty cache."""
    for what in ("table", "probabilities"):
        with tempfile.TemporaryDirectory() as folder:
            code = f"import speed; speed.call_twice({what!r})"
            subprocess.run(
                [sys.executable, "-c", code],
                check=True,
                cwd=Path(__file__).parent,
                env=os.environ | {"NUMBA_CACHE_DIR": folder},
            )


def call_twice(what):
    if what == "table":
        X, y = make_classification(1_000, 20, n_informative=10, class_sep=1.5, random_state=0)
        labels, _ = flip_labels(y, 0.1, random_state=0)
        work = partial(errata.audit, X, labels, random_state=0)
    else:
        proba, labels = draw_probabilities(100_000, np.random.default_rng(0))
        work = partial(
            errata.audit, None, labels, pred_proba=proba, self_check=False, random_state=0
        )
    compiling, _ = seconds(work)
    took, _ = seconds(work)
    print(f"{what}: first call {compiling:.1f}, second {took:.2f} processor seconds", flush=True)


def growth():
    """Times along each axis, their exponent, and the largest step that size does not explain."""
    axes = {
        "rows": (900, 1_000, 1_100, 2_000, 2_900, 3_100, 6_000, 12_000, 19_000, 21_000, 40_000),
        "classes": (2, 3, 4, 5, 6, 8, 12, 16),
        "columns": (12, 20, 40, 80),
    }
    print("axis       size  seconds")
    for axis, sizes in axes.items():
        times = []
        for size in sizes:
            shape = {"rows": 4_000, "classes": 2, "columns": 20} | {axis: size}
            X, y = make_classification(
                shape["rows"],
                shape["columns"],
                n_informative=10,
                n_classes=shape["classes"],
                class_sep=1.5,
                flip_y=0.1,
                random_state=0,
            )
            works = {"audit": lambda X=X, y=y: errata.audit(X, y, random_state=0)}
            if not times:
                works["audit"]()  # load what is compiled
            times.append(take_turns(works, 2)[0]["audit"])
            print(f"{axis:8} {size:7,} {times[-1]:8.2f}", flush=True)
        exponent = np.polyfit(np.log(sizes), np.log(times), 1)[0]
        beyond = np.exp(np.abs(np.diff(np.log(times))) - np.diff(np.log(sizes)))
        worst = int(beyond.argmax())
        print(
            f"{axis}: exponent {exponent:.2f}; the largest step beyond proportional is "
            f"{beyond[worst]:.2f}, from {sizes[worst]:,} to {sizes[worst + 1]:,}"
        )


def start():
    X, y = load_iris(return_X_y=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "iris.csv"
        rows = [",".join(map(str, [*row, label])) for row, label in zip(X, y, strict=True)]
        path.write_text("\n".join(["a,b,c,d,label", *rows]) + "\n", encoding="utf-8")
        for run in ("first run", "second run"):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [
                sys.executable,
                "-m",
                "errata.cli",
                "audit",
                str(path),
                "-l",
                "label",
                "--force",
            ]
            subprocess.run(command, check=True, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
            print(f"errata audit iris.csv, {run}: {took:.2f} processor seconds", flush=True)


# Larger than memory.

CHUNK = 250_000
CLUSTERS = {"A": (np.full(4, 0.25), 8, 0.7), "B": (np.geomspace(0.37, 0.001, 10), 80, 1.2)}


def chunk(kind, n, number, n_columns=20):
    """Features, labels and whether these are wrong, of one chunk of a table.

    Columns beyond the first 20 have nothing to do with the labels.
    """
    prior, n_clusters, spread = CLUSTERS[kind]
    centers = np.random.default_rng(0).normal(scale=spread, size=(n_clusters, 20))
    random = np.random.default_rng((1, number))
    k = len(prior)
    y = random.choice(k, n, p=prior / prior.sum())
    cluster = y + k * random.integers(n_clusters // k, size=n)
    X = centers[cluster] + random.normal(size=(n, 20))
    wrong = random.random(n) < 0.1
    X = np.hstack([X, random.normal(size=(n, n_columns - 20))])
    return X, np.where(wrong, (y + random.integers(1, k, size=n)) % k, y), wrong


def chunks(kind, n, n_columns=20):
    for number, start in enumerate(range(0, n, CHUNK)):
        yield chunk(kind, min(CHUNK, n - start), number, n_columns)


def whole(kind, n):
    return tuple(map(np.concatenate, zip(*chunks(kind, n), strict=True)))


def write_parquet(kind, n, folder, rows_per_group=100_000, n_columns=20):
    """A folder of Parquet files, each of a chunk; returns which labels are wrong."""
    import pyarrow
    import pyarrow.parquet

    told = []
    for number, (X, y, wrong) in enumerate(chunks(kind, n, n_columns)):
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
        [sys.executable, __file__, "stored", "child", json.dumps(job)],
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
    most = read_memory() / 2**20  # before all rows are sorted for the average precision
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
    write_parquet(args.kind, args.rows, source, n_columns=args.columns)
    job = {"how": "stages", "folder": str(source), "out": str(args.folder / "stages.audit")}
    told = in_child(job)
    for name, took in told["stages"].items():
        a_row = took / args.rows * 1e6
        print(f"{args.rows:12,} rows: {name:<28} {took:8.2f} s {a_row:8.2f} us a row")
    print(f"{args.rows:12,} rows: {'all':<28} {told['processor']:8.2f} s, {told['peak']:.2f} GB")
    table = total_size(source) / args.rows
    written = total_size(args.folder / "stages.audit") / args.rows
    print(
        f"{args.rows:12,} rows: {table:.0f} bytes a row read, {written:.0f} written; what was "
        f"learnt has {told['learnt'] / 1e6:.0f} MB"
    )


def total_size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def time_stages(job):
    import errata

    X, y, _ = whole("A", 2_000)
    errata.audit(X, y, self_check=False, random_state=0)  # compile first
    found = {}
    learnt = []
    began = [time.process_time(), "opening"]

    def listen(stage):
        if str(stage).startswith("judging"):
            learnt.append(total_size(Path(f"{job['out']}.unfinished")))
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
    print(
        json.dumps(
            {
                "stages": found,
                "processor": time.process_time() - before,
                "peak": read_memory() / 2**20,
                "learnt": learnt[0],
            }
        )
    )


def dask(args):
    """Rows that are judged in a second of the clock: two workers beside one process.

    Each has its first audit, in which it loads or compiles what it needs, and then a second one.
    """
    import distributed

    source = args.folder / "rows"
    source.mkdir()
    write_parquet("A", args.rows, source, rows_per_group=CHUNK)
    names = ("first", "second")
    alone = [judged_per_second(source, args.folder / f"one.{name}", None) for name in names]
    with (
        distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(lambda: None)
        together = [
            judged_per_second(source, args.folder / f"two.{name}", client) for name in names
        ]
    for name, one, two in zip(names, alone, together, strict=True):
        told = f"{name} audit: one process judges {one:,.0f} rows a second, two workers"
        print(f"{told} {two / one:.2f} times as many")


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


def run_stored():
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
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--kind", choices=CLUSTERS, default="A")
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
    """As many trees of scikit-learn; None for models that are not of trees."""
    if isinstance(model, Forest):
        forest = ExtraTreesClassifier if model.extra else RandomForestClassifier
        peer = forest(
            model.n_trees,
            min_samples_leaf=model.min_samples_leaf,
            bootstrap=True,
            max_samples=min(TREE_ROWS, len(data.X)),
            random_state=0,
        )
        return peer.fit(data.X, data.codes)
    if isinstance(model, GradientBoosting):
        some = data.for_rows(np.arange(min(TREE_ROWS, len(data.X))))
        return model._classifier(data).fit(some.X, some.codes)
    return None


def log_loss(logs, codes):
    return -np.mean(logs[codes, np.arange(len(codes))])


def measure_new_rows(n, n_classes):
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


# Beyond this machine: what stages cost, for more rows and workers. Nothing is measured here.

RESULTS = Path(__file__).parent / "results"
BY_ROWS = ("scanning", "judging", "flagging")  # by workers; all else is done once, by the caller
PART_ROWS = 200_000
SUMS_BYTES = 524_845  # over a part, which go through the scheduler
TASK_SECONDS = 1e-3  # of the scheduler for each, as distributed's documentation says
TABLE_BYTES = 121  # of a row of 20 columns in single precision, read twice
JUDGED_BYTES = 40  # of a row, written and read once
WRITTEN_BYTES = 21  # of a row of the audit
MARK_SECONDS = 1.2e-7  # of the caller for each row, as it looks for equal ones among all
PASS_SECONDS = 3e-9  # and for each row each further time that all are read for it
MARKED_BYTES = 10  # of each row, then


def read_stages(path):
    """Seconds of each stage by the command that measured them."""
    runs = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("$"):
            run = runs[line] = {}
        elif "us a row" in line:
            rows, _, told = line.partition(" rows: ")
            name, took = told[:28].strip(), told[28:].split()[0]
            run["rows"] = int(rows.replace(",", ""))
            run[name] = float(took)
    return list(runs.values())


def plan():
    """Time by the model, beside what was measured, and of a table and cluster of any size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10**9)
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--gigabits", type=float, default=10.0, help="of folder and scheduler")
    args = parser.parse_args()
    measured = {run["rows"]: run for run in read_stages(RESULTS / "speed_stages.txt")}
    base = measured[5_000_000]
    once = sum(took for name, took in base.items() if name not in (*BY_ROWS, "rows"))
    a_row = sum(base[name] for name in BY_ROWS) / base["rows"]
    print(f"by 5,000,000 rows: {once:.1f} s, and {a_row * 1e6:.2f} us a row")
    for n, run in measured.items():
        took = sum(took for name, took in run.items() if name != "rows")
        cards = run["writing the audit"] if n <= 1_000_000 else 0
        print(
            f"{n:12,} rows: calculated {once + n * a_row:6.1f} s, measured {took - cards:6.1f} s"
            + (" without cards" if cards else "")
        )
    shapes = read_stages(RESULTS / "speed_shapes.txt")
    for name, run in zip(
        ("20 columns, 4 classes", "80 columns", "10 classes"), shapes, strict=True
    ):
        ratio = run["judging"] / shapes[0]["judging"]
        print(f"judging, {name}: {ratio:.2f}")
    calculate(args.rows, args.workers, args.gigabits * 1e9 / 8, once, a_row)


def calculate(n, workers, bandwidth, once, a_row):
    """What an audit of ``n`` rows of 20 columns takes; ``bandwidth`` is bytes a second."""
    n_parts = -(-n // PART_ROWS)
    passes = 2 * -(-8 * n // 2 ** max(26, min(n.bit_length(), 30)))
    moved = 2 * TABLE_BYTES + 2 * JUDGED_BYTES + WRITTEN_BYTES
    terms = {
        "learning, and what else is done once": once,
        "scanning, judging, flagging by workers": n * a_row / workers,
        "the shared folder, for these": n * moved / bandwidth,
        "scheduler: three tasks a part": 3 * n_parts * TASK_SECONDS,
        "scheduler: sums of parts": n_parts * SUMS_BYTES / bandwidth,
        f"equal rows, {passes} passes of the caller": n
        * (MARK_SECONDS + (passes - 2) * PASS_SECONDS),
        "the shared folder, for these passes": n * passes * MARKED_BYTES / bandwidth,
    }
    print(f"calculated, not measured: {n:,} rows, {workers} workers of one core")
    for name, took in {**terms, "all": sum(terms.values())}.items():
        print(f"  {name:<40} {took:8.1f} s")


def run_predict():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=200_000)
    for k in (4, 10):
        measure_new_rows(parser.parse_args().rows, k)


if __name__ == "__main__":
    main(
        __doc__,
        tables=tables,
        given=given,
        first=first,
        growth=growth,
        start=start,
        stored=run_stored,
        predict=run_predict,
        plan=plan,
    )
