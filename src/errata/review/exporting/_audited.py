"""What an export needs of an audit: its rows, by their keys."""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..._format import count, plural
from ..._optional import require
from .._kinds import check_reviewable
from ..decisions import as_text

PREFIX = "errata_"  # of all columns that are added


class Audited(NamedTuple):
    """The rows of an audit, one entry each, and the file they came from."""

    fingerprint: str
    table: str | None  # path of the file; None for an audit made in Python
    label: str | None  # the column of labels
    keys: list[str]
    labels: list[Any]
    suggested: list[Any]
    p_wrong: np.ndarray
    p_suggested: np.ndarray
    flagged: np.ndarray
    suspicion: np.ndarray
    known: np.ndarray | None = None  # rows whose label was certain before
    kind: str = "classes"

    @property
    def by_place(self) -> bool:
        """Whether rows are known by their place alone, as the audit has not seen a file."""
        return self.keys[0] == "row.0"

    @property
    def classes(self) -> dict[str, str]:
        """The name that each class has in a list of choices, and its text."""
        texts = {as_text(label): label for label in self.labels if label is not None}
        return {choice(texts[text]): text for text in sorted(texts)}


def read_audited(folder: str | os.PathLike) -> Audited:
    """The rows of the audit in a folder."""
    folder = Path(folder)
    try:
        numbers = json.loads((folder / "audit.json").read_text(encoding="utf-8"))
        fingerprint, about = numbers["fingerprint"], numbers["about"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{folder} is not an audit that this errata has written ({error}); audit the table "
            "again."
        ) from error
    check_reviewable(folder, numbers)
    if numbers.get("parts") is not None:
        raise ValueError(
            f"{folder} is an audit of more rows than can be reviewed, so there are no decisions on "
            "it; its rows are in the files of its folder rows."
        )
    names = ["key", "labels", "suggested", "p_wrong", "p_suggested", "flagged", "suspicion"]
    parquet = require("pyarrow.parquet", extra="tables")
    with parquet.ParquetFile(folder / "rows.parquet") as file:
        names += ["known"] if "known" in file.schema_arrow.names else []
        keys, labels, suggested, *scores = file.read(columns=names).select(names).columns
    audited = Audited(
        fingerprint,
        about.get("table"),
        about.get("label"),
        keys.to_pylist(),
        [_or_none(label) for label in labels.to_pylist()],
        [_or_none(label) for label in suggested.to_pylist()],
        *(column.to_numpy() for column in scores),
    )
    return audited._replace(kind=numbers.get("kind", "classes"))


def _or_none(label: Any) -> Any:
    """A label; None for NaN, which stands for none among numbers."""
    return label if label == label else None


def keys_in(path: Path, table: Any, audited: Audited) -> list[str]:
    """The keys of the rows of a table as it is now; raise when it is not the one audited."""
    if audited.kind == "votes":
        raise ValueError(
            f"{path} holds votes, and people decided on items; write these with errata clean, or "
            "export the events of the decisions."
        )
    if audited.label is None or audited.label not in table.column_names:
        raise ValueError(f"{path} has no column {audited.label!r}; it is not the audited table.")
    if audited.by_place:
        if table.num_rows != len(audited.keys):
            raise ValueError(
                f"{path} has {plural(table.num_rows, 'row')}, but {count(len(audited.keys))} were "
                "audited; audit it again."
            )
        return audited.keys
    from ...tables import row_keys  # here, as it brings scikit-learn

    keys = row_keys(table, audited.label).tolist()
    if not set(keys) & set(audited.keys):
        raise ValueError(f"no row of {path} is as it was audited; it is another table.")
    return keys


def check_free(columns: list[str], path: Path, what: str) -> None:
    """Raise when the table has a column that is to be added."""
    taken = [name for name in columns if name.startswith(PREFIX)]
    if taken:
        raise ValueError(f"{path} has a column {taken[0]!r} already; rename it to export {what}.")


def choice(label: Any) -> str:
    """What a class is called where people choose among them; JSON where it would not be seen.

    >>> choice("cat"), choice(3), choice(""), choice(True)
    ('cat', '3', '""', 'true')
    """
    return label if isinstance(label, str) and label.strip() else as_text(label)
