"""What the names of files say: their format, and the order in which people list them."""

import re
from pathlib import Path
from typing import Any

from .._files import is_packed

TEXT = (".csv", ".tsv", ".txt")
JSON = (".jsonl", ".ndjson")
COLUMNAR = (".parquet", ".feather")
EXCEL = (".xlsx", ".xls", ".ods")
_KNOWN = (*TEXT, *JSON, *COLUMNAR, *EXCEL)


def known_ending(path: Path) -> str:
    """What a table is by its name, compressed or not; raise when the name does not say."""
    if is_table_name(path):
        return _inner(path).suffix.lower()
    known = ", ".join(sorted(_KNOWN))
    raise ValueError(f"{path.name} has no ending that errata knows ({known}; text also with .gz).")


def is_table_name(path: Path) -> bool:
    """Whether the name of a file says that it is a table of a format that errata reads."""
    return _inner(path).suffix.lower() in ((*TEXT, *JSON) if is_packed(path) else _KNOWN)


def ending_of_copy(source: Path) -> str:
    """The format that a table is copied in: its own, or that which replaced it."""
    ending = known_ending(source)
    return ".xlsx" if ending in EXCEL else ending


def natural(path: Path) -> list[Any]:
    """A key to sort names by as people do, numbers in them by what they are worth."""
    return [int(piece) if piece.isdigit() else piece for piece in re.split("([0-9]+)", str(path))]


def _inner(path: Path) -> Path:
    return Path(path.stem) if is_packed(path) else path
