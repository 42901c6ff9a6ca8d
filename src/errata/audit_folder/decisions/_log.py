"""Events on disk, and what they amount to, kept up to date event by event.

The rule. An *undo* takes back the event it names, or the whole batch of that event; a *redo* takes
back the undo it names. So an event stands as long as no undo of it stands, and an undo stands until
a redo names it. None of this depends on the order in which events are read. Of what stands, the
last verdict of a reviewer on a row counts: last by the time of the event, then by its key, which
every file that holds the event agrees on. Hence files may be merged in any order.
"""

import sqlite3
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from uuid import uuid4

from ..._files import readable
from ...exceptions import ConflictingEvent
from ._consensus import RowVerdict, last_verdicts, row_verdict
from ._event import REVERSALS, Event, time_after
from ._file import WAIT, WriterLock, connect, explained, insert_event, prepare, read_events

_SECONDS = WAIT / 1000  # to wait for another process that writes

NEVER = ("", "")


class _Reviewer:
    """What one reviewer can take back, and bring back, in the order of the events."""

    def __init__(self) -> None:
        self.standing: list[Event] = []
        self.undos: list[Event] = []
        self.said = NEVER  # the last that was no undo and no redo
        self.latest = ""  # time of the last of all


class Replay:
    """What a list of events amounts to."""

    def __init__(self) -> None:
        self.log: list[Event] = []
        self.by_key: dict[str, Event] = {}
        self.verdicts: dict[str, RowVerdict] = {}
        self.last: dict[tuple[str, str], Event] = {}  # by row and reviewer
        self._by_id: dict[int | None, Event] = {}
        self._rows: dict[str, list[Event]] = {}
        self._batches: dict[tuple[str, str], list[Event]] = {}
        self._undone: Counter[tuple[str, str]] = Counter()  # undos that stand, of each unit
        self._redone: set[int | None] = set()
        self._reviewers: dict[str, _Reviewer] = defaultdict(_Reviewer)
        self._changed: set[str] = set()  # rows to work out again

    @property
    def last_id(self) -> int:
        """Number of the last event that was taken in."""
        return (self.log[-1].id or 0) if self.log else 0

    def after(self, number: int) -> list[Event]:
        """The events with a number above this one."""
        return self.log[bisect_right(self.log, number, key=lambda event: event.id or 0) :]

    def latest_time(self, reviewer: str) -> str:
        """When this reviewer last did anything; empty for never."""
        return self._reviewers[reviewer].latest if reviewer in self._reviewers else ""

    def history(self, row_key: str) -> list[Event]:
        """Everything that was said of a row, in order, also what was taken back since."""
        return list(self._rows.get(row_key, ()))

    def stands(self, event: Event) -> bool:
        """Whether an event that is no undo and no redo has not been taken back."""
        return not self._undone or event.unit not in self._undone

    def to_undo(self, reviewer: str, number: int | None = None) -> Event | None:
        """What an undo of this reviewer takes back: the event with that number, or the last."""
        if number is not None:
            return self._taken_back(reviewer, number)
        standing = self._reviewers[reviewer].standing if reviewer in self._reviewers else []
        return standing[-1] if standing else None

    def _taken_back(self, reviewer: str, number: int) -> Event:
        event = self._by_id.get(number)
        if event is None or event.reviewer != reviewer or event.kind in REVERSALS:
            raise ValueError(f"event {number} is none that {reviewer!r} could take back.")
        if not self.stands(event):
            raise ValueError(f"event {number} has been taken back already.")
        return event

    def to_redo(self, reviewer: str) -> Event | None:
        """The undo that a redo would take back, unless something was said since."""
        who = self._reviewers[reviewer] if reviewer in self._reviewers else _Reviewer()
        return who.undos[-1] if who.undos and who.undos[-1].order > who.said else None

    def take_in(self, events: Iterable[Event]) -> None:
        """Take in more events; whatever one names must have been taken in before it."""
        for event in events:
            self._take_in(event)
        while self._changed:
            self._settle(self._changed.pop())

    def _take_in(self, event: Event) -> None:
        self.log.append(event)
        self.by_key[event.key] = self._by_id[event.id] = event
        who = self._reviewers[event.reviewer]
        who.latest = max(who.latest, event.at)
        if event.kind == "undo":
            self._undo(event)
        elif event.kind == "redo":
            self._redo(self._by_id[event.undoes])
        else:
            self._say(event, who)

    def _say(self, event: Event, who: _Reviewer) -> None:
        who.said = max(who.said, event.order)
        _insert(self._rows.setdefault(event.row_key, []), event)
        if event.batch is not None:
            self._batches.setdefault(event.unit, []).append(event)
        if self.stands(event):
            _insert(who.standing, event)
        self._changed.add(event.row_key)

    def _undo(self, undo: Event) -> None:
        _insert(self._reviewers[undo.reviewer].undos, undo)
        self._count_undo(self._by_id[undo.undoes], +1)

    def _redo(self, undo: Event) -> None:
        if undo.id in self._redone:
            return
        self._redone.add(undo.id)
        _remove(self._reviewers[undo.reviewer].undos, undo)
        self._count_undo(self._by_id[undo.undoes], -1)

    def _count_undo(self, target: Event, step: int) -> None:
        stood = self.stands(target)
        self._undone[target.unit] += step
        if not self._undone[target.unit]:
            del self._undone[target.unit]
        if self.stands(target) == stood:
            return
        move = _remove if stood else _insert
        for event in self._batches.get(target.unit, [target]):
            move(self._reviewers[event.reviewer].standing, event)
            self._changed.add(event.row_key)

    def _settle(self, row_key: str) -> None:
        """Work out again what is said of one row."""
        history = self._rows[row_key]
        standing = [event for event in history if self.stands(event)]
        last = last_verdicts(standing)
        for event in history:
            if event.reviewer in last:
                self.last[row_key, event.reviewer] = last[event.reviewer]
            else:
                self.last.pop((row_key, event.reviewer), None)
        self.verdicts[row_key] = row_verdict(history, standing, last)


