"""Cleaning a table whose rows are known by their places: in several files, or larger than memory.

All is done in one pass, some rows at a time; nothing appears when a label is not as audited.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import errata

from .._files import atomic_folder, atomic_path
from .._format import count, plural
from ._cleaned import NOTHING, Counts, beside_table, counts_of, new_cells
from ._columns import blanks_as_none
from ._console import say
from ._matching import check_as_audited


def clean_by_place(
    audit: Any, table: Path, files: list[Path] | None, out: Path, cleaning: dict[str, Any]
) -> Counts:
    """Copy a file, or several into a new folder, as an audit says; give what was done."""
    from ..tables._sources_copies import copy_file, copy_files  # here, as they bring NumPy

    label, rewriting = audit.about["label"], _Rewriting(audit, table, cleaning)
    if files is None:
        errata.tables._table.check_same_format(table, out)
        with atomic_path(out) as temporary:
            rewriting.end(copy_file(table, temporary, label, rewriting.rewrite))
    else:
        with atomic_folder(out) as folder:
            rewriting.end(copy_files(files, folder, label, rewriting.rewrite))
    say(
        f"Rows of {table} are known by their places, and have the labels that were audited; if "
        "they were sorted since, audit them again.",
        err=True,
    )
    return rewriting.counts


class _Rewriting:
    """Says which rows stay and what their labels become, and counts what was done."""

    def __init__(self, audit: Any, table: Path, cleaning: dict[str, Any]) -> None:
        self.counts = NOTHING
        self._audit, self._table, self._threshold = audit, table, cleaning["threshold"]
        self._clean = _cleaner(audit, cleaning)

    def rewrite(self, place: Any, cells: list[Any]) -> tuple[Any, list[Any]]:
        """What becomes of some rows of a file."""
        rows = slice(place.rows_before, place.rows_before + len(cells))
        if rows.stop > len(self._audit):
            raise ValueError(
                f"{self._table} has more rows than the {count(len(self._audit))} that were "
                "audited; audit it again."
            )
        audited = errata.auditing._stored_rows.columns_of_rows(vars(self._audit), rows)
        then, here = audited["label"].tolist(), list(range(len(cells)))
        check_as_audited(
            *(place.file, blanks_as_none(cells), then),
            range(place.row, place.row + len(cells)),
        )
        cleaned = beside_table(self._clean(rows), cells, here)
        labelled = errata.auditing._labels.has_label(audited["label"])
        counts = counts_of(cleaned, audited["p_wrong"], labelled, self._threshold)
        self.counts = self.counts.plus(counts)
        return cleaned.kept, new_cells(cleaned, cells, here)

    def end(self, n_rows: int) -> None:
        """Raise when there were fewer rows than in the audit."""
        if n_rows != len(self._audit):
            raise ValueError(
                f"{self._table} has {plural(n_rows, 'row')}, but {count(len(self._audit))} were "
                "audited; audit it again."
            )


def _cleaner(audit: Any, cleaning: dict[str, Any]) -> Callable[[slice], Any]:
    """What becomes of some rows; where they are on disk, of no more than these at a time."""
    if audit.stored is not None and cleaning["decisions"] is None:
        by_probability = {k: cleaning[k] for k in ("action", "threshold", "sure", "unsure")}
        return lambda rows: audit.clean_rows(rows.start, rows.stop, **by_probability)
    cleaned = audit.clean(**cleaning)
    return lambda rows: type(cleaned)(*(column[rows] for column in cleaned))
