"""Where work on parts of rows runs: in this process, or on the workers of a Dask cluster.

A *task* is a function of a module, ``task(part, shared)``, that depends on its arguments alone and
may run twice. A *part* stands for some rows. An :class:`Engine` runs a task on all parts and merges
what it gives in their order, so that the same sums are made in the same order wherever they run.
A :class:`Ledger` keeps what is finished on disk, so that work that was stopped or killed goes on
where it was. Nothing here knows what the rows are.

Whatever the workers of a cluster finish they keep in the ledger themselves. So a lost worker costs
what it was at, and a lost cluster what is unfinished. What all parts need is a file that every
process reads once; never Dask's ``scatter``: what it sends lives on the workers alone and is lost
with them. Only this file imports Dask.
"""

import asyncio
import errno
import json
import logging
import os
import pickle
import queue
import shutil
import sys
import tempfile
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial, reduce
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Protocol, Self

from ._files import atomic_path, make_temporary_prefix, remove_litter
from ._format import count, join_names, shorten
from ._optional import find_c_function, require
from .exceptions import MissingExtraError

try:  # comes with Dask, and with joblib from 1.6 on
    import cloudpickle
except ImportError:
    cloudpickle = pickle

# Plain pickle would look for the classes of the user's script in the script of a worker.
dump: Callable[[Any, Any], None] = cloudpickle.dump

_FINGERPRINT = "fingerprint.json"

Task = Callable[[Any, Any], Any]

# What a caller may want to tell apart; whatever else a task raises is a mistake in it.
_KINDS = (MissingExtraError, OSError, ValueError, MemoryError)
_FULL = {errno.ENOSPC, errno.EDQUOT}

# Those whose version may change a number, or what a pickle means.
_LIBRARIES = ("errata", "numpy", "scikit-learn")
# How glibc's allocator is told on starting how much is kept, and the numbers of its parameters.
_TRIM = "MALLOC_TRIM_THRESHOLD_"
_TRIM_THRESHOLD = -1
_MMAP_THRESHOLD = -3
_KEPT_BYTES = 1 << 25  # arrays up to here are used again, as glibc finds out where it is left alone
_MAPPED_BYTES = 1 << 17  # and beyond here are not, where it is told anything

_lock = threading.Lock()
_last: tuple[Path | None, Any] = (None, None)

_RETRIES = 3  # of a disk or network that fails for a moment; lost workers do not count
# Errors of the system that stay until somebody mends them.
_LASTING = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOENT}

_LOOK_EVERY = 1.0  # seconds between two looks at the cluster while nothing is finished
_WITHOUT_WORKERS = 600.0  # seconds, at most: a part may take longer, a worker need not

_SECONDS_TO_ANSWER = 5

# Seconds that one item may take: a learner may well need hours, unlike a part of a table.
_LONGEST = 86_400.0


class Ledger:
    """A folder of results, each whole or not there, of one piece of work.

    The folder belongs to the ledger, which removes it when all is done. Results are pickled: a
    folder that others may write to is no place for it.

    Examples
    --------
    >>> import tempfile
    >>> scratch = Path(tempfile.mkdtemp())
    >>> ledger = Ledger.open(scratch / "unfinished", {"rows": 5}, resume=True)
    >>> ledger.kept("sum", lambda: 10)
    10
    >>> again = Ledger.open(scratch / "unfinished", {"rows": 5}, resume=True)
    >>> again.kept("sum", lambda: 1 / 0)  # is there, hence not made again
    10
    >>> again.close()
    >>> scratch.rmdir()
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def open(cls, folder: Path, fingerprint: dict[str, Any], *, resume: bool) -> Self:
        """Begin, or go on with work of the same fingerprint, which is anything JSON can hold.

        Raises
        ------
        ValueError
            When the folder holds the results of something else.
        """
        folder = Path(folder).absolute()  # workers may stand elsewhere
        fingerprint = json.loads(json.dumps(fingerprint, default=str))
        stored = _read_fingerprint(folder)
        if stored is not None and not resume:
            shutil.rmtree(folder)
        elif stored is not None and stored != fingerprint:
            differences = join_names(_find_differences(stored, fingerprint), most=5)
            raise ValueError(
                f"{folder} holds unfinished work on something else: {differences}. "
                "Pass resume=False to start anew."
            )
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_path(folder / _FINGERPRINT) as temporary:
            temporary.write_text(json.dumps(fingerprint, indent=2) + "\n", encoding="utf-8")
        return cls(folder)

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """The result of that name; made now, and kept, unless it is there."""
        is_kept, result = self.recall(name)
        if is_kept:
            return result
        result = make()
        with atomic_path(self._path(name)) as temporary, temporary.open("wb") as stream:
            dump(result, stream)
        return result

    def recall(self, name: str) -> tuple[bool, Any]:
        """Whether the result of that name is there, and the result, which may be None."""
        try:
            with self._path(name).open("rb") as stream:
                return True, pickle.load(stream)
        except (FileNotFoundError, EOFError, pickle.UnpicklingError):
            return False, None  # a machine that stops may leave a file without its content

    def close(self) -> None:
        """Remove the folder: all is done."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.pickle"


