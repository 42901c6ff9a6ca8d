"""Cleaning a file of numbers: the rows of an audit found again, and what is written there."""

from pathlib import Path
from typing import Any

import numpy as np

from ...tables import copy_with_rows, read_table
from ...tables._columns import column_array
from ...tables.stored._files import check_new_file
from ..results._file_cleaning import (
    CleanedFile,
    check_count,
    count_rows,
    describe_decided,
    describe_new_rows,
    describe_outcome,
    describe_places,
    find_rows,
    finish,
)
from ._inputs import read_targets, written_cells


def clean_target_file(
    audit: Any, table: Any, out: Path, cleaning: dict[str, Any], *, force: bool
) -> CleanedFile:
    """See :meth:`errata.Audit.clean_file`; ``cleaning`` is for ``clean``."""
    target = audit.about.get("target")
    if target is None:
        raise ValueError("this is an audit of targets that are not a column of a table.")
    table = Path(table)
    check_new_file(table, out, force=force)
    notes: list[str] = []
    cautions: list[str] = []
    rows = None if audit.digests is None else find_rows(table, audit, notes)
    column = read_table(table, [target])
    now = read_targets(column, target).targets
    if rows is None:
        check_count(table, len(now), len(audit))
        changed = (now != audit.targets) & ((now == now) | audit.has_target)
        if changed.any():
            raise ValueError(describe_new_rows(table, changed))
        cautions.append(describe_places(table, "targets"))
        rows = audit.columns()["row"]
    cleaned = audit.clean(**cleaning)
    if audit.known is not None:  # the audit may have begun with the numbers that people gave
        given = cleaned.decided[rows] & (cleaned.did[rows] == "kept")
        did = cleaned.did.copy()
        did[rows[given & (now != cleaned.labels[rows])]] = "replaced"
        cleaned = cleaned._replace(did=did)
    cells = column_array(column, target).tolist()
    is_new = np.isin(cleaned.did, ("replaced", "unlabelled"))[rows]
    new = written_cells(
        cells, is_new, cleaned.labels[rows], audit.digits, typed=cleaned.decided[rows]
    )
    copy_with_rows(table, out, cleaned.kept[rows], name=target, values=new)
    counts = count_rows(cleaned, audit.p_wrong, audit.has_target, cleaning["threshold"])
    notes += describe_decided(counts.decided, audit, cleaning["decisions"])
    if cleaning["undecided"] == "act":
        why_kept = "no more than half of the rows go"
        notes.append(describe_outcome(audit, counts, cleaning["threshold"], why_kept, "target"))
    return finish(audit, out, counts.kept, notes, cautions)
