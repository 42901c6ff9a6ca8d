"""``errata audit --by``: the noise of each annotator, source, month or site."""

from pathlib import Path
from typing import Any

from ._columns import read_column


def add_rates(found: Any, name: str | None, file: Path) -> None:
    """Let summary and report of an audit tell of each value of a column, if one is named."""
    if name is None:
        return
    if found.has_skill:
        found.rates_by(_values_in(file, name), name=name)
    else:
        found.notes.append(f"How noisy each value of {name!r} is cannot be told either.")


def _values_in(file: Path, name: str) -> Any:
    """The column of a file, or of all files of a folder or pattern, in the order of the rows."""
    import numpy as np  # here, as showing the help should not take long

    from ..tables._sources_paths import stored_files

    return np.concatenate([read_column(Path(part), name) for part in stored_files(file)])
