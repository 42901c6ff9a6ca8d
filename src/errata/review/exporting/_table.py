"""The table with what was decided beside each row, and the events one by one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..._format import four_digits
from ...audit_folder.decisions import Decisions, Event, RowVerdict, from_text
from ._audited import Audited, read_export_rows

UNSEEN = "unseen"
TEXT = {".csv", ".tsv", ".txt"}  # files that have no lists


def export_table(
    audited: Audited, verdicts: Mapping[str, RowVerdict], source: Path, target: Path
) -> int:
    """Write a table with what was decided and five more columns; return how many rows have one.

    The first is ``errata_class``, ``errata_number`` or ``errata_labels``, by what was audited. Of
    votes it is a table of the items, with the label that most votes give. ``target`` is CSV, TSV,
    JSON lines, Parquet or Feather by its name, whatever ``source`` is. Rows are found by their
    keys, so the table may have been sorted or relabelled since the audit.
    """
    from ...tables import write_table  # here, as it brings scikit-learn

    table, keys = read_export_rows(source, audited, "decisions")
    ours = make_columns(audited, verdicts, keys)
    theirs = dict(zip(table.column_names, table.columns, strict=True))
    kind = _find_type(audited, table)
    name = audited.kind.review.column
    if audited.names is not None:
        ours[name] = [labels and list(map(str, labels)) for labels in ours[name]]
    if audited.names is not None and not TEXT.isdisjoint(target.suffixes):
        ours[name] = [None if labels is None else "; ".join(labels) for labels in ours[name]]
        kind = None
    # What people typed, or a stranger's file of decisions holds; the table itself stays as it is.
    write_table(target, theirs | _convert_columns(ours, name, kind), guard_formulas=list(ours))
    return sum(key in verdicts for key in keys)


def make_columns(
    audited: Audited, verdicts: Mapping[str, RowVerdict], keys: list[str]
) -> dict[str, list[Any]]:
    """The columns that are added, for the rows with these keys."""
    p_wrong = dict(zip(audited.keys, audited.p_wrong.tolist(), strict=True))
    found = [verdicts.get(key) for key in keys]
    return {
        audited.kind.review.column: [v and v.class_text and from_text(v.class_text) for v in found],
        "errata_verdict": [UNSEEN if v is None else v.state for v in found],
        "errata_reviewers": [v and ", ".join(v.reviewers) for v in found],
        "errata_at": [v and v.at for v in found],
        "errata_note": [v and v.note for v in found],
        "errata_p_wrong": [four_digits(p_wrong[key]) if key in p_wrong else None for key in keys],
    }


def _find_type(audited: Audited, table: Any) -> Any:
    """That of the labels; numbers and lists may have been read from text."""
    import pyarrow as arrow

    if audited.names is not None:
        return arrow.list_(arrow.string())
    if audited.kind.review.is_number:
        return arrow.float64()
    label = table.schema.field(audited.columns[0]).type
    return getattr(label, "value_type", label)


def _convert_columns(columns: dict[str, list[Any]], decided: str, kind: Any) -> dict[str, Any]:
    """Columns with types, which Parquet needs also where nothing was decided."""
    import pyarrow as arrow

    kinds = {decided: kind or arrow.string(), "errata_p_wrong": arrow.float64()}
    return {
        name: arrow.array(cells, kinds.get(name, arrow.string())) for name, cells in columns.items()
    }


def export_events(decisions: Decisions, target: Path) -> int:
    """Write a table with one row per event; return how many there are."""
    from ...tables import write_table  # here, as it brings scikit-learn

    events = [event.as_dict() for event in decisions.events()]
    fields = ["class" if name == "class_text" else name for name in Event._fields]
    names = ["id", *(name for name in fields if name != "id")]
    columns = {name: [event[name] for event in events] for name in names}
    write_table(target, columns, guard_formulas=True)
    return len(events)
