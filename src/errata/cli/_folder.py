"""Where things go: names beside a table, the folder of an audit, and tables in several files."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob, has_magic
from os.path import commonpath
from pathlib import Path
from typing import Any

import errata

from .._files import SET_ASIDE, atomic_folder, places_of, remove_litter
from .._format import listed, plural
from ._console import say


@contextmanager
def new_folder(out: Path, *, force: bool) -> Iterator[Path]:
    """Yield the name of a folder to make; it becomes ``out`` when the block succeeds.

    What stands in the way is found out before the block begins, not after minutes of work. An
    audit that is there already gives way with ``force``; any other folder or file never does. The
    table may be confidential: nobody but its owner may read what is in the folder.
    """
    check_place(out, force)
    tidy(out.parent)
    with atomic_folder(out, force=force, private=True) as folder:
        yield folder


def check_place(out: Path, force: bool) -> None:
    """Raise when an audit cannot be written there, before the work begins."""
    if not out.parent.is_dir():
        raise FileNotFoundError(f"cannot write {out}: there is no folder {out.parent}.")
    if not out.exists():
        return
    # --force replaces a whole folder: it must not be one that somebody else filled.
    from ..auditing.results._base import is_audit

    if not is_audit(out):
        raise FileExistsError(f"{out} already exists and is not an audit; choose another --out.")
    if not force:
        raise FileExistsError(
            f"{out} holds an audit already; choose another --out, or replace it with --force."
        )


def tidy(*folders: Path) -> None:
    """Remove what a run that was killed left in folders, and say so."""
    for folder in dict.fromkeys(folders):
        swept = remove_litter(folder)
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
        errata.tables._pictures.check_new_place(table, out)
    elif out.is_dir():
        raise IsADirectoryError(f"{out} is a folder; give the name of a file in it for the table.")
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


def is_pattern(table: Path) -> bool:
    """Whether it stands for several files; a file may have stars in its name, too."""
    from ..tables.stored import _files  # here, as it brings NumPy

    return _files.is_pattern(table)


def holds_pictures(table: Path) -> bool:
    """Whether it is a folder with a folder of pictures for each class."""
    from ..tables._pictures import is_picture_folder  # here, as it brings NumPy

    return is_picture_folder(table)


def passed_over_note(table: Path) -> list[str]:
    """A sentence about files of a folder of pictures that are not looked at, if there are any."""
    from ..tables._pictures import find_other_files

    names = find_other_files(table) if table.is_dir() else []
    files = plural(len(names), "file")
    return [f"Passed over {files} not named as pictures: {listed(names, 5)}."] if names else []


def whole_path(table: Path) -> str:
    """The table for who stands in another folder later."""
    return os.path.abspath(table) if is_pattern(table) else str(table.resolve())


def place_beside(table: Path, addition: str, *, ending: str | None = None) -> Path:
    """A name beside the table; that of several files is a folder, and has no ending.

    >>> place_beside(Path("data/visits-*.csv.gz"), ".audit").as_posix()
    'data/visits.audit'
    >>> place_beside(Path("data/*.csv"), ".clean").as_posix()
    'data.clean'
    >>> place_beside(Path("train.csv.gz"), ".audit", ending="").as_posix()
    'train.audit'
    """
    if not is_pattern(table):
        return _named(table, addition) if table.is_dir() else beside(table, addition, ending=ending)
    above = Path(*(piece for piece in table.parent.parts if not has_magic(piece)))
    stem = re.sub(r"\[[^]]*\]|[*?]", "", table.name.partition(".")[0]).strip("-_ ")
    if stem:
        return above / f"{stem}{addition}"
    return _named(above, addition)


def _named(folder: Path, addition: str) -> Path:
    """The folder itself with another name; "." and ".." have none but where they are."""
    folder = folder if folder.name not in ("", "..") else folder.resolve()
    if not folder.name:
        raise ValueError(f"{folder} has no name to call anything by; say where it goes with --out.")
    return folder.with_name(f"{folder.name}{addition}")


def files_of(table: Path) -> list[Path] | None:
    """The files that a folder or a pattern names; None for a single file, or one of pictures."""
    from ..tables._pictures import is_picture_folder  # here, as they bring NumPy
    from ..tables.stored._files import find_files

    return None if table.is_file() or is_picture_folder(table) else find_files(table)


def audited_table(
    given: Path | None, about: dict[str, Any], folder: Path
) -> tuple[Path, list[Path] | None]:
    """The table of an audit and its files, None for a single one; raise when these are others."""
    audited = about.get("tables") or []
    if given is None and about.get("table") is None and audited:
        return _listed_files([Path(file) for file in audited])
    table = given or find_table(about.get("table"), folder)
    files = files_of(table)
    if files is not None and audited:
        _check_same_files(files, audited)
    return table, files


def _listed_files(files: list[Path]) -> tuple[Path, list[Path] | None]:
    """Files that an audit made in Python has a list of."""
    for file in files:
        if not file.exists():
            raise FileNotFoundError(
                f"{file} was audited and is not there any more; say where the table is with "
                "--table."
            )
    # Called by a pattern, as others may be there, and copies may go beside them.
    return (files[0], None) if len(files) == 1 else (Path(commonpath(files)) / "*", files)


def _check_same_files(files: list[Path], audited: list[str]) -> None:
    from ..tables.stored._files import get_copy_names  # here, as it brings NumPy

    now = dict(zip(get_copy_names(files), files, strict=True))
    then = dict(zip(get_copy_names([Path(file) for file in audited]), audited, strict=True))
    for name, file in then.items():
        if name not in now:
            raise FileNotFoundError(f"{file} was audited and is not there any more.")
    for name, path in now.items():
        if name not in then:
            raise ValueError(f"{path} was not there when the others were audited; audit all again.")


def check_new_folder(table: Path, files: list[Path], out: Path, *, force: bool) -> None:
    """Raise when a folder for copies stands in the way, or in that of the table itself."""
    place = out.resolve()
    over = any(file.resolve().is_relative_to(place) for file in files)
    if over or (table.is_dir() and place.is_relative_to(table.resolve())):
        # Even with --force: the labels that were found wrong would be gone for good.
        raise ValueError(f"{out} is where the table is; choose a folder elsewhere.")
    if not out.parent.is_dir():
        raise FileNotFoundError(f"cannot write {out}: there is no folder {out.parent}.")
    if not out.exists():
        return
    if not force:
        raise ValueError(f"{out} exists already; choose another name, or pass --force.")
    from ..tables.stored._files import get_copy_names  # here, as it brings NumPy

    _check_replaceable(out, {out / name for name in get_copy_names(files)})


def _check_replaceable(out: Path, copies: set[Path]) -> None:
    """Raise when a folder that would be replaced as a whole holds anything else."""
    if not out.is_dir():
        raise ValueError(f"{out} is a file, and the copies go to a folder; choose another name.")
    others = [path.name for path in sorted(out.rglob("*")) if path.is_file() and path not in copies]
    if others:
        raise ValueError(
            f"{out} holds {listed(others, 3)}, which would be lost; choose another folder."
        )
