"""The file: one table of events that only grows, and what makes a file ours."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ._event import Event

APPLICATION = 0x65727261  # "erra"
VERSION = 1
WAIT = 5000  # milliseconds, for another connection to finish

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


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
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
        connection.execute(f"PRAGMA busy_timeout={WAIT}")
        connection.execute("PRAGMA foreign_keys=ON")
        _check_ours(connection, path, read_only=read_only)
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(connection: sqlite3.Connection) -> None:
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


def insert_event(connection: sqlite3.Connection, event: Event) -> int:
    """Write an event and return its number."""
    number = connection.execute(_INSERT, event).lastrowid
    assert number is not None
    return number


def read_events(connection: sqlite3.Connection, after: int) -> Iterator[Event]:
    """The events with a number above ``after``, in the order of their numbers."""
    return map(Event._make, connection.execute(_SELECT, (after,)))


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
