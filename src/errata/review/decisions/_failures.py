"""What SQLite says when something goes wrong, in a sentence that names the file."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raise a sentence about ``path`` instead of an error of SQLite."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise ValueError(f"{path} does not take this event: {error}.") from error
    except sqlite3.Error as error:
        raise _failure(path, error) from error


def _failure(path: Path, error: sqlite3.Error) -> Exception:
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
