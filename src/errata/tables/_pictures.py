"""Pictures: in the cells of a table, or in a folder with a folder for each class.

A cell is the name of a file, the bytes of one, a picture of Pillow, or what Hugging Face's datasets
store: a mapping with ``bytes`` or ``path``.

Pictures in the folder itself have no label. Names are relative to the folder, so that the table is
the same wherever it lies.
"""

import io
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from .._files import atomic_folder
from .._format import join_names
from .._validation import is_missing
from ._columns import Column, is_pillow_picture
from .formats import _records

ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")
_SIGNATURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM", b"II*\0", b"MM\0*")
_LOOKED_AT = 20  # cells that tell whether a column holds pictures

PICTURE = "picture"
LABEL = "label"
_SPLITS = {"train", "training", "test", "testing", "val", "valid", "validation", "dev"}


def is_picture_name(name: str) -> bool:
    """Whether a name is that of a picture file.

    >>> [is_picture_name(name) for name in ("cat.JPG", "cat.txt")]
    [True, False]
    """
    return name.lower().endswith(ENDINGS)


def has_pictures(column: Column) -> bool:
    """Whether the first cells that are not missing are pictures, or names of picture files."""
    first = column.array(np.arange(min(_LOOKED_AT, len(column.values)))).tolist()
    present = [cell for cell in first if not is_missing(cell, text=True)]
    return bool(present) and all(map(_is_picture, present))


def _is_picture(cell: Any) -> bool:
    if isinstance(cell, str):
        return is_picture_name(cell)
    if isinstance(cell, bytes):
        return cell.startswith(_SIGNATURES)
    if isinstance(cell, Mapping):
        return {"bytes", "path"} >= set(cell) and any(map(_is_picture, filter(None, cell.values())))
    return is_pillow_picture(cell)


def get_picture_name(cell: Any) -> str:
    """The file of a picture; empty for one that has none."""
    named = cell.get("path") if isinstance(cell, Mapping) else cell
    return named if isinstance(named, str) else getattr(cell, "filename", "") or ""


def get_picture_content(cell: Any) -> Any:
    """The bytes of a picture or its path, for Pillow to open."""
    if isinstance(cell, Mapping):
        cell = cell.get("bytes") or cell.get("path")
    if isinstance(cell, str | bytes):
        return cell
    out = io.BytesIO()
    cell.save(out, "PNG")
    return out.getvalue()


def read_pictures(folder: str | os.PathLike) -> Any:
    """The pictures in a folder with a folder for each class, as a table to audit.

    Parameters
    ----------
    folder : path
        Files in ``folder/cat`` and below it have the label ``cat``, those in ``folder`` itself
        none. Only files named as pictures are (.png, .jpg, .jpeg, .gif, .webp, .bmp, .tif, .tiff)
        count; hidden ones do not.

    Returns
    -------
    pyarrow.Table
        A row for each picture, in the natural order of their names: ``picture``, the path of the
        file as it can be opened from here, and ``label``.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from PIL import Image
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("cat/10.png", "cat/9.png", "dog/1.png"):
    ...         Path(folder, name).parent.mkdir(exist_ok=True)
    ...         Image.new("RGB", (8, 8)).save(f"{folder}/{name}")
    ...     table = read_pictures(folder)
    >>> [Path(name).name for name in table["picture"].to_pylist()], table["label"].to_pylist()
    (['9.png', '10.png', '1.png'], ['cat', 'cat', 'dog'])
    """
    return join_picture_paths(read(Path(folder)), Path(folder))


def join_picture_paths(table: Any, folder: Path) -> Any:
    """An Arrow table whose columns of names of pictures say where these are, from here."""
    import pyarrow

    is_text = pyarrow.types.is_string
    for place, field in enumerate(table.schema):
        cells = table.column(place)
        if is_text(field.type) and has_pictures(Column(field.name, field.name, cells)):
            paths = [name and os.path.join(folder, name) for name in cells.to_pylist()]
            table = table.set_column(place, field, [paths])
    return table


def is_picture_folder(folder: Path) -> bool:
    """Whether a folder holds folders with pictures."""
    return folder.is_dir() and any("/" in name for name in iterate_files(folder, is_picture_name))