class EventLog:
    """A file of events, read up to its end and written to its end."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self.threads = RLock()
        self.lock = WriterLock(path)
        self._replay = Replay()
        _check_place(path, read_only=read_only)
        with explained(path):
            self.connection = connect(path, read_only=read_only)
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file and give the lock back."""
        with self.threads:
            # The last to close copies what was written ahead into the file, which is writing too.
            try:
                if not self.read_only:
                    with self.lock.held(0):
                        self.connection.close()
            except OSError:
                pass  # another is at it, and will be the last
            self.connection.close()
            self.lock.close()

    def current(self) -> Replay:
        """What all events amount to, those that others wrote included."""
        with self.threads, explained(self.path):
            self._replay.take_in(read_events(self.connection, self._replay.last_id))
            return self._replay

    @contextmanager
    def writing(self) -> Iterator["Writer"]:
        """Whatever is written in this block is on disk when it ends, all of it or nothing."""
        if self.read_only:
            raise PermissionError(f"{self.path} was opened to be read only.")
        with self.threads, self.lock.held(_SECONDS), explained(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                writer = Writer(self.connection, self.current())
                yield writer
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:  # a full disk has ended it already
                    self.connection.execute("ROLLBACK")
                raise
            self._replay.take_in(writer.new.values())  # nobody else wrote since it began

    def _open(self) -> None:
        if not self.read_only:
            with self.lock.held(_SECONDS), explained(self.path):
                prepare(self.connection)
        self.current()


class Writer:
    """Writes events into the transaction of a block."""

    def __init__(self, connection: sqlite3.Connection, replay: Replay) -> None:
        self._connection = connection
        self.replay = replay  # without what is written in this block
        self.new: dict[str, Event] = {}

    def write(self, event: Event) -> Event:
        """Write an event unless it is known, and return it as it is kept."""
        known = self.replay.by_key.get(event.key) or self.new.get(event.key)
        if known is not None:
            if not event.says_the_same(known):
                raise _conflict(known, event.kind, event.reviewer)
            return known
        signed = event._replace(
            key=event.key or uuid4().hex, at=event.at or time_after(self._latest(event.reviewer))
        )
        kept = signed._replace(id=insert_event(self._connection, signed._replace(id=None)))
        self.new[kept.key] = kept
        return kept

    def reverse(self, kind: str, target: Event | None, key: str | None) -> Event | None:
        """Write the undo or redo of an event; nothing where there is none."""
        return None if target is None else self.write(target.reversed_by(kind, key))

    def repeated(self, kind: str, reviewer: str, key: str | None) -> Event | None:
        """The undo or redo that was written for a request which is now sent again."""
        known = self.replay.by_key.get(key or "")
        if known is not None and (known.kind, known.reviewer) != (kind, reviewer):
            raise _conflict(known, kind, reviewer)
        return known

    def _latest(self, reviewer: str) -> str:
        # Of what is new, the last is the latest, as long as one call writes for one reviewer.
        new = next(reversed(self.new.values())).at if self.new else ""
        return max(new, self.replay.latest_time(reviewer))


def _conflict(known: Event, kind: str, reviewer: str) -> ConflictingEvent:
    return ConflictingEvent(
        f"event {known.key!r} is known as {known.kind!r} by {known.reviewer!r} and now says "
        f"something else ({kind!r} by {reviewer!r})."
    )


def _check_place(path: Path, *, read_only: bool) -> None:
    """Raise a sentence where SQLite would only say that it cannot open the file."""
    if read_only or path.exists():
        with readable(path):
            return
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no folder {path.parent}.")


def _order(event: Event) -> tuple[str, str]:
    return event.order


def _insert(events: list[Event], event: Event) -> None:
    if not events or events[-1].order < event.order:  # nearly always
        events.append(event)
    else:
        insort(events, event, key=_order)


def _remove(events: list[Event], event: Event) -> None:
    del events[bisect_left(events, event.order, key=_order)]
