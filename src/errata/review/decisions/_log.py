"""Events on disk, and what they amount to: one transaction for whatever is said at once."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from uuid import uuid4

from ..._files import readable
from ...exceptions import ConflictingEvent
from ._clock import time_after
from ._event import Event
from ._failures import explained
from ._lock import WriterLock
from ._replay import Replay
from ._schema import WAIT, connect, insert_event, prepare, read_events

_SECONDS = WAIT / 1000  # to wait for another process that writes


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
            self.current()

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
