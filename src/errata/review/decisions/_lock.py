"""One writer at a time: whoever writes holds the lock beside the file, a server while it runs.

SQLite has locks of its own, but before 3.51.3 a file that is written ahead can be damaged when one
connection writes in the instant in which another copies what was written into the file
(https://sqlite.org/wal.html#walresetbug). With this lock only one connection ever does either.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...exceptions import BeingReviewed

_FAR = 1 << 30  # where Windows locks a byte: a locked one cannot be read, and the holder is to be
_PAUSE = 0.002  # seconds between two attempts


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
        while not _try_lock(self._opened()):
            if time.monotonic() > until:
                raise BeingReviewed(self._sentence())
            time.sleep(_PAUSE)
        if os.fstat(self._opened()).st_size:
            self._sign(None)  # its holder was killed

    def _let_go(self) -> None:
        _unlock(self._opened())

    def _opened(self) -> int:
        if self._file is None:
            try:
                self._file = os.open(self.beside, os.O_RDWR | os.O_CREAT, 0o666)
            except OSError as error:
                raise OSError(f"cannot write beside {self.path}: {error.strerror}.") from error
        return self._file

    def _sign(self, holder: dict[str, object] | None) -> None:
        os.ftruncate(self._opened(), 0)
        if holder is not None:
            os.lseek(self._opened(), 0, os.SEEK_SET)
            os.write(self._opened(), json.dumps(holder).encode())

    def _sentence(self) -> str:
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
