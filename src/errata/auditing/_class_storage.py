"""What an audit of classes keeps on disk besides what every audit does."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..tables._columns import column_array
from ._labels import has_label
from ._stored_rows import FOLDER, KNOWN, StoredPart, StoredRows
from ._totals import Totals
from .sequences import Timeline

if TYPE_CHECKING:
    from ._result import Audit

RECORDING, CLOCK = "recording", "clock"  # columns of an audit of sequences


def class_numbers(audit: "Audit") -> dict[str, Any]:
    """What ``audit.json`` holds of the classes."""
    totals = audit.totals
    return {
        **_where_rows_are(audit),
        "known": totals.known,
        "unlabelled": totals.n - totals.labelled,
        "transition": audit.transition.tolist(),
        "prior": audit.prior.tolist(),
        "duplicates": [group.tolist() for group in audit.duplicates],
        "timeline": None if audit.timeline is None else {"clock": audit.timeline.clock_name},
    }


def _where_rows_are(audit: "Audit") -> dict[str, Any]:
    """What is needed to read the rows again: of those in many files, what all of them say."""
    if audit.stored is None:
        return {"parts": None, "classes": None, "totals": None, "dtype": audit.labels.dtype.str}
    return {
        "parts": audit.stored.parts,
        "classes": audit.classes.tolist(),
        "totals": audit.stored.totals.as_dict(),
        "dtype": audit.classes.dtype.str,
    }


def class_columns(audit: "Audit") -> dict[str, Any]:
    """Columns on disk that only some audits have."""
    known = {} if audit.known is None else {KNOWN: audit.known}
    timeline = audit.timeline
    if timeline is None:
        return known
    clock = {} if timeline.clock is None else {CLOCK: timeline.clock}
    return known | {RECORDING: timeline.recording} | clock


def class_fields(
    found: dict[str, Any], rows: dict[str, Any], *, table: Any, path: Path
) -> dict[str, Any]:
    """The attributes that only an audit of classes has."""
    fields = {
        "transition": np.array(found["transition"]),
        "prior": np.array(found["prior"]),
        "duplicates": [np.array(group) for group in found["duplicates"]],
    }
    if table is None:
        return fields | _in_files(found, path)
    labels = {name: rows[name].astype(found["dtype"]) for name in ("labels", "suggested")}
    return fields | {
        **labels,
        "classes": np.unique(labels["labels"][has_label(labels["labels"])]),
        "timeline": _timeline(found["timeline"], table),
        "known": column_array(table, KNOWN) if KNOWN in table.column_names else None,
    }


def _in_files(found: dict[str, Any], path: Path) -> dict[str, Any]:
    """Columns to be read when they are asked for, of an audit that may not fit into memory."""
    parts = [StoredPart(*part) for part in found["parts"]]
    classes = np.array(found["classes"]).astype(found["dtype"])
    totals = Totals.from_dict(found["totals"])
    stored = StoredRows(path / FOLDER, parts, classes, totals)
    return stored.attributes() | {"classes": classes}


def _timeline(kept: dict[str, Any] | None, table: Any) -> Timeline | None:
    if kept is None:
        return None
    clock = column_array(table, CLOCK) if CLOCK in table.column_names else None
    return Timeline(column_array(table, RECORDING), kept["clock"], clock)
