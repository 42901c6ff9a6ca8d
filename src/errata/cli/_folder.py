"""Where things go: names beside a table, and the folder of an audit, all of it or nothing."""

from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob, has_magic
from pathlib import Path

import errata

from .._files import atomic_folder, places_of
from .._format import plural
from .._litter import SET_ASIDE, sweep
from ._console import say


@contextmanager
def new_folder(out: Path, *, force: bool) -> Iterator[Path]:
    """Yield the name of a folder to make; it becomes ``out`` when the block succeeds.

    What stands in the way is found out before the block begins, not after minutes of work. An
    audit that is there already gives way with ``force``; any other folder or file never does.
    """
    check_place(out, force)
    tidy(out.parent)
    with atomic_folder(out) as folder:
        yield folder


def check_place(out: Path, force: bool) -> None:
    """Raise when an audit cannot be written there, before the work begins."""
    if not out.parent.is_dir():
        raise FileNotFoundError(f"cannot write {out}: there is no folder {out.parent}.")
    if not out.exists():
        return
    # --force replaces a whole folder: it must not be one that somebody else filled.
    if not errata.auditing._storage.is_audit(out):
        raise FileExistsError(f"{out} already exists and is not an audit; choose another --out.")
    if not force:
        raise FileExistsError(
            f"{out} holds an audit already; choose another --out, or replace it with --force."
        )


def tidy(*folders: Path) -> None:
    """Remove what a run that was killed left in folders, and say so."""
    for folder in dict.fromkeys(folders):
        swept = sweep(folder)
        if swept.removed:
            what = plural(len(swept.removed), "temporary file", "temporary files")
            say(f"Removed from {folder}: {what} of a run that was killed.", err=True)
        for path in swept.left:
            say(f"{path / SET_ASIDE} is what a run that was killed had set aside.", err=True)


def find_table(table: str | None, folder: Path) -> Path:
    """Where the table of an audit was, or beside the audit when both have moved.

    It may be a folder or a pattern.
    """
    if table is None:
        raise ValueError(f"{folder} does not say what it is an audit of; name the file: --table.")
    there = Path(table)
    for place in places_of(there, folder):
        if place.exists() or (has_magic(str(place)) and glob(str(place), recursive=True)):
            return place
    raise FileNotFoundError(f"{there} is not there any more; say where it is with --table.")


def check_out(table: Path, out: Path, *, force: bool) -> None:
    """Raise when a file to write stands in the way, or is the table itself."""
    # Even with --force: the labels that were found wrong would be gone for good.
    if out.resolve() == table.resolve():
        raise ValueError(f"{out} is the audited table itself; choose another name.")
    if table.is_dir():
        errata.tables._picture_folder.check_new_place(table, out)
    if out.exists() and not force:
        raise ValueError(f"{out} exists already; choose another name, or pass --force.")


def beside(table: Path, addition: str, *, ending: str | None = None) -> Path:
    """A name beside a table, with its ending unless another is given.

    >>> beside(Path("train.csv.gz"), ".clean").name
    'train.clean.csv.gz'
    >>> beside(Path("train.csv.gz"), ".audit", ending="").name
    'train.audit'
    """
    packed = ".gz" if table.suffix.lower() == ".gz" else ""
    inner = Path(table.name[: len(table.name) - len(packed)])
    kept = inner.suffix + table.suffix * bool(packed) if ending is None else ending
    return table.with_name(f"{inner.stem}{addition}{kept}")
