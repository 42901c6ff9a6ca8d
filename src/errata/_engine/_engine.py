"""What runs a task on many parts, whatever it runs on."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol, Self

from ._stage import Clock, Progress

Task = Callable[[Any, Any], Any]


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
            Piece(stage, f"{stage}-{part.start}-{part.stop}", part.name, _rows(part), part)
            for part in parts
        ]
        with closing(self._finished(task, pieces, shared, _clock(pieces, self))) as finished:
            return reduce(merge, _in_order(finished))

    def map(self, task: Task, items: Iterable[Any], shared: Any, *, stage: str) -> list[Any]:
        """What ``task(item, shared)`` gives for each item, in their order."""
        with closing(self.map_unordered(task, items, shared, stage=stage)) as finished:
            return list(_in_order(finished))

    def map_unordered(
        self, task: Task, items: Iterable[Any], shared: Any, *, stage: str
    ) -> Generator[tuple[int, Any], None, None]:
        """Number and result of each item, as they are finished."""
        pieces = [
            Piece(stage, f"{stage}-{number}", f"item {number}", 1, item)
            for number, item in enumerate(items)
        ]
        return self._finished(task, pieces, shared, _clock(pieces, self, unit="items"))

    def close(self) -> None:
        """Close what the engine has opened itself."""

    def _finished(
        self, task: Task, pieces: Sequence[Piece], shared: Any, clock: Clock
    ) -> Generator[tuple[int, Any], None, None]:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _rows(part: Part) -> int:
    return part.stop - part.start


def _clock(pieces: Sequence[Piece], engine: Engine, unit: str = "rows") -> Clock:
    stage = pieces[0].stage if pieces else ""
    return Clock(stage, sum(piece.rows for piece in pieces), unit, engine.progress)


def _in_order(finished: Iterable[tuple[int, Any]]) -> Iterator[Any]:
    """Results in the order of their numbers; those that come early wait here."""
    early: dict[int, Any] = {}
    number = 0
    for place, result in finished:
        early[place] = result
        while number in early:
            yield early.pop(number)
            number += 1
