"""The engine that was asked for, and work on a Dask cluster: checks, waiting.

Only this file imports Dask.

Tasks may run twice, and whatever workers finish is kept by themselves in the ledger. So a lost
worker costs what it was at, and a lost cluster what is unfinished.
"""

import asyncio
import errno
import logging
import queue
import tempfile
import time
import traceback
import uuid
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from .._files import make_temporary_prefix
from .._format import count
from .._optional import require
from ._engine import Clock, Engine, Here, Piece, Progress, Task, add_context, explain_resuming
from ._ledger import Ledger
from ._shared import check_versions, get_versions, load_shared, make_opener, pack_call, write_shared

_RETRIES = 3  # of a disk or network that fails for a moment; lost workers do not count
# Errors of the system that stay until somebody mends them.
_LASTING = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT}

_LOOK_EVERY = 1.0  # seconds between two looks at the cluster while nothing is finished
_WITHOUT_WORKERS = 600.0  # seconds, at most: a part may take longer, a worker need not

_SECONDS_TO_ANSWER = 5

# Seconds that one item may take: a learner may well need hours, unlike a part of a table.
_LONGEST = 86_400.0


def make_engine(
    engine: Any, ledger: Ledger, progress: Progress | None = None, patience: float = 600.0
) -> Engine:
    """For None this process, for a client or the address of a scheduler its cluster."""
    if engine is None:
        return Here(ledger, progress)
    if isinstance(engine, str):
        return OnDask(open_client(engine), ledger, progress, patience, owned=True)
    check_client(engine)
    return OnDask(engine, ledger, progress, patience)


class OnDask(Engine):
    """Work by the futures of a Dask client.

    Parameters
    ----------
    client : distributed.Client
        Not an asynchronous one.
    ledger : Ledger
        In a folder that all workers share and may write to.
    progress : callable, optional
        Is told the :class:`Stage` at the start and after every part.
    patience : float, default=600
        Seconds without a worker (at most 600), or without anything finished, until a TimeoutError.
    owned : bool, default=False
        Whether the client is closed with the engine.
    """

    def __init__(
        self,
        client: Any,
        ledger: Ledger,
        progress: Progress | None = None,
        patience: float = 600.0,
        owned: bool = False,
    ) -> None:
        super().__init__(progress)
        self.client = client
        self.ledger = ledger
        self.patience = patience
        self.owned = owned

    def close(self) -> None:
        """Close the client if the engine has made it."""
        if self.owned:
            self.client.close()

    def _run_pieces(
        self, task: Task, pieces: Sequence[Piece], shared: Any, clock: Clock
    ) -> Generator[tuple[int, Any], None, None]:
        missing = {}
        for number, piece in enumerate(pieces):
            is_kept, result = self.ledger.recall(piece.key)
            if not is_kept:
                missing[number] = piece
                continue
            clock.tell(piece.rows, kept=True)
            yield number, result
        if missing:
            with write_shared(self.ledger.folder, shared) as path:
                yield from self._compute_missing(task, missing, path, clock)

    def _compute_missing(
        self, task: Task, missing: Mapping[int, Piece], path: Path, clock: Clock
    ) -> Generator[tuple[int, Any], None, None]:
        check_client(self.client)
        watch = Watch(self.client, self.ledger, self.patience, clock.stage.name, len(missing))
        watch.check_workers(path)
        futures = self._submit(task, missing.values(), path)
        numbers = dict(zip((future.key for future in futures), missing, strict=True))
        try:
            for future in watch.finished(futures):
                number = numbers[future.key]
                result = watch.result_of(future, missing[number])
                clock.tell(missing[number].rows)
                yield number, result
        finally:
            with suppress(Exception):  # an error that is on its way says more
                self.client.cancel([future for future in futures if not future.done()])

    def _submit(self, task: Task, pieces: Collection[Piece], path: Path) -> list[Any]:
        call = uuid.uuid4().hex
        return self.client.map(
            make_opener(),
            [pack_call(_run_piece, piece, task, path, self.ledger) for piece in pieces],
            key=[f"errata-{piece.key}-{call}" for piece in pieces],
            retries=_RETRIES,
            pure=False,
        )


