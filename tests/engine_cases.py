"""Parts and tasks for tests of engines; workers import them by name."""

import contextlib
import errno
import importlib
import os
import signal
import tempfile
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

from errata import _engine
from waiting import LONG, wait_until


@dataclass(frozen=True)
class Rows:
    start: int
    stop: int

    @property
    def name(self):
        return f"table.parquet, rows {self.start} to {self.stop - 1}"


def cut(n, size):
    return [Rows(start, min(start + size, n)) for start in range(0, n, size)]


def positions(part, shared):
    return [(shared, row) for row in range(part.start, part.stop)]


def tenth_sum(part, shared):
    """A sum whose last bits depend on the order of additions."""
    return sum((row / 10 for row in range(part.start, part.stop)), shared)


def late_first(part, folder):
    """Stops at the first part until a file named "open" is there."""
    if part.start == 0:
        wait_until((Path(folder) / "open").exists, "the gate opens")
    return [part.start]


def join(left, right):
    return left + right


def leave_trace(part, folder):
    """A file for every time that the task ran on a part."""
    with (Path(folder) / f"ran-{part.start}").open("a") as stream:
        stream.write("x")
    return [part.start]


def has_run(folder, start):
    """Whether the task left its trace of a part, which is in the file a little after the file."""
    trace = Path(folder) / f"ran-{start}"
    return trace.exists() and trace.stat().st_size > 0


def fail_at_twenty(part, folder):
    if part.start == 20:
        leave_trace(part, folder)
        raise ValueError("column 'age' is odd.")
    return leave_trace(part, folder)


def wait_for_gate(part, folder):
    """Stops at the fifth part until a file named "open" is there."""
    leave_trace(part, folder)
    if part.start == 40:
        wait_until((Path(folder) / "open").exists, "the gate opens")
    return [part.start]


def kill_worker(part, shared):
    if part.start == 20:
        os.kill(os.getpid(), signal.SIGKILL)
    return [part.start]


@contextlib.contextmanager
def two_workers(**config):
    """A cluster of two processes of one thread each, whose client is the test's."""
    dask, distributed = map(pytest.importorskip, ("dask", "distributed"))
    settings = {
        # A busy machine may need longer than 15 s to bring back a worker that was killed.
        "distributed.deploy.lost-worker-timeout": f"{LONG:g}s",
        # A cluster that only waits takes a tenth of a processor to watch itself.
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "1s",
        **config,
    }
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        client.wait_for_workers(2, timeout=LONG)
        yield client


def hiccup(part, folder):
    """The disk fails the first time."""
    leave_trace(part, folder)
    if part.start == 20 and (Path(folder) / "ran-20").read_text() == "x":
        raise OSError(errno.EIO, "Input/output error")
    return [part.start]


def full_disk(part, folder):
    leave_trace(part, folder)
    raise OSError(errno.ENOSPC, "No space left on device")


class Traced:
    """Leaves a trace in a folder whenever a process reads it."""

    def __init__(self, folder):
        self.folder = str(folder)

    def __setstate__(self, state):
        vars(self).update(state)
        (Path(self.folder) / f"read-{os.getpid()}").open("a").write("x")


def who(part, shared):
    return [os.getpid()]


def pretend_other_numpy():
    """On a worker: another version of NumPy is installed."""
    _engine.version = lambda library: "0.1" if library == "numpy" else version(library)


def tell_the_truth():
    _engine.version = version


def close_the_folder():
    """On a worker: nothing can be written."""

    def closed(**_):
        raise PermissionError(errno.EACCES, "Permission denied")

    tempfile.NamedTemporaryFile = closed


def open_the_folder():
    importlib.reload(tempfile)
