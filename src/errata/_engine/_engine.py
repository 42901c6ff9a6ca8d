"""What runs a task on many parts, how far it has come, and the engine of this process."""

import errno
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple, Protocol, Self

from .._format import count
from ..exceptions import MissingExtraError
from ._ledger import Ledger

Task = Callable[[Any, Any], Any]

# What a caller may want to tell apart; whatever else a task raises is a mistake in it.
_KINDS = (MissingExtraError, OSError, ValueError, MemoryError)
_FULL = {errno.ENOSPC, errno.EDQUOT}


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
        """What ``task(part, shared)`` gives for all parts, merged from the first to the last."""
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
        """What ``task(item, shared)`` gives for each item, in their order."""
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
        text = f"{text.rstrip('.')}. Make room; what is finished {explain_resuming(ledger)}"
    return OSError(text) if error.errno is None else OSError(error.errno, text)


def explain_resuming(ledger: Ledger) -> str:
    """How to go on, as the end of a sentence that begins with "what is finished"."""
    return f"is kept in {ledger.folder}, and the same call goes on from there."


def _format_error(error: Exception, kind: type[Exception]) -> str:
    """What the error says, with its name where that tells more."""
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
            clock.tell(piece.rows, kept=is_kept)
            yield number, result

    def _made(self, task: Task, piece: Piece, shared: Any) -> Any:
        try:
            if self.ledger is None:
                return task(piece.item, shared)
            return self.ledger.kept(piece.key, lambda: task(piece.item, shared))
        except Exception as error:
            raise add_context(error, piece, self.ledger) from error
