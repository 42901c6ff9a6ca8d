"""Files: a clear sentence when one cannot be read, all or nothing when one is written."""

import errno
import gzip
import os
import platform
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from glob import has_magic
from hashlib import blake2b
from pathlib import Path
from typing import IO

from ._format import similar

_APPEARED = "{} appeared while it was being made, and stays as it is; choose another name."

_NAME = re.compile(r"\.errata-(?P<pid>[1-9]\d*)-(?P<machine>[0-9a-f]{12})-[a-z0-9_]{8}(\..*)?")
_PARTS = {"new", "old"}  # all that a temporary folder of errata holds
SET_ASIDE = "old"
DATABASE = "duckdb:"  # before the name of a file that is one
FITS = 1 / 8  # of this machine's memory: a file as large as this may become larger than it all


def find_database(name: object) -> Path | None:
    """The file of a database that is named as in ``duckdb:shop.db``; None for anything else.

    >>> find_database("duckdb:shop.db").name, find_database("shop.csv")
    ('shop.db', None)
    """
    text = str(name)
    return Path(text.removeprefix(DATABASE)) if text.startswith(DATABASE) else None


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
        handle, name = tempfile.mkstemp(ending, make_temporary_prefix(), path.parent)
    except OSError as error:
        explain_closed(path, error)
        raise
    os.close(handle)
    temporary = Path(name)
    try:
        with _explain_full_disk(path):
            yield temporary
        temporary.chmod(
            0o666 & ~_read_umask()
        )  # mkstemp makes files that only their owner can read
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(
    path: str | os.PathLike, *, force: bool = False, private: bool = False
) -> Iterator[Path]:
    """Yield the name of a folder to make; it becomes ``path`` when the block succeeds.

    When the block fails, what was made goes and whatever ``path`` held before stays. So does, but
    for ``force``, what appears there meanwhile: another process may have been quicker. With
    ``private``, only the owner may read what was made.

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
    replace = force or path.exists()
    try:
        workshop = Path(tempfile.mkdtemp(dir=path.parent, prefix=make_temporary_prefix()))
    except OSError as error:
        explain_closed(path, error)
        raise
    new = workshop / "new"
    old = workshop / SET_ASIDE
    try:
        with _explain_full_disk(path):
            yield new
        if private:
            _close_to_others(new)
        _put_in_place(new, path, old, replace)
    finally:
        if path.exists() or not old.exists():  # never remove what could not be put back
            shutil.rmtree(workshop, ignore_errors=True)


def explain_closed(path: Path, error: OSError) -> None:
    """Raise a sentence instead, where nobody may write: the system would name a temporary file."""
    if error.errno == errno.EROFS:
        raise OSError(f"cannot write {path}: its disk can only be read.") from error
    if isinstance(error, PermissionError):
        raise PermissionError(f"cannot write {path}: its folder is closed to you.") from error
    if isinstance(error, FileNotFoundError):  # the folder is there, but none of a disk
        raise OSError(f"cannot write {path}: {path.parent} takes no files or folders.") from error


@contextmanager
def _explain_full_disk(path: Path) -> Iterator[None]:
    """Name the file when the disk is full: the system would name a temporary one that has gone."""
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        full = f"cannot write {path}: no space is left on the disk."
        raise OSError(errno.ENOSPC, full) from error


def _close_to_others(folder: Path) -> None:
    folder.chmod(0o700)
    for path in folder.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)


def _put_in_place(new: Path, path: Path, old: Path, replace: bool) -> None:
    if path.exists() and not replace:
        raise FileExistsError(_APPEARED.format(path))
    if not path.exists():
        try:
            new.rename(path)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):  # within the last microseconds
                raise FileExistsError(_APPEARED.format(path)) from error
            raise
        return
    path.rename(old)
    try:
        new.rename(path)
    except BaseException:
        old.rename(path)
        raise


def is_path(thing: object) -> bool:
    """Whether it is a path, as text or as an object."""
    return isinstance(thing, str | os.PathLike)


def is_pattern(path: str | os.PathLike) -> bool:
    """Whether a path stands for several by the characters in it, and is not there itself."""
    return has_magic(os.fspath(path)) and not os.path.lexists(path)


def fits_into_memory(path: Path) -> bool:
    """Whether what a file becomes when it is read fits, as far as the system tells."""
    with suppress(AttributeError, ValueError, OSError):
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return path.stat().st_size <= FITS * memory
    return True


def say_missing(path: Path, hint: str = ".") -> str:
    """A sentence about a path where nothing is: names beside it that look like it, or a hint.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "train.csv").touch()
    ...     say_missing(Path(folder, "trian.csv")).removeprefix(folder)
    "/trian.csv does not exist; did you mean 'train.csv'?"
    """
    beside: list[Path] = []
    with suppress(OSError):  # no such folder, or one that may not be read
        beside = sorted(path.parent.iterdir(), key=lambda other: other.suffix == path.suffix)
    names = {other.stem: other.name for other in beside}  # an ending alone makes none similar
    near = [names[stem] for stem in similar(path.stem, names)]
    end = f"; did you mean {' or '.join(map(repr, near))}?" if near else hint
    return f"{path} does not exist{end}"


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
        raise FileNotFoundError(say_missing(path))
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


def open_text(path: Path, mode: str, encoding: str) -> IO[str]:
    """Open a text file, compressed when its name says so, leaving line ends as they are."""
    opener: Callable[..., IO[str]] = gzip.open if is_packed(path) else open
    return opener(path, f"{mode}t", encoding=encoding, newline="")


def is_packed(path: Path) -> bool:
    """Whether the name says that the file is compressed."""
    return path.suffix.lower() == ".gz"


def _read_umask() -> int:
    mask = os.umask(0)  # the only way to read it is to set it
    os.umask(mask)
    return mask


def places_of(named: Path, folder: Path) -> tuple[Path, Path]:
    """Where a file may be that a folder names: there, or beside the folder if both have moved.

    >>> [str(place) for place in places_of(Path("/old/train.csv"), Path("/new/train.audit"))]
    ['/old/train.csv', '/new/train.csv']
    """
    return named, folder.resolve().parent / named.name


def make_temporary_prefix() -> str:
    """The beginning of the name of a temporary file or folder of this process.

    Examples
    --------
    >>> make_temporary_prefix().startswith(f".errata-{os.getpid()}-")
    True
    """
    return f".errata-{os.getpid()}-{_identify_machine()}-"


def name_beside(table: Path, addition: str, *, ending: str | None = None) -> Path:
    """A name beside a table, with its ending unless another is given.

    >>> name_beside(Path("train.csv.gz"), ".clean").name
    'train.clean.csv.gz'
    >>> name_beside(Path("train.csv.gz"), ".audit", ending="").name
    'train.audit'
    """
    packed = ".gz" if table.suffix.lower() == ".gz" else ""
    inner = Path(table.name[: len(table.name) - len(packed)])
    kept = inner.suffix + table.suffix * bool(packed) if ending is None else ending
    return table.with_name(f"{inner.stem}{addition}{kept}")


def remove_litter(folder: Path) -> tuple[list[Path], list[Path]]:
    """Remove what processes of errata left in a folder when they were killed.

    Return what was removed, and what was left as it holds something that was being replaced.

    Only what bears a name of errata's, belongs to this user and was made on this machine by a
    process that is gone; never a table or an audit that was about to be replaced.
    """
    litter = [path for path in sorted(folder.glob(".errata-*")) if _is_litter(path)]
    left = [path for path in litter if (path / SET_ASIDE).exists()]
    removed = [path for path in litter if path not in left and _remove(path)]
    return removed, left


def _is_litter(path: Path) -> bool:
    found = _NAME.fullmatch(path.name)
    if found is None or found["machine"] != _identify_machine() or _is_running(int(found["pid"])):
        return False
    try:
        if path.is_symlink() or path.lstat().st_uid != os.getuid():
            return False
        return path.is_file() or (path.is_dir() and set(os.listdir(path)) <= _PARTS)
    except OSError:  # closed to us, or gone by now
        return False


def _is_running(pid: int) -> bool:
    if os.name == "nt":  # where asking would end the process; what is left there stays
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):  # it is another user's; it is no process at all
        return True
    return True


def _remove(path: Path) -> bool:
    """Whether it has gone; somebody else may be sweeping, too."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
    return not path.exists()


@cache
def _identify_machine() -> str:
    """Where process numbers mean what they mean here: this host, this container."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:  # not Linux
        space = ""
    return blake2b(f"{platform.node()} {space}".encode(), digest_size=6).hexdigest()