def read(folder: Path, names: Sequence[str] | None = None) -> Any:
    """The table, with the names of pictures as they are within the folder."""
    tables = [path.name for path in sorted(folder.iterdir()) if _records.is_table_name(path)]
    if tables:
        pattern = folder / f"*{_records.get_ending(Path(tables[0]))}"
        raise ValueError(
            f"{folder} holds folders of pictures and tables ({join_names(tables, 3)}); to audit "
            f'the folders, move the tables elsewhere, and to audit tables, pass "{pattern}".'
        )
    found = sorted(
        iterate_files(folder, is_picture_name), key=lambda name: _records.make_sort_key(Path(name))
    )
    labels = [parts[0] if (parts := PurePosixPath(name).parts)[1:] else None for name in found]
    _check_classes(folder, labels)
    names = [PICTURE, LABEL] if names is None else list(names)
    _records.check_named_once([PICTURE, LABEL], names, folder)
    import pyarrow as arrow

    table = arrow.table({PICTURE: found, LABEL: arrow.array(labels, arrow.string())})
    return table.select(names)


def iterate_files(folder: Path, wanted: Callable[[str], bool]) -> Iterator[str]:
    """Names of files within a folder that are wanted by their last part; hidden ones never are.

    A folder that is a link is looked into at the top only, so that there is an end, and a link that
    leads nowhere is no file.
    """
    for top in sorted(folder.iterdir()):
        if top.name.startswith("."):
            continue
        if not top.is_dir():
            if wanted(top.name) and top.is_file():
                yield top.name
            continue
        for place, folders, files in os.walk(top):
            folders[:] = [name for name in sorted(folders) if not name.startswith(".")]
            for name in files:
                is_wanted = wanted(name) and not name.startswith(".")
                if is_wanted and os.path.isfile(os.path.join(place, name)):
                    yield Path(place, name).relative_to(folder).as_posix()


def _check_classes(folder: Path, labels: list[str | None]) -> None:
    classes = sorted({label for label in labels if label is not None})
    if not classes:
        raise ValueError(
            f"{folder} holds no folder with pictures; put those of each class in a folder of its "
            "own, named as the class is."
        )
    if {name.lower() for name in classes} <= _SPLITS:
        raise ValueError(
            f"{folder} holds {join_names(classes)}, which are no classes; pass one of them, as in "
            f"{folder / classes[0]}."
        )


def check_new_place(source: Path, target: Path) -> None:
    """Raise when pictures cannot be copied there: no folder of pictures is ever replaced."""
    if target.resolve().is_relative_to(source.resolve()):
        raise ValueError(f"{target} is where the pictures are; choose a folder elsewhere.")
    if target.exists():
        raise ValueError(f"{target} exists already, and a folder is not replaced; choose another.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"cannot write {target}: there is no folder {target.parent}.")


def copy(source: Path, target: Path, change: _records.Change) -> None:
    """Copy the pictures that stay into a new folder, each into the folder of its label."""
    check_new_place(source, target)
    table = read(source)
    names, labels = (table[column].to_pylist() for column in (PICTURE, LABEL))
    _records.check_row_count(len(names), change.n_rows, source)
    if change.name not in (None, LABEL):
        raise ValueError(f"{change.name!r} of {source} cannot change; only the labels can.")
    keep, new = change.of(0, labels)
    stay = [row for row, kept in enumerate(keep) if kept]
    new = labels if change.name is None else new
    with atomic_folder(target) as folder:
        folder.mkdir()
        # Those that keep their label first, so that they keep their name.
        for row in sorted(stay, key=lambda row: new[row] != labels[row]):
            place = _find_free_path(folder, names[row], new[row])
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / names[row], place)


def _find_free_path(folder: Path, name: str, label: Any) -> Path:
    """Where a picture goes; two of one name in a folder are told apart by where they were."""
    if label is not None and (str(label) in ("", ".", "..") or PurePosixPath(str(label)).parts[1:]):
        raise ValueError(f"a folder cannot be called {label!r}, so no picture can have this label.")
    first, *inner = PurePosixPath(name).parts
    within = PurePosixPath(*inner) if inner else PurePosixPath(first)
    place = folder.joinpath(*([] if label is None else [str(label)]), within)
    number = 1
    free = place
    while free.exists():
        number += 1
        free = place.with_name(f"{place.stem}-{number}{place.suffix}")
    return free
