"""The labels of items as a file: beside their names, or as a column of the table of items."""

from pathlib import Path
from typing import Any

from ...tables import read_table, write_table
from ...tables._columns import column_array
from ...tables.stored._files import check_new_file
from ..results._file_cleaning import (
    CleanedFile,
    check_columns,
    count_rows,
    describe_blanks,
    describe_decided,
    describe_outcome,
    finish,
)


def clean_vote_file(
    audit: Any, table: Any, out: Path, cleaning: dict[str, Any], *, force: bool
) -> CleanedFile:
    """See :meth:`errata.Audit.clean_file`; ``cleaning`` is for ``clean``."""
    votes = audit.about.get("table")  # which must not be replaced
    source = None if table is None else Path(table)
    for file in (source, votes and Path(votes)):
        if file is not None:
            check_new_file(file, out, force=force)
    cleaned = audit.clean(**cleaning)
    counts = count_rows(cleaned, audit.p_wrong, audit.labelled, cleaning["threshold"])
    if source is None:
        columns = {
            str(audit.about.get("item") or "item"): audit.items[cleaned.kept],
            str(audit.about.get("label") or "label"): _list_labels(cleaned.labels[cleaned.kept]),
        }
    else:
        columns = _add_labels(audit, cleaned, source)
    write_table(out, columns)
    notes = describe_decided(counts.decided, audit, cleaning["decisions"])
    if cleaning["undecided"] == "act":
        why_kept = "the consensus is not sure, or a class would lose half"
        outcome = describe_outcome(audit, counts, cleaning["threshold"], why_kept)
        notes.append(outcome.replace("; nothing changed", ""))  # the file is a new one
        notes += describe_blanks(counts)
    return finish(audit, out, counts.kept, notes, [], row="item")


def _add_labels(audit: Any, cleaned: Any, source: Path) -> dict[str, Any]:
    """The rows of the table whose items stay, with a column of labels."""
    table = read_table(source)
    name = audit.about.get("id")
    label = str(audit.about.get("label") or "label")
    if name is None:
        raise ValueError("this audit does not say which column names the items of a table.")
    check_columns([name], table.column_names, source)
    if label in table.column_names:
        raise ValueError(f"{source} has a column {label!r} already; rename it for the labels.")
    index = {item: row for row, item in enumerate(audit.items.tolist())}
    items = column_array(table, name).tolist()
    unknown = [item for item in items if item not in index]
    if unknown:
        raise ValueError(f"{source} has the item {unknown[0]}, which was not audited.")
    rows = [index[item] for item in items]
    stay = [place for place, row in enumerate(rows) if cleaned.kept[row]]
    kept = table.take(stay)
    labels = cleaned.labels[[rows[place] for place in stay]]
    return dict(zip(kept.column_names, kept.columns, strict=True)) | {label: _list_labels(labels)}


def _list_labels(labels: Any) -> list[Any]:
    """Labels as a file holds them: None where there is none, whole numbers without a point."""
    cells = [None if label is None or label != label else label for label in labels.tolist()]
    whole = all(cell is None or (isinstance(cell, float) and cell.is_integer()) for cell in cells)
    return [cell if cell is None or not whole else int(cell) for cell in cells]