def _read_fingerprint(folder: Path) -> Any:
    """The fingerprint of unfinished work, None where there is none."""
    if not folder.exists():
        return None
    remove_litter(folder)
    path = folder / _FINGERPRINT
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    if any(folder.iterdir()):  # it would go with the ledger
        raise ValueError(f"{folder} holds something else; choose a folder that is not there yet.")
    return None


def _find_differences(before: Any, now: Any, name: str = "") -> Iterator[str]:
    """The entries that differ, as deep as they have names."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in before | now:
            if before.get(key) != now.get(key):
                yield from _find_differences(before.get(key), now.get(key), f"{name} {key}".strip())
    elif isinstance(before, list) or isinstance(now, list):
        yield f"other {name}"
    else:
        yield f"{name} was {_format_value(before)}, is {_format_value(now)}"


def _format_value(value: Any) -> str:
    return shorten(json.dumps(value, ensure_ascii=False), 60)


class Part(Protocol):
    """Some rows, by their positions; ``name`` is how messages call them."""

    @property
    def start(self) -> int: ...
    @property
    def stop(self) -> int: ...
    @property
    def name(self) -> str: ...


@dataclass(frozen=True)
class Piece:
    """A piece of the work of a stage: what the task gets, and how it is called."""

    stage: str
    key: str  # of its result in the ledger
    name: str  # in messages
    rows: int
    item: Any


class Stage(NamedTuple):
    """How far a stage has come, as a callable that shows progress is told it.

    Examples
    --------
    >>> stage = Stage("judge", done=400_000, total=1_000_000, seconds=8.0)
    >>> stage.rows_per_second, stage.seconds_left
    (50000.0, 12.0)
    >>> print(stage)
    judge: 400,000 of 1,000,000 rows, 50,000 a second, 12 s left
    """

    name: str
    done: int
    total: int
    seconds: float  # since the stage began
    kept: int = 0  # of what is done, what an earlier call had finished
    unit: str = "rows"

    @property
    def rows_per_second(self) -> float | None:
        """How many rows were finished in a second of this call; None before the first."""
        new = self.done - self.kept
        return new / self.seconds if new and self.seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes if it goes on like this; None before that can be told."""
        left = self.total - self.done
        if not left:
            return 0.0
        return left / self.rows_per_second if self.rows_per_second else None

    def __str__(self) -> str:
        text = f"{self.name}: {count(self.done)} of {count(self.total)} {self.unit}"
        if self.rows_per_second and self.unit == "rows":
            text += f", {count(self.rows_per_second)} a second"
        if self.seconds_left:
            text += f", {_format_duration(self.seconds_left)} left"
        return text


Progress = Callable[[Stage], None]


class Clock:
    """Counts what is finished, and tells it."""

    def __init__(self, stage: str, total: int, unit: str, progress: Progress | None) -> None:
        self.stage = Stage(stage, 0, total, 0.0, 0, unit)
        self._begin = time.monotonic()
        self._progress = progress
        self.tell(0)

    def tell(self, rows: int, *, kept: bool = False) -> None:
        """So many rows more are finished; ``kept`` ones had been before."""
        was = self.stage
        self.stage = was._replace(
            done=was.done + rows,
            seconds=time.monotonic() - self._begin,
            kept=was.kept + (rows if kept else 0),
        )
        if self._progress is not None:
            self._progress(self.stage)


