"""Cleaning a file of several labels per row: rows found again, and cells written as they were."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from ..._files import atomic_path
from ..._format import count, plural
from ..._kinds import MULTILABEL
from ...tables import copy_with_rows, read_table
from ...tables._columns import column_array
from ...tables._table import check_same_format
from ...tables.stored._files import check_new_file
from ..results._file_cleaning import (
    CleanedFile,
    check_columns,
    check_count,
    describe_decided,
    describe_new_rows,
    describe_places,
    find_rows,
    finish,
)
from ._inputs import label_name, read_label_sets, written_indicators, written_sets


def clean_multilabel_file(
    audit: Any, table: Any, out: Path, cleaning: dict[str, Any], *, force: bool
) -> CleanedFile:
    """See :meth:`errata.Audit.clean_file`; ``cleaning`` is for ``clean``."""
    label = audit.about.get("label")
    if cleaning["action"] == "unlabel" and label is not None:
        raise ValueError(
            f"unlabel needs a column for each label; the lists in {label!r} cannot say that a "
            "label is unknown. Relabel or drop instead."
        )
    table = Path(table)
    check_new_file(table, out, force=force)
    now = read_table(table)
    # One column of lists or text, or one of 0 and 1 for each label.
    columns = list(map(str, audit.names)) if label is None else [label]
    check_columns(columns, now.column_names, table)
    notes: list[str] = []
    cautions: list[str] = []
    if audit.digests is not None:
        rows = find_rows(table, audit, notes)
    else:
        check_count(table, now.num_rows, len(audit))
        found = read_label_sets(now, columns)
        if [label_name(name) for name in found.names] != audit.names:
            raise ValueError(f"{table} has other labels than were audited; audit it again.")
        changed = (audit.labels != found.Y).any(axis=1)
        if changed.any():
            raise ValueError(describe_new_rows(table, changed))
        cautions.append(describe_places(table, "labels"))
        rows = audit.columns()["row"]
    cleaned = audit.clean(**cleaning)
    _copy(table, out, cleaned.kept[rows], _write_columns(audit, now, columns, cleaned.labels[rows]))
    decided = Counter(cleaned.did[cleaned.decided].tolist())
    notes += describe_decided(decided, audit, cleaning["decisions"])
    if cleaning["undecided"] == "act":
        notes.append(_describe_outcome(audit, cleaned, cleaning["action"], cleaning["threshold"]))
    return finish(audit, out, cleaned.kept.sum(), notes, cautions)


def _write_columns(
    audit: Any, now: Any, columns: list[str], labels: np.ndarray
) -> dict[str, list[Any]]:
    """The columns of labels in which a cell changes."""
    cells = {name: column_array(now, name) for name in columns}
    if audit.about.get("label") is None:
        new = {
            name: written_indicators(column, labels[:, place])
            for place, (name, column) in enumerate(cells.items())
        }
    else:
        new = {name: written_sets(cells[name].tolist(), audit.names, labels) for name in columns}
    return {name: values for name, values in new.items() if values != cells[name].tolist()}


def _copy(table: Path, out: Path, kept: np.ndarray, columns: dict[str, list[Any]]) -> None:
    """Copy a table with some columns replaced, one after the other."""
    if len(columns) < 2:
        ((name, values),) = columns.items() or [(None, None)]
        copy_with_rows(table, out, kept, name=name, values=values)
        return
    check_same_format(table, out)  # now, while errors name it
    with atomic_path(out) as temporary:
        for place, (name, values) in enumerate(columns.items()):
            source = temporary if place else table
            copy_with_rows(source, temporary, kept, name=name, values=values)


def _describe_outcome(audit: Any, cleaned: Any, action: str, threshold: float) -> str:
    """What became of the labels above the threshold, in one sentence."""
    if not audit.has_skill:
        return f"{MULTILABEL.command.no_skill}; nothing changed."
    wrong = (audit.p_wrong_cells > threshold) & audit.can_be_judged & ~cleaned.decided[:, None]
    probably = f"wrong with a probability above {threshold:g}"
    if not wrong.any():
        return f"No label of a row is {probably}; nothing changed."
    n_wrong = int(wrong.sum())
    n_rows = int(wrong.any(axis=1).sum())
    if action == "drop":
        dropped = int((~cleaned.kept & ~cleaned.decided).sum())
        spared = n_rows - dropped
        why_kept = "no more than half of the rows go"
        counts = {f"{plural(dropped, 'row')} dropped": dropped}
    elif action == "relabel":
        new = cleaned.labels[~cleaned.decided]
        old = audit.labels[~cleaned.decided]
        added = int((new > old).sum())
        taken = int((new < old).sum())
        spared = n_wrong - added - taken
        why_kept = "that is not sure"
        counts = {f"{count(added)} added": added, f"{count(taken)} taken away": taken}
    else:
        spared = 0
        why_kept = ""
        counts = {f"{count(n_wrong)} emptied": n_wrong}
    counts[f"{count(spared)} kept, as {why_kept}"] = spared
    done = ", ".join(text for text, number in counts.items() if number)
    labels = f"{plural(n_wrong, 'label')} in {plural(n_rows, 'row')}"
    return f"{labels} {'is' if n_wrong == 1 else 'are'} {probably}: {done}."
