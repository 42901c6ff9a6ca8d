"""The audit that decisions are about, and tables of them: beside its rows, or one by one."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..._format import count, four_digits, plural
from ..._kinds import CLASSES, Kind, kind_of
from ...audit_folder import ROWS, open_rows, read_numbers
from ...audit_folder.decisions import Decisions, Event, RowVerdict, as_text, from_text

PREFIX = "errata_"  # of all columns that are added
OPTIONAL = ("known", "p_suggested")  # what is known of rows in some audits

Read = Callable[[str], list[Any]]  # the cells of a column


class Audited(NamedTuple):
    """The rows of an audit, one entry each, and the file they came from."""

    fingerprint: str
    table: str | None  # path of the file; None for an audit made in Python
    columns: list[str]  # of labels
    keys: list[str]
    labels: list[Any]
    suggested: list[Any]
    p_wrong: np.ndarray
    flagged: np.ndarray
    suspicion: np.ndarray
    kind: Kind = CLASSES
    known: np.ndarray | None = None  # rows whose label was certain before
    p_suggested: np.ndarray | None = None  # where there are classes
    names: list[Any] | None = None  # of the labels, where a row may have several
    items: dict[str, list[Any]] | None = None  # of votes: the items, by the name of their column

    @property
    def by_place(self) -> bool:
        """Whether rows are known by their place alone, as the audit has not seen a file."""
        return self.keys[0] == "row.0"

    @property
    def classes(self) -> dict[str, str]:
        """The name that each class has in a list of choices, and its text."""
        named = self.labels if self.names is None else self.names
        texts = {as_text(label): label for label in named if label is not None}
        return {format_choice(texts[text]): text for text in sorted(texts)}

    def decide(self, row: int, class_text: str | None, *, reviewer: str, **more: Any) -> Event:
        """The event in which a reviewer decides on a row; None instead of a class skips it."""
        label = as_text(self.labels[row])
        suggested = as_text(self.suggested[row])
        kinds = {None: "skip", suggested: "suggestion", label: "label"}
        return Event(
            reviewer=reviewer,
            row_key=self.keys[row],
            row=row,
            kind=kinds.get(class_text, "other"),
            class_text=class_text,
            label=label,
            suggested=suggested,
            p_wrong=float(self.p_wrong[row]),
            audit=self.fingerprint,
            **more,
        )


def read_audited(folder: str | os.PathLike) -> Audited:
    """The rows of the audit in a folder."""
    folder = Path(folder)
    numbers = read_numbers(folder)
    if numbers.get("parts") is not None:
        raise ValueError(
            f"{folder} is an audit of more rows than can be reviewed, so there are no decisions on "
            "it; its rows are in the files of its folder rows."
        )
    with open_rows(folder / ROWS) as file:
        return _read_rows(numbers, file)


def _read_rows(numbers: dict[str, Any], file: Any) -> Audited:
    """The rows in a file, of an audit with these numbers."""
    about = numbers["about"]
    kind = kind_of(numbers)
    names = numbers.get("names")
    there = file.schema_arrow.names

    def column(name: str) -> Any:
        return file.read([name])[name]

    labels, suggested = read_labels(numbers, lambda name: column(name).to_pylist())
    items = column("items").to_pylist() if "items" in there else None
    audited = Audited(
        fingerprint=numbers["fingerprint"],
        table=about.get("table"),
        columns=_get_label_columns(about, names),
        keys=column("key").to_pylist(),
        labels=labels,
        suggested=suggested,
        p_wrong=column(kind.review.p_wrong).to_numpy(),
        flagged=column("flagged").to_numpy(),
        suspicion=column("suspicion").to_numpy(),
        kind=kind,
        names=names,
        items=None if items is None else {str(about["item"]): items},
    )
    more = {name: column(name).to_numpy() for name in OPTIONAL if name in there}
    return audited._replace(**more)


def _get_label_columns(about: dict[str, Any], names: list[Any] | None) -> list[str]:
    """One column of labels, or one of 0 and 1 for each of several."""
    label = about.get("label")
    return [label] if label is not None else list(map(str, names or ()))


def read_export_rows(path: Path, audited: Audited, what: str) -> tuple[Any, list[str]]:
    """The table as it is now and the keys of its rows; of votes, the items with their majority.

    Raise when it is not the one audited, or has columns named as those of ``what`` is exported.
    """
    import pyarrow

    from ...tables import read_table  # here, as it brings scikit-learn

    if audited.items is not None:
        columns = audited.items | {audited.columns[0]: audited.labels}
        return pyarrow.table(columns), audited.keys
    table = read_table(path)
    check_free(table.column_names, path, what)
    return table, find_keys(path, table, audited)


def find_keys(path: Path, table: Any, audited: Audited) -> list[str]:
    """The keys of the rows of a table; raise when it is not the one audited."""
    lacking = [name for name in audited.columns or [""] if name not in table.column_names]
    if lacking:
        raise ValueError(f"{path} has no column {lacking[0]!r}; it is not the audited table.")
    if audited.by_place:
        if table.num_rows != len(audited.keys):
            raise ValueError(
                f"{path} has {plural(table.num_rows, 'row')}, but {count(len(audited.keys))} were "
                "audited; audit it again."
            )
        return audited.keys
    from ...tables import row_keys  # here, as it brings scikit-learn

    keys = row_keys(table, *audited.columns).tolist()
    if not set(keys) & set(audited.keys):
        raise ValueError(f"no row of {path} is as it was audited; it is another table.")
    return keys


def check_free(columns: list[str], path: Path, what: str) -> None:
    """Raise when the table has a column that is to be added."""
    taken = [name for name in columns if name.startswith(PREFIX)]
    if taken:
        raise ValueError(f"{path} has a column {taken[0]!r} already; rename it to export {what}.")


def format_choice(label: Any) -> str:
    """The name of a class where people choose among them; JSON where it would not be seen.

    >>> format_choice("cat"), format_choice(3), format_choice(""), format_choice(True)
    ('cat', '3', '""', 'true')
    """
    return label if isinstance(label, str) and label.strip() else as_text(label)


def read_labels(numbers: dict[str, Any], read: Read) -> tuple[list[Any], list[Any]]:
    """Labels and suggestions of all rows, None where there is none.

    ``numbers`` are what ``audit.json`` holds; ``read`` gives the cells of a column.
    """
    if "names" in numbers:  # of several labels per row
        return _read_sets(numbers["names"], read)
    labels = kind_of(numbers).review.labels
    # NaN stands for no label among numbers.
    columns = ([cell if cell == cell else None for cell in read(n)] for n in (labels, "suggested"))
    return next(columns), next(columns)


def _read_sets(names: list[Any], read: Read) -> tuple[list[Any], list[Any]]:
    """Of several labels per row, those that it has."""
    are_set = [read(f"label {place}") for place in range(len(names))]
    doubted = [read(f"flagged {place}") for place in range(len(names))]
    should_be = [
        [bool(one) != bool(other) for one, other in zip(*columns, strict=True)]
        for columns in zip(are_set, doubted, strict=True)
    ]
    return _collect_names(names, are_set), _collect_names(names, should_be)


def _collect_names(names: list[Any], columns: list[list[Any]]) -> list[Any]:
    rows = zip(*columns, strict=True)
    return [[name for name, own in zip(names, row, strict=True) if own] for row in rows]


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
    """The type of the labels; numbers and lists may have been read from text."""
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