def _run_piece(piece: Piece, task: Task, shared: Path, ledger: Ledger) -> Any:
    """On a worker: what the task gives, kept in the ledger before anybody hears of it."""
    try:
        return ledger.kept(piece.key, lambda: task(piece.item, load_shared(shared)))
    except Exception as error:
        if isinstance(error, OSError) and error.errno not in _LASTING:
            raise
        explained = add_context(error, piece, ledger)
        explained.add_note(traceback.format_exc())  # which would stay on the worker
        return explained  # given back, as Dask would try again what is raised


class Watch:
    """Waits for what the workers of one stage finish, but not for ever."""

    def __init__(
        self, client: Any, ledger: Ledger, patience: float, stage: str, total: int
    ) -> None:
        self.client = client
        self.ledger = ledger
        self.patience = patience
        self.stage = stage
        self.total = total
        self.done = 0
        self._queue: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._moved = self._manned = time.monotonic()

    def check_workers(self, shared: Path) -> None:
        """Raise when there is no worker, or one that cannot do the work."""
        if not self._workers():
            # A cluster that grows with the work has none until there is some.
            first = self.client.submit(make_opener(), pack_call(look, shared), pure=False)
            list(self.finished([first]))
            self.done = 0
        check_workers(self.client.run(look, shared, on_error="return"), self.ledger.folder)

    def finished(self, futures: Collection[Any]) -> Iterator[Any]:
        """Futures as they are done."""
        for future in futures:
            future.add_done_callback(self._queue.put)
        for _ in futures:
            yield self._next()
            self.done += 1
            self._moved = time.monotonic()

    def result_of(self, future: Any, piece: Piece) -> Any:
        """The result of a future that is done, or its error in one sentence."""
        if future.status == "error":
            self._explain(future.exception(), piece)
        if future.cancelled():
            raise OSError(f"{piece.stage}: the work was cancelled on the cluster; {self._so_far()}")
        try:
            result = future.result(timeout=self.patience)
        except TimeoutError as error:  # its worker was lost, and no other came
            raise self._make_timeout("no result has come") from error
        future.release()  # now: it would stay in the memory of its worker until all are done
        if isinstance(result, Exception):  # it would come again
            raise result
        return result

    def _next(self) -> Any:
        while True:
            with suppress(queue.Empty):
                return self._queue.get(timeout=min(_LOOK_EVERY, self.patience))
            self._look()

    def _look(self) -> None:
        """Raise when the work has stood still for too long."""
        now = time.monotonic()
        if self._workers():
            self._manned = now
        if now - self._manned > min(self.patience, _WITHOUT_WORKERS):
            raise self._make_timeout("no Dask worker has been there")
        if now - self._moved > self.patience:
            raise self._make_timeout("nothing was finished")

    def _workers(self) -> int:
        try:
            return len(self.client.nthreads())
        except (OSError, RuntimeError):  # the scheduler does not answer, or is gone
            return 0

    def _make_timeout(self, what: str) -> TimeoutError:
        return TimeoutError(
            f"{self.stage}: {what} for {count(self.patience)} seconds; {self._so_far()}"
        )

    def _so_far(self) -> str:
        return (
            f"{count(self.done)} of {count(self.total)} parts were done. See to the "
            f"cluster; what is finished {explain_resuming(self.ledger)}"
        )

    def _explain(self, error: Exception, piece: Piece) -> NoReturn:
        if is_killed_worker(error):
            raise OSError(
                f"{piece.stage}, {piece.name}: every worker that began this part died, most likely "
                "for want of memory; give workers more of it, or have smaller parts. "
                f"What is finished {explain_resuming(self.ledger)}"
            ) from error
        raise add_context(error, piece, self.ledger) from error


def look(shared: Path) -> tuple[dict[str, str], str | None]:
    """Run on a worker: its versions, and its trouble with the folder if it has any."""
    trouble = None
    try:
        if not shared.exists():
            trouble = "does not see"
        else:
            prefix = make_temporary_prefix()
            with tempfile.NamedTemporaryFile(dir=shared.parent, prefix=prefix) as file:
                file.write(b"errata")
                file.flush()
    except OSError as error:
        trouble = f"cannot write ({error.strerror or error})"
    return get_versions(), trouble


