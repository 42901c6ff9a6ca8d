"""The file of decisions: one table of events that only grows, and one writer at a time.

``EventLog`` reads and writes it, and knows what its events amount to.

SQLite has locks of its own, but before 3.51.3 a file that is written ahead can be damaged when one
connection writes in the instant in which another copies what was written into the file
(https://sqlite.org/wal.html#walresetbug). With this lock only one connection ever does either.
"""

import errno
import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import RLock
from uuid import uuid4

from ..._files import readable
from ...exceptions import BeingReviewed, ConflictingEvent
from ._event import Event, format_time
from ._replay import Replay

APPLICATION = 0x65727261  # "erra"
VERSION = 1
WAIT = 5.0  # seconds, for another connection or process to finish

SCHEMA = (
    "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    """
    CREATE TABLE event (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      key TEXT NOT NULL UNIQUE,
      at TEXT NOT NULL, reviewer TEXT NOT NULL CHECK (reviewer <> ''),
      row INTEGER NOT NULL, row_key TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN
        ('suggestion','label','other','ambiguous','unusable','skip','note','undo','redo')),
      class TEXT, undoes INTEGER REFERENCES event(id), batch TEXT,
      note TEXT CHECK (length(note) <= 4000),
      seconds REAL, queue TEXT NOT NULL,
      label TEXT NOT NULL, suggested TEXT NOT NULL, p_wrong REAL NOT NULL, audit TEXT NOT NULL,
      CHECK ((kind IN ('suggestion','label','other')) = (class IS NOT NULL)),
      CHECK ((kind IN ('undo','redo')) = (undoes IS NOT NULL))
    ) STRICT
    """,
    "CREATE INDEX by_row ON event (row_key, reviewer, id)",
    """
    CREATE TRIGGER keep_events BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END
    """,
    """
    CREATE TRIGGER keep_events_2 BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END
    """,
    f"PRAGMA application_id={APPLICATION}",
    f"PRAGMA user_version={VERSION}",
)

_COLUMNS = ", ".join("class" if name == "class_text" else name for name in Event._fields)
_INSERT = f"INSERT INTO event ({_COLUMNS}) VALUES ({', '.join('?' * len(Event._fields))})"
_SELECT = f"SELECT {_COLUMNS} FROM event WHERE id > ? ORDER BY id"

_FAR = 1 << 30  # where Windows locks a byte: a locked one cannot be read, and the holder is to be
_PAUSE = 0.002  # seconds between two attempts
_TICK = timedelta(microseconds=1)


def _open_connection(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """A connection to a file of decisions; raise when the file is something else."""
    try:
        return _connect(path, "mode=ro" if read_only else "mode=rwc", read_only=read_only)
    except sqlite3.OperationalError:
        if not read_only or path.with_name(f"{path.name}-wal").exists():
            raise
        # Beside a file on a disk that can only be read there is no place for what readers share.
        return _connect(path, "mode=ro&immutable=1", read_only=True)


def _connect(path: Path, mode: str, *, read_only: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,  # a lock lets one thread at a time use it
    )
    try:
        connection.execute(f"PRAGMA busy_timeout={WAIT * 1000:.0f}")
        connection.execute("PRAGMA foreign_keys=ON")
        _check_ours(connection, path, read_only=read_only)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables, if there are none, and have every commit reach the disk."""
    use_journal(connection)
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("BEGIN IMMEDIATE")  # also finds out whether the file can be written at all
    for statement in SCHEMA if _is_empty(connection) else ():
        connection.execute(statement)
    connection.execute("COMMIT")


def use_journal(connection: sqlite3.Connection) -> str:
    """Write ahead, or the old way on a file system that refuses; what is kept is the same."""
    mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
    if mode != "wal":
        mode = connection.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
    return mode