class Engine:
    """Runs tasks and brings their results together; a subclass says where they run.

    It may be used in a ``with`` block, at whose end it closes what it has opened itself.
    """

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress

    def reduce(
        self,
        task: Task,
        merge: Callable[[Any, Any], Any],
        parts: Iterable[Part],
        shared: Any,
        *,
        stage: str,
    ) -> Any:
        """The results of ``task(part, shared)`` for all parts, merged from first to last."""
        pieces = [
            Piece(
                stage,
                f"{stage}-{part.start}-{part.stop}",
                part.name,
                part.stop - part.start,
                part,
            )
            for part in parts
        ]
        with closing(
            self._run_pieces(task, pieces, shared, _start_clock(pieces, self))
        ) as finished:
            return reduce(merge, _sort_results(finished))

    def map(self, task: Task, items: Iterable[Any], shared: Any, *, stage: str) -> list[Any]:
        """The results of ``task(item, shared)`` for each item, in their order."""
        with closing(self.map_unordered(task, items, shared, stage=stage)) as finished:
            return list(_sort_results(finished))

    def map_unordered(
        self, task: Task, items: Iterable[Any], shared: Any, *, stage: str
    ) -> Generator[tuple[int, Any], None, None]:
        """Number and result of each item, as they are finished."""
        pieces = [
            Piece(stage, f"{stage}-{number}", f"item {number}", 1, item)
            for number, item in enumerate(items)
        ]
        return self._run_pieces(task, pieces, shared, _start_clock(pieces, self, unit="items"))

    def close(self) -> None:
        """Close what the engine has opened itself."""

    def _run_pieces(
        self, task: Task, pieces: Sequence[Piece], shared: Any, clock: Clock
    ) -> Generator[tuple[int, Any], None, None]:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _start_clock(pieces: Sequence[Piece], engine: Engine, unit: str = "rows") -> Clock:
    stage = pieces[0].stage if pieces else ""
    return Clock(stage, sum(piece.rows for piece in pieces), unit, engine.progress)


def _sort_results(finished: Iterable[tuple[int, Any]]) -> Iterator[Any]:
    """Results in the order of their numbers; those that come early wait here."""
    early: dict[int, Any] = {}
    number = 0
    for place, result in finished:
        early[place] = result
        while number in early:
            yield early.pop(number)
            number += 1


def _format_duration(seconds: float) -> str:
    """Seconds as people say them.

    >>> _format_duration(12.4), _format_duration(300), _format_duration(8_000)
    ('12 s', '5 min', '2.2 h')
    """
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 6_000 else f"{seconds / 3600:.1f} h"


def add_context(error: Exception, piece: Piece, ledger: Ledger | None) -> Exception:
    """The error again, of its kind, with the stage and the part where it arose.

    It holds text only, so that it can be sent from a worker whatever was raised there.
    """
    kind = next((kind for kind in _KINDS if isinstance(error, kind)), RuntimeError)
    text = f"{piece.stage}, {piece.name}: {_format_error(error, kind)}"
    if not isinstance(error, OSError):
        return kind(text)
    if error.errno in _FULL and ledger is not None:
        text = f"{text.rstrip('.')}. Free some space; what is finished {explain_resuming(ledger)}"
    return OSError(text) if error.errno is None else OSError(error.errno, text)


def explain_resuming(ledger: Ledger) -> str:
    """How to go on, as the end of a sentence that begins with "what is finished"."""
    return f"is kept in {ledger.folder}, and the same call goes on from there."


def _format_error(error: Exception, kind: type[Exception]) -> str:
    """The message of an error, with its name where that tells more."""
    if kind is RuntimeError:
        return f"{type(error).__name__}: {error}"
    if isinstance(error, OSError) and error.strerror is not None:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error) or type(error).__name__


