"""Where things go: names beside a table, and what may stand in the way there."""

import re
from glob import glob, has_magic
from pathlib import Path

from .._files import SET_ASIDE, is_pattern, name_beside, places_of, remove_litter
from .._format import plural
from ._console import say


def check_place(out: Path, force: bool) -> None:
    """Raise when an audit cannot be written there, before the work begins."""
    if not out.parent.is_dir():
        raise FileNotFoundError(f"cannot write {out}: there is no folder {out.parent}.")
    if not out.exists():
        return
    # --force replaces a whole folder: it must not be one that somebody else filled.
    from ..audit_folder import is_audit

    if not is_audit(out):
        raise FileExistsError(f"{out} already exists and is not an audit; choose another --out.")
    if not force:
        raise FileExistsError(
            f"{out} holds an audit already; choose another --out, or replace it with --force."
        )


def clean_up(*folders: Path) -> None:
    """Remove what a run that was killed left in folders, and say so."""
    for folder in dict.fromkeys(folders):
        removed, left = remove_litter(folder)
        if removed:
            what = plural(len(removed), "temporary file", "temporary files")
            say(f"Removed from {folder}: {what} of a run that was killed.", err=True)
        for path in left:
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


def name_audit(table: Path, addition: str, *, ending: str | None = None) -> Path:
    """A name beside the table; that of several files is a folder, and has no ending.

    >>> name_audit(Path("data/visits-*.csv.gz"), ".audit").as_posix()
    'data/visits.audit'
    >>> name_audit(Path("data/*.csv"), ".clean").as_posix()
    'data.clean'
    >>> name_audit(Path("train.csv.gz"), ".audit", ending="").as_posix()
    'train.audit'
    """
    if not is_pattern(table):
        return (
            _rename_folder(table, addition)
            if table.is_dir()
            else name_beside(table, addition, ending=ending)
        )
    above = Path(*(piece for piece in table.parent.parts if not has_magic(piece)))
    stem = re.sub(r"\[[^]]*\]|[*?]", "", table.name.partition(".")[0]).strip("-_ ")
    if stem:
        return above / f"{stem}{addition}"
    return _rename_folder(above, addition)


def _rename_folder(folder: Path, addition: str) -> Path:
    """The folder itself with another name; "." and ".." have none but where they are."""
    folder = folder if folder.name not in ("", "..") else folder.resolve()
    if not folder.name:
        raise ValueError(f"{folder} has no name to call anything by; say where it goes with --out.")
    return folder.with_name(f"{folder.name}{addition}")
