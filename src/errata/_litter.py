"""Temporary names that tell whose they are, and what may be swept when a process was killed."""

import os
import platform
import re
import shutil
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

_NAME = re.compile(r"\.errata-(?P<pid>[1-9]\d*)-(?P<machine>[0-9a-f]{12})-[a-z0-9_]{8}(\..*)?")
_PARTS = {"new", "old"}  # all that a temporary folder of errata holds
SET_ASIDE = "old"


class Swept(NamedTuple):
    """What was removed, and what was left as it holds something that was being replaced."""

    removed: list[Path]
    left: list[Path]


def temporary_prefix() -> str:
    """The beginning of the name of a temporary file or folder of this process.

    Examples
    --------
    >>> temporary_prefix().startswith(f".errata-{os.getpid()}-")
    True
    """
    return f".errata-{os.getpid()}-{_machine()}-"


def sweep(folder: Path) -> Swept:
    """Remove what processes of errata left in a folder when they were killed.

    Only what bears a name of errata's, belongs to this user and was made on this machine by a
    process that is gone; never a table or an audit that was about to be replaced.
    """
    litter = [path for path in sorted(folder.glob(".errata-*")) if _is_litter(path)]
    left = [path for path in litter if (path / SET_ASIDE).exists()]
    removed = [path for path in litter if path not in left and _remove(path)]
    return Swept(removed, left)


def _is_litter(path: Path) -> bool:
    found = _NAME.fullmatch(path.name)
    if found is None or found["machine"] != _machine() or _is_running(int(found["pid"])):
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
def _machine() -> str:
    """Where process numbers mean what they mean here: this host, this container."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:  # not Linux
        space = ""
    return blake2b(f"{platform.node()} {space}".encode(), digest_size=6).hexdigest()
