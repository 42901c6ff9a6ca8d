"""The table as it is, and beside each row what was decided about it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..._format import four_digits
from ..._optional import require
from ..decisions import RowVerdict, from_text
from ._audited import Audited, check_free, keys_in

UNSEEN = "unseen"
GUARDED = ("errata_reviewers", "errata_note")  # what people typed; the table itself stays as it is


def export_table(
    audited: Audited, verdicts: Mapping[str, RowVerdict], source: Path, target: Path
) -> int:
    """Write a table with ``errata_class`` and five more columns; return how many rows have one.

    ``target`` is CSV, TSV, JSON lines, Parquet or Feather by its name, whatever ``source`` is. Rows
    are found by their keys, so the table may have been sorted or relabelled since the audit.
    """
    from ...tables import read_table, write_table  # here, as they bring scikit-learn

    table = read_table(source)
    check_free(table.column_names, source, "decisions")
    keys = keys_in(source, table, audited)
    ours = decision_columns(audited, verdicts, keys)
    theirs = dict(zip(table.column_names, table.columns, strict=True))
    kind = table.schema.field(audited.label).type
    write_table(target, theirs | _typed(ours, kind), guard_formulas=GUARDED)
    return sum(key in verdicts for key in keys)


def decision_columns(
    audited: Audited, verdicts: Mapping[str, RowVerdict], keys: list[str]
) -> dict[str, list[Any]]:
    """The columns that are added, for the rows with these keys."""
    p_wrong = dict(zip(audited.keys, audited.p_wrong.tolist(), strict=True))
    found = [verdicts.get(key) for key in keys]
    return {
        "errata_class": [v and v.class_text and from_text(v.class_text) for v in found],
        "errata_verdict": [UNSEEN if v is None else v.state for v in found],
        "errata_reviewers": [v and ", ".join(v.reviewers) for v in found],
        "errata_at": [v and v.at for v in found],
        "errata_note": [v and v.note for v in found],
        "errata_p_wrong": [four_digits(p_wrong[key]) if key in p_wrong else None for key in keys],
    }


def _typed(columns: dict[str, list[Any]], label: Any) -> dict[str, Any]:
    """Columns with types, which Parquet needs also where nothing was decided."""
    arrow = require("pyarrow", extra="tables")
    kinds = {"errata_class": getattr(label, "value_type", label), "errata_p_wrong": arrow.float64()}
    return {
        name: arrow.array(cells, kinds.get(name, arrow.string())) for name, cells in columns.items()
    }