def _is_empty(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def _check_ours(connection: sqlite3.Connection, path: Path, *, read_only: bool) -> None:
    if _is_empty(connection) and not read_only:
        return  # to be filled now
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION:
        raise ValueError(f"{path} is a database, but not one of decisions; name another file.")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise ValueError(
            f"{path} was written by a newer errata, in version {version} of the format, and this "
            f"one reads version {VERSION}; update errata."
        )


class WriterLock:
    """The right to write a file, held for a moment or for as long as a server runs."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.beside = path.with_name(f"{path.name}.lock")
        self._file: int | None = None
        self._kept = False

    @contextmanager
    def held(self, wait: float) -> Iterator[None]:
        """Hold the lock for a block, unless it is kept anyway."""
        if self._kept:
            yield
            return
        self._take(wait)
        try:
            yield
        finally:
            self._let_go()

    def keep(self, address: str, wait: float) -> None:
        """Hold the lock until :meth:`close`, and tell others who holds it."""
        self._take(wait)
        self._kept = True
        self._sign({"process": os.getpid(), "address": address})

    def close(self) -> None:
        """Give the lock back, for good."""
        if self._kept:
            self._sign(None)
            self._let_go()
        self._kept = False
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _take(self, wait: float) -> None:
        until = time.monotonic() + wait
        while not _try_lock(self._open_file()):
            if time.monotonic() > until:
                raise BeingReviewed(self._describe_holder())
            time.sleep(_PAUSE)
        if os.fstat(self._open_file()).st_size:
            self._sign(None)  # its holder was killed

    def _let_go(self) -> None:
        _unlock(self._open_file())

    def _open_file(self) -> int:
        if self._file is None:
            try:
                self._file = os.open(self.beside, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError as error:
                raise OSError(f"cannot write beside {self.path}: {error.strerror}.") from error
        return self._file

    def _sign(self, holder: dict[str, object] | None) -> None:
        os.ftruncate(self._open_file(), 0)
        if holder is not None:
            os.lseek(self._open_file(), 0, os.SEEK_SET)
            os.write(self._open_file(), json.dumps(holder).encode())

    def _describe_holder(self) -> str:
        try:
            holder = json.loads(self.beside.read_text(encoding="utf-8"))
            who = f"reviewed already, by process {holder['process']} at {holder['address']}"
        except (OSError, ValueError, KeyError, TypeError):
            who = "written by another process"
        return f"{self.path} is being {who}; go on there, or stop it first."


if sys.platform == "win32":  # pragma: no cover
    import msvcrt

    def _try_lock(file: int) -> bool:
        os.lseek(file, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: int) -> None:
        os.lseek(file, _FAR, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


@contextmanager
def explain_errors(path: Path) -> Iterator[None]:
    """Raise a sentence about ``path`` instead of an error of SQLite."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise ValueError(f"{path} does not take this event: {error}.") from error
    except sqlite3.Error as error:
        raise _make_error(path, error) from error


def _make_error(path: Path, error: sqlite3.Error) -> Exception:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the rest says more than we need
    if code == sqlite3.SQLITE_FULL:
        return OSError(errno.ENOSPC, f"cannot write {path}: no space is left on the disk.")
    if code == sqlite3.SQLITE_READONLY:
        return PermissionError(f"cannot write {path}: it can only be read.")
    if code == sqlite3.SQLITE_CANTOPEN:
        return PermissionError(f"cannot open {path}: it, or its folder, is closed to you.")
    if code == sqlite3.SQLITE_BUSY:
        return OSError(f"cannot write {path}: another program keeps it busy; try again.")
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return ValueError(f"{path} is not a file of decisions, or is damaged ({error}).")
    return OSError(f"{path} cannot be used: {error}.")


class EventLog:
    """A file of events, read up to its end and written to its end."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self.threads = RLock()
        self.lock = WriterLock(path)
        self._replay = Replay()
        _check_place(path, read_only=read_only)
        with explain_errors(path):
            self.connection = _open_connection(path, read_only=read_only)
        try:
            if not read_only:
                with self.lock.held(WAIT), explain_errors(path):
                    _prepare(self.connection)
            self.current()
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
        """The state after all events, those that others wrote included."""
        with self.threads, explain_errors(self.path):
            found = self.connection.execute(_SELECT, (self._replay.last_id,))
            self._replay.take_in(map(Event._make, found))
            return self._replay

    @contextmanager
    def writing(self) -> Iterator["Writer"]:
        """Whatever is written in this block is on disk when it ends, all of it or nothing."""
        if self.read_only:
            raise PermissionError(f"{self.path} was opened to be read only.")
        with self.threads, self.lock.held(WAIT), explain_errors(self.path):
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
                raise _make_conflict(known, event.kind, event.reviewer)
            return known
        signed = event._replace(
            key=event.key or uuid4().hex, at=event.at or time_after(self._latest(event.reviewer))
        )
        inserted = self._connection.execute(_INSERT, signed._replace(id=None))
        kept = signed._replace(id=inserted.lastrowid)
        self.new[kept.key] = kept
        return kept

    def reverse(self, kind: str, target: Event | None, key: str | None) -> Event | None:
        """Write the undo or redo of an event; nothing where there is none."""
        return None if target is None else self.write(target.reversed_by(kind, key))

    def repeated(self, kind: str, reviewer: str, key: str | None) -> Event | None:
        """The undo or redo that was written for a request which is now sent again."""
        known = self.replay.by_key.get(key or "")
        if known is not None and (known.kind, known.reviewer) != (kind, reviewer):
            raise _make_conflict(known, kind, reviewer)
        return known

    def _latest(self, reviewer: str) -> str:
        # Of what is new, the last is the latest, as long as one call writes for one reviewer.
        new = next(reversed(self.new.values())).at if self.new else ""
        return max(new, self.replay.latest_time(reviewer))


def _make_conflict(known: Event, kind: str, reviewer: str) -> ConflictingEvent:
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


def time_after(last: str) -> str:
    """Now; or a tick after ``last`` where the clock stands still, or is behind that of another.

    Two machines may disagree about the time, but what a person says later must count as later.

    Examples
    --------
    >>> time_after("2999-01-01T00:00:00.000000Z")
    '2999-01-01T00:00:00.000001Z'
    """
    now = format_time(datetime.now(UTC))
    return now if now > last else format_time(datetime.fromisoformat(last) + _TICK)
