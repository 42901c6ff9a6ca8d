"""Names beside a table, be it a file, a folder of files, or a pattern that stands for some."""

import os
import re
from glob import has_magic
from pathlib import Path

from .._format import listed, plural
from ._folder import beside


def is_pattern(table: Path) -> bool:
    """Whether it stands for several files; a file may have stars in its name, too."""
    from ..tables import _sources_paths  # here, as it brings NumPy

    return _sources_paths.is_pattern(table)


def holds_pictures(table: Path) -> bool:
    """Whether it is a folder with a folder of pictures for each class."""
    from ..tables._picture_folder import is_picture_folder  # here, as it brings NumPy

    return is_picture_folder(table)


def passed_over_note(table: Path) -> list[str]:
    """A sentence about files of a folder of pictures that are not looked at, if there are any."""
    from ..tables._picture_folder import passed_over

    names = passed_over(table) if table.is_dir() else []
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