class Here(Engine):
    """A loop in this process, which merges as it goes and so holds one part at a time.

    Parameters
    ----------
    ledger : Ledger, optional
        Where finished parts are kept; without it, nothing is.
    progress : callable, optional
        Is told the :class:`Stage` at the start and after every part.

    Examples
    --------
    >>> Here().map(pow, [2, 3], 10, stage="powers")
    [1024, 59049]
    """

    def __init__(self, ledger: Ledger | None = None, progress: Progress | None = None) -> None:
        super().__init__(progress)
        self.ledger = ledger

    def _run_pieces(
        self, task: Task, pieces: Sequence[Piece], shared: Any, clock: Clock
    ) -> Generator[tuple[int, Any], None, None]:
        for number, piece in enumerate(pieces):
            is_kept, result = self.ledger.recall(piece.key) if self.ledger else (False, None)
            if not is_kept:
                result = self._made(task, piece, shared)
                release_memory()
            clock.tell(piece.rows, kept=is_kept)
            yield number, result

    def _made(self, task: Task, piece: Piece, shared: Any) -> Any:
        try:
            if self.ledger is None:
                return task(piece.item, shared)
            return self.ledger.kept(piece.key, lambda: task(piece.item, shared))
        except Exception as error:
            raise add_context(error, piece, self.ledger) from error


def release_memory() -> None:
    """Give what was freed back to the system, which allocators put off; takes some milliseconds.

    Between the small objects that stay, the holes that large arrays of each step leave add up.
    """
    if "pyarrow" in sys.modules:
        import pyarrow

        pyarrow.default_memory_pool().release_unused()
    trim = find_c_function("malloc_trim")
    if trim is not None:
        trim(0)


@contextmanager
def keep_freed_memory() -> Iterator[None]:
    """On a worker, let what is freed be used again until the block ends; then give it back.

    Dask starts workers with an allocator that gives each array back to the system at once, and asks
    for every page of the next anew: a part takes half as long again.
    """
    limit = os.environ.get(_TRIM, "")
    change = find_c_function("mallopt") if limit.isdecimal() else None
    if change is None:
        yield
        return
    change(_MMAP_THRESHOLD, _KEPT_BYTES)
    change(_TRIM_THRESHOLD, 2 * _KEPT_BYTES)
    try:
        yield
    finally:
        change(_MMAP_THRESHOLD, _MAPPED_BYTES)
        change(_TRIM_THRESHOLD, int(limit))
        release_memory()


def get_versions() -> dict[str, str]:
    """The versions that must be the same in all processes."""
    return {library: version(library) for library in _LIBRARIES}


@contextmanager
def write_shared(folder: Path, shared: Any) -> Iterator[Path]:
    """A file of what is shared, under a name that no other call has, removed at the end."""
    path = folder / f"shared-{uuid.uuid4().hex}.pickle"
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        dump(get_versions(), stream)
        dump(shared, stream)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def load_shared(path: Path) -> Any:
    """Read the shared object once in this process; the next one takes its place."""
    global _last
    with _lock:
        if _last[0] != path:
            _last = (None, None)  # before the next is read: both may be large
            _last = (path, _read(path))
        return _last[1]


def check_versions(theirs: dict[str, str], ours: dict[str, str], where: str) -> None:
    """Raise when a worker has other versions than the process that started the work."""
    other = [
        f"{name} {ours[name]} instead of {theirs[name]}"
        for name in theirs
        if ours[name] != theirs[name]
    ]
    if other:
        raise ValueError(
            f"{where} has {', '.join(other)}; numbers are the same with the same versions only: "
            "install those of this process on all workers."
        )


def _read(path: Path) -> Any:
    with path.open("rb") as stream:
        # First, as what follows may not even be readable by another version; a worker may have
        # joined after all were asked.
        check_versions(pickle.load(stream), get_versions(), "a worker")
        return pickle.load(stream)


def pack_call(function: Callable[..., Any], *args: Any) -> bytes:
    """A call that is to be made elsewhere."""
    return cloudpickle.dumps(partial(function, *args))


def make_opener() -> Callable[[bytes], Any]:
    """A function that makes a packed call.

    It is made anew, so that it is sent as code and not by its name: a scheduler looks at the
    functions that it passes on, and need not have errata for that.
    """

    def make_call(call: bytes) -> Any:
        return pickle.loads(call)()

    return make_call


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
        with keep_freed_memory():
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
