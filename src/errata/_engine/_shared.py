"""What all parts need, as a file that every process reads once, and how it is written.

Never Dask's ``scatter``: what it sends lives on the workers alone and is lost with them.
"""

import pickle
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .._files import atomic_path

# Those whose version may change a number, or what a pickle means.
_LIBRARIES = ("errata", "numpy", "scikit-learn")
_lock = threading.Lock()
_last: tuple[Path | None, Any] = (None, None)


def get_versions() -> dict[str, str]:
    """The versions that must be the same in all processes."""
    return {library: version(library) for library in _LIBRARIES}


@contextmanager
def write_shared(folder: Path, shared: Any) -> Iterator[Path]:
    """A file of what is shared, under a name that no other call has, removed at the end."""
    path = folder / f"shared-{uuid.uuid4().hex}.pickle"
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        dump(get_versions(), stream)
        dump(shared, stream)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


def load_shared(path: Path) -> Any:
    """What is shared; read by the first that asks in this process, and let go with the next."""
    global _last
    with _lock:
        if _last[0] != path:
            _last = (None, None)  # before the next is read: both may be large
            _last = (path, _read(path))
        return _last[1]


def check_versions(theirs: dict[str, str], ours: dict[str, str], where: str) -> None:
    """Raise when a worker has other versions than the process that started the work."""
    other = [
        f"{name} {ours[name]} instead of {theirs[name]}"
        for name in theirs
        if ours[name] != theirs[name]
    ]
    if other:
        raise ValueError(
            f"{where} has {', '.join(other)}; numbers are the same with the same versions only: "
            "install those of this process on all workers."
        )


def _read(path: Path) -> Any:
    with path.open("rb") as stream:
        # First, as what follows may not even be readable by another version; a worker may have
        # joined after all were asked.
        check_versions(pickle.load(stream), get_versions(), "a worker")
        return pickle.load(stream)


try:  # comes with Dask, and with joblib from 1.6 on
    import cloudpickle
except ImportError:
    cloudpickle = pickle

# Plain pickle would look for the classes of the user's script in the script of a worker.
dump: Callable[[Any, Any], None] = cloudpickle.dump


def pack_call(function: Callable[..., Any], *args: Any) -> bytes:
    """A call that is to be made elsewhere."""
    return cloudpickle.dumps(partial(function, *args))


def make_opener() -> Callable[[bytes], Any]:
    """A function that makes a packed call.

    It is made anew, so that it is sent as code and not by its name: a scheduler looks at the
    functions that it passes on, and need not have errata for that.
    """

    def make_call(call: bytes) -> Any:
        return pickle.loads(call)()

    return make_call
