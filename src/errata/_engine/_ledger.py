"""What is finished, on disk: so that work that was stopped or killed goes on where it was."""

import json
import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from .._files import atomic_path, remove_litter
from .._format import join_names, shorten
from ._shared import dump

_FINGERPRINT = "fingerprint.json"


class Ledger:
    """A folder of results, each whole or not there, of one piece of work.

    The folder belongs to the ledger, which removes it when all is done. Results are pickled: a
    folder that others may write to is no place for it.

    Examples
    --------
    >>> import tempfile
    >>> scratch = Path(tempfile.mkdtemp())
    >>> ledger = Ledger.open(scratch / "unfinished", {"rows": 5}, resume=True)
    >>> ledger.kept("sum", lambda: 10)
    10
    >>> again = Ledger.open(scratch / "unfinished", {"rows": 5}, resume=True)
    >>> again.kept("sum", lambda: 1 / 0)  # is there, hence not made again
    10
    >>> again.close()
    >>> scratch.rmdir()
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def open(cls, folder: Path, fingerprint: dict[str, Any], *, resume: bool) -> Self:
        """Begin, or go on with work of the same fingerprint, which is anything JSON can hold.

        Raises
        ------
        ValueError
            When the folder holds the results of something else.
        """
        folder = Path(folder).absolute()  # workers may stand elsewhere
        fingerprint = json.loads(json.dumps(fingerprint, default=str))
        stored = _read_fingerprint(folder)
        if stored is not None and not resume:
            shutil.rmtree(folder)
        elif stored is not None and stored != fingerprint:
            differences = join_names(_find_differences(stored, fingerprint), most=5)
            raise ValueError(
                f"{folder} holds unfinished work on something else: {differences}. "
                "Pass resume=False to start anew."
            )
        folder.mkdir(parents=True, exist_ok=True)
        with atomic_path(folder / _FINGERPRINT) as temporary:
            temporary.write_text(json.dumps(fingerprint, indent=2) + "\n", encoding="utf-8")
        return cls(folder)

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """The result of that name; made now, and kept, unless it is there."""
        is_kept, result = self.recall(name)
        if is_kept:
            return result
        result = make()
        with atomic_path(self._path(name)) as temporary, temporary.open("wb") as stream:
            dump(result, stream)
        return result

    def recall(self, name: str) -> tuple[bool, Any]:
        """Whether the result of that name is there, and the result, which may be None."""
        try:
            with self._path(name).open("rb") as stream:
                return True, pickle.load(stream)
        except (FileNotFoundError, EOFError, pickle.UnpicklingError):
            return False, None  # a machine that stops may leave a file without its content

    def close(self) -> None:
        """Remove the folder: all is done."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.pickle"


def _read_fingerprint(folder: Path) -> Any:
    """The fingerprint of unfinished work, None where there is none."""
    if not folder.exists():
        return None
    remove_litter(folder)
    path = folder / _FINGERPRINT
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    if any(folder.iterdir()):  # it would go with the ledger
        raise ValueError(f"{folder} holds something else; choose a folder that is not there yet.")
    return None


def _find_differences(before: Any, now: Any, name: str = "") -> Iterator[str]:
    """What differs, as deep as it has names."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in before | now:
            if before.get(key) != now.get(key):
                yield from _find_differences(before.get(key), now.get(key), f"{name} {key}".strip())
    elif isinstance(before, list) or isinstance(now, list):
        yield f"other {name}"
    else:
        yield f"{name} was {_format_value(before)}, is {_format_value(now)}"


def _format_value(value: Any) -> str:
    return shorten(json.dumps(value, ensure_ascii=False), 60)
