"""Files: a clear sentence when one cannot be read, all or nothing when one is written."""

import errno
import gzip
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ._litter import SET_ASIDE, temporary_prefix


@contextmanager
def atomic_path(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary name beside ``path`` and rename it to ``path`` when the block succeeds.

    When the block fails, the temporary file goes and whatever ``path`` held before stays.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_path(f"{folder}/result.txt") as temporary:
    ...         _ = temporary.write_text("done")
    ...     Path(folder, "result.txt").read_text()
    'done'
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no folder {path.parent}.")
    # Suffixes are kept, as writers take the format (and compression) from them.
    ending = "".join(path.suffixes)
    try:
        handle, name = tempfile.mkstemp(ending, temporary_prefix(), path.parent)
    except OSError as error:
        _explain_closed(path, error)
        raise
    os.close(handle)
    temporary = Path(name)
    try:
        with _room_for(path):
            yield temporary
        temporary.chmod(0o666 & ~_umask())  # mkstemp makes files that only their owner can read
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: str | os.PathLike) -> Iterator[Path]:
    """Yield the name of a folder to make; it becomes ``path`` when the block succeeds.

    When the block fails, what was made goes and whatever ``path`` held before stays.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_folder(f"{folder}/results") as temporary:
    ...         temporary.mkdir()
    ...     Path(folder, "results").is_dir()
    True
    """
    path = Path(path)
    try:
        workshop = Path(tempfile.mkdtemp(dir=path.parent, prefix=temporary_prefix()))
    except OSError as error:
        _explain_closed(path, error)
        raise
    new, old = workshop / "new", workshop / SET_ASIDE
    try:
        with _room_for(path):
            yield new
        _put_in_place(new, path, old)
    finally:
        if path.exists() or not old.exists():  # never remove what could not be put back
            shutil.rmtree(workshop, ignore_errors=True)


def _explain_closed(path: Path, error: OSError) -> None:
    """Raise a sentence instead, where nobody may write: the system would name a temporary file."""
    if error.errno == errno.EROFS:
        raise OSError(f"cannot write {path}: its disk can only be read.") from error
    if isinstance(error, PermissionError):
        raise PermissionError(f"cannot write {path}: its folder is closed to you.") from error


@contextmanager
def _room_for(path: Path) -> Iterator[None]:
    """Name the file when the disk is full: the system would name a temporary one that has gone."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        full = f"cannot write {path}: no space is left on the disk."
        raise OSError(errno.ENOSPC, full) from error


def _put_in_place(new: Path, path: Path, old: Path) -> None:
    if not path.exists():
        new.rename(path)
        return
    path.rename(old)
    try:
        new.rename(path)
    except BaseException:
        old.rename(path)
        raise


@contextmanager
def readable(path: str | os.PathLike) -> Iterator[Path]:
    """Turn whatever goes wrong while reading ``path`` into one sentence that names it.

    Examples
    --------
    >>> with readable("no-such-file.csv"):
    ...     pass
    Traceback (most recent call last):
    FileNotFoundError: no-such-file.csv does not exist.
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give a file.")
    try:
        yield path
    except PermissionError as error:
        raise PermissionError(f"{path} may not be read with your permissions.") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise ValueError(f"{path} is not a whole gzip file ({error}).") from error
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} starts as {error.encoding} text, but does not go on so."
        ) from error


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file to read its bytes, unpacked when its name says it is compressed."""
    return gzip.open(path, "rb") if is_packed(path) else path.open("rb")  # type: ignore[return-value]


def open_text(path: Path, mode: str, encoding: str) -> IO[str]:
    """Open a text file, compressed when its name says so, leaving line ends as they are."""
    opener: Callable[..., IO[str]] = gzip.open if is_packed(path) else open
    return opener(path, f"{mode}t", encoding=encoding, newline="")


def is_packed(path: Path) -> bool:
    """Whether the name says that the file is compressed."""
    return path.suffix.lower() == ".gz"


def _umask() -> int:
    mask = os.umask(0)  # the only way to read it is to set it
    os.umask(mask)
    return mask


def places_of(named: Path, folder: Path) -> tuple[Path, Path]:
    """Where a file may be that a folder names: there, or beside the folder if both have moved.

    >>> [str(place) for place in places_of(Path("/old/train.csv"), Path("/new/train.audit"))]
    ['/old/train.csv', '/new/train.csv']
    """
    return named, folder.resolve().parent / named.name
