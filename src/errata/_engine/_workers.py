"""Can the workers do the work? Asked before it begins."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from .._litter import temporary_prefix
from ._shared import check_versions, versions


class Look(NamedTuple):
    """What a worker says of itself."""

    versions: dict[str, str]
    trouble: str | None  # with the folder


def look(shared: Path) -> Look:
    """Run on a worker: its versions, and whether it sees and may write the folder."""
    return Look(versions(), _trouble(shared))


def check_workers(looks: Mapping[str, Look | Exception], folder: Path) -> None:
    """Raise when a worker is not fit; by its address, what it said or the error instead."""
    for address, seen in looks.items():
        worker = f"worker {address}"
        if isinstance(seen, Exception):
            raise ValueError(
                f"{worker} cannot run errata ({seen}); install the same packages on all workers."
            )
        check_versions(versions(), seen.versions, worker)
        if seen.trouble:
            raise OSError(
                f"{worker} {seen.trouble} {folder}; choose a folder on a disk that all workers "
                "share and may write to."
            )


def _trouble(shared: Path) -> str | None:
    try:
        if not shared.exists():
            return "does not see"
        with tempfile.NamedTemporaryFile(dir=shared.parent, prefix=temporary_prefix()) as file:
            file.write(b"errata")
            file.flush()
    except OSError as error:
        return f"cannot write ({error.strerror or error})"
    return None
