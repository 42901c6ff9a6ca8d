"""
An audit on a Dask cluster
==========================

Audit a folder of Parquet on the workers of a Dask cluster; it takes about a minute of processor
time. A cluster of this machine stands for any other: another one changes the line that makes it,
and nothing else.
"""

import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from dask.distributed import LocalCluster

import errata
from errata.metrics import filter_report
from errata.noise import flip_labels

N_ROWS, N_FILES = 240_000, 6
WARDS = np.array(["surgery", "medicine", "paediatrics"])


def write_visits(folder):
    """A table of visits in some files, some outcomes wrong; which ones, to look at later."""
    rng = np.random.default_rng(0)
    outcome = rng.integers(3, size=N_ROWS)
    columns = {f"measure {i}": rng.normal(outcome * (i % 3), 0.7) for i in range(6)}
    columns["ward"] = np.where(rng.random(N_ROWS) < 0.6, WARDS[outcome], rng.choice(WARDS, N_ROWS))
    names = np.array(["better", "same", "worse"])[outcome]
    columns["outcome"], planted = flip_labels(names, 0.03, random_state=0)
    table, size = pa.table(columns), N_ROWS // N_FILES
    for number in range(N_FILES):
        pq.write_table(table.slice(number * size, size), folder / f"visits-{number}.parquet")
    return planted


def main():
    with tempfile.TemporaryDirectory() as folder, LocalCluster(threads_per_worker=1) as cluster:
        visits, out = Path(folder, "visits"), Path(folder, "visits.audit")
        visits.mkdir()
        planted = write_visits(visits)
        print(f"{N_ROWS:,} visits in {N_FILES} files. We made {planted.sum():,} outcomes wrong.")
        audit = errata.audit(
            visits, "outcome", out=out, engine=cluster.get_client(), progress=print, random_state=0
        )
        print(f"\n{audit}\n")
        report = filter_report(planted, audit.flagged)
        print(f"Planted errors found: {report['recall']:.1%}")
        print(f"Flagged rows:         {audit.flagged.sum():,}, {report['nep']:.1%} of them planted")


if __name__ == "__main__":  # workers read this file, too
    main()