def check_workers(looks: Mapping[str, Any], folder: Path) -> None:
    """Raise when a worker is not fit; by its address, what ``look`` gave or the error instead."""
    for address, seen in looks.items():
        worker = f"worker {address}"
        if isinstance(seen, Exception):
            raise ValueError(
                f"{worker} cannot run errata ({seen}); install the same packages on all workers."
            )
        versions, trouble = seen
        check_versions(get_versions(), versions, worker)
        if trouble:
            raise OSError(
                f"{worker} {trouble} {folder}; choose a folder on a disk that all workers "
                "share and may write to."
            )


def _require_distributed() -> Any:
    return require("distributed", extra="scale")


def open_client(address: str) -> Any:
    """A client of the scheduler at an address such as ``tcp://10.0.0.1:8786``."""
    distributed = _require_distributed()
    try:
        # A client that cannot connect is torn down for long, and not in silence: knock first.
        with ThreadPoolExecutor(1) as thread:  # a notebook has a loop of its own in this one
            thread.submit(asyncio.run, _knock(address)).result()
        # Not the default: what else this process does with Dask is not for this cluster.
        return distributed.Client(address, set_as_default=False)
    except Exception as error:  # whatever else may listen there can answer anything
        raise OSError(
            f"no Dask scheduler answers at {address}; give its address as in "
            "tcp://10.0.0.1:8786, and start it with: dask scheduler"
        ) from error


async def _knock(address: str) -> None:
    """Raise unless something that speaks Dask's protocol listens there."""
    distributed = _require_distributed()
    options = distributed.Security().get_connection_args("client")
    comm = await distributed.comm.connect(address, timeout=_SECONDS_TO_ANSWER, **options)
    await comm.close()


@contextmanager
def start_local_client(n_workers: int | None = None) -> Iterator[Any]:
    """A client of a cluster of this machine, one worker of one thread for each core."""
    cluster = _require_distributed().LocalCluster(
        n_workers=n_workers,
        threads_per_worker=1,
        dashboard_address=":0",  # any free port: two clusters of one machine must not meet
        silence_logs=logging.CRITICAL,
    )
    with cluster, _require_distributed().Client(cluster, set_as_default=False) as client:
        yield client


@contextmanager
def connect(engine: Any) -> Iterator[Any]:
    """A client in place of an address, checked now and not when there is work; None for None."""
    if isinstance(engine, str):
        with open_client(engine) as client:
            yield client
        return
    if engine is not None:
        check_client(engine)
    yield engine


def check_client(client: Any) -> None:
    """Raise unless it is a client that can be waited for."""
    if not isinstance(client, _require_distributed().Client):
        raise TypeError(
            f"engine={client!r} is no Dask client; pass a distributed.Client, or the address of a "
            "scheduler."
        )
    if client.asynchronous:
        raise ValueError(
            "the Dask client is asynchronous, so its results cannot be waited for here; make one "
            "without asynchronous=True."
        )
    if client.status != "running":
        raise ValueError(f"the Dask client is {client.status}; make a new one and pass that.")


def is_killed_worker(error: Exception) -> bool:
    """Whether Dask has given a task up, as every worker that began it died."""
    return isinstance(error, _require_distributed().scheduler.KilledWorker)


def map_elsewhere(
    engine: Any, task: Task, items: Iterable[Any], shared: Any, *, stage: str, folder: Path | None
) -> Generator[tuple[int, Any], None, None]:
    """Number and result of ``task(item, shared)`` for each item, as a cluster finishes them.

    Parameters
    ----------
    engine : distributed.Client or str
        The cluster, or the address of its scheduler.
    folder : Path or None
        Where a temporary folder may be made that all workers see; None where they all are on this
        machine.
    """
    items = list(items)
    if not items:  # nobody need be there
        return
    with tempfile.TemporaryDirectory(prefix=make_temporary_prefix(), dir=folder) as workshop:
        # A name that is swept when this process is killed.
        ledger = Ledger.open(Path(workshop) / "new", {}, resume=True)
        with make_engine(engine, ledger, patience=_LONGEST) as cluster:
            yield from cluster.map_unordered(task, items, shared, stage=stage)
