"""A table in several files, named by a folder or a pattern, and a folder for copies of them."""

from os.path import commonpath
from pathlib import Path
from typing import Any

from .._format import listed
from ._folder import find_table


def files_of(table: Path) -> list[Path] | None:
    """The files that a folder or a pattern names; None for a single file, or one of pictures."""
    from ..tables._picture_folder import is_picture_folder  # here, as they bring NumPy
    from ..tables._sources_paths import stored_files

    return None if table.is_file() or is_picture_folder(table) else stored_files(table)


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
    from ..tables._sources_copies import copied_names  # here, as it brings NumPy

    now = dict(zip(copied_names(files), files, strict=True))
    then = dict(zip(copied_names([Path(file) for file in audited]), audited, strict=True))
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
    from ..tables._sources_copies import copied_names  # here, as it brings NumPy

    _check_replaceable(out, {out / name for name in copied_names(files)})


def _check_replaceable(out: Path, copies: set[Path]) -> None:
    """Raise when a folder that would be replaced as a whole holds anything else."""
    if not out.is_dir():
        raise ValueError(f"{out} is a file, and the copies go to a folder; choose another name.")
    others = [path.name for path in sorted(out.rglob("*")) if path.is_file() and path not in copies]
    if others:
        raise ValueError(
            f"{out} holds {listed(others, 3)}, which would be lost; choose another folder."
        )
