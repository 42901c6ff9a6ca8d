"""The files that a path, a pattern or a list of both names, in the order of their rows."""

import os
from collections.abc import Iterable, Iterator
from glob import glob, has_magic
from pathlib import Path
from typing import Any

from .._format import listed
from ._file_names import is_table_name, known_ending, natural
from ._picture_folder import is_picture_folder


def is_path(thing: Any) -> bool:
    """Whether it is a path, as text or as an object."""
    return isinstance(thing, str | os.PathLike)


def is_pattern(path: Any) -> bool:
    """Whether a path stands for several by the characters in it, and is not there itself."""
    return has_magic(os.fspath(path)) and not os.path.lexists(path)


def names_tables(thing: Any) -> bool:
    """Whether it is a path or a list of them; a list of other texts is a column."""
    if is_path(thing):
        return True
    several = isinstance(thing, list | tuple) and bool(thing) and all(map(is_path, thing))
    return several and any(map(_looks_like_a_path, thing))


def stored_files(paths: Any) -> list[Path]:
    """The files of a path, a pattern or a list: those of a folder in the natural order of names.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for number in (10, 9, 1):
    ...         Path(folder, f"part-{number}.csv").touch()
    ...     Path(folder, "_SUCCESS").touch()
    ...     [path.name for path in stored_files(folder)]
    ['part-1.csv', 'part-9.csv', 'part-10.csv']
    """
    several = [paths] if is_path(paths) else list(paths)
    return [file for path in several for file in _files(os.fspath(path))]


def file_facts(files: Iterable[Path]) -> dict[str, Any]:
    """What tells files from others, and from what they were before they changed."""
    files = list(files)
    return {
        "files": [str(file.resolve()) for file in files],
        "sizes": [file.stat().st_size for file in files],
        "changed": [file.stat().st_mtime_ns for file in files],
    }


def _looks_like_a_path(path: Any) -> bool:
    if not isinstance(path, str):
        return True
    return is_table_name(Path(path)) or has_magic(path) or os.path.isdir(path)


def _files(path: str) -> Iterator[Path]:
    found = Path(path)
    if not is_pattern(path):
        yield from _files_of_folder(found) if found.is_dir() else [_checked(found)]
        return
    matches = sorted(map(Path, glob(path, recursive=True)), key=natural)
    matches = [match for match in matches if not _is_hidden(match)]
    if not matches:
        raise FileNotFoundError(f"no file matches {path}; check the pattern and the folder.")
    for match in matches:
        yield from _files_of_folder(match) if match.is_dir() else [_checked(match)]


def _checked(file: Path) -> Path:
    if not file.exists():
        raise FileNotFoundError(f"{file} does not exist.")
    known_ending(file)
    return file


def _files_of_folder(folder: Path) -> list[Path]:
    """The tables in a folder, all of one format: what is something else is not passed over."""
    try:
        within = sorted((path for path in folder.iterdir() if not _is_hidden(path)), key=natural)
    except PermissionError as error:
        raise PermissionError(f"{folder} may not be read with your permissions.") from error
    _refuse_folders(folder, [path for path in within if path.is_dir()])
    odd = [path.name for path in within if not is_table_name(path)]
    if odd:
        raise ValueError(
            f"{folder} holds {listed(odd, 3)} besides tables; say which files you mean by a "
            f'pattern, such as "{folder / "*.parquet"}".'
        )
    if not within:
        raise FileNotFoundError(f"{folder} holds no table.")
    endings = sorted({known_ending(path) for path in within})
    if len(endings) > 1:
        raise ValueError(
            f"{folder} holds files of several formats ({listed(endings)}); say which you mean by "
            f'a pattern, such as "{folder / ("*" + endings[0])}".'
        )
    return within


def _refuse_folders(folder: Path, within: list[Path]) -> None:
    if not within:
        return
    if is_picture_folder(folder):
        raise ValueError(
            f"{folder} holds pictures, which are not read in parts; pass "
            f"errata.tables.read_pictures({str(folder)!r}), whose labels are in the column 'label'."
        )
    first, pattern = within[0], f'"{folder / "**" / "*.parquet"}"'
    if "=" in first.name:
        raise ValueError(
            f"{folder} holds folders such as {first.name}, whose names some tools take for "
            "columns; to have these columns, pass pyarrow.dataset.dataset(..., "
            f'partitioning="hive"), and to leave them out, a pattern such as {pattern}.'
        )
    raise ValueError(
        f"{folder} holds a folder, {first.name}; say which files you mean by a pattern, "
        f"such as {pattern}."
    )


def _is_hidden(path: Path) -> bool:
    """Whether it is no data by its name: .part.crc, _SUCCESS, _metadata."""
    unnamed = path.name.startswith("_") and not path.is_dir() and not is_table_name(path)
    return path.name.startswith(".") or unnamed
