"""A table that is read in parts: what its columns are for, and its first pass."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._format import instead
from ..._validation import as_column
from ...tables._columns import column_array
from ...tables.stored._parquet import stack_tables
from .._settings import MOST_CLASSES
from ..inputs._inputs import TableRows, divide_by_sums
from ..inputs._labels import check_many_labels, codes_of, has_label, labels_or_none, yes_or_no


class TableColumns(NamedTuple):
    """Names of columns by what they are for."""

    label: str
    features: list[str]
    known: str | None = None
    groups: str | None = None
    pred_proba: Sequence[str] | None = None  # one for each class, in their order
    ids: str | None = None

    @property
    def read(self) -> list[str]:
        """All that is looked at."""
        others = [self.label, self.known, self.groups, *(self.pred_proba or ())]
        return [*self.features, *(name for name in dict.fromkeys(others) if name is not None)]

    @property
    def all(self) -> list[str]:
        """The same, and what rows are called."""
        return [*self.read, *([] if self.ids is None or self.ids in self.read else [self.ids])]

    def rows(self, table: Any, classes: np.ndarray, places: np.ndarray | None = None) -> TableRows:
        """Rows as they are to be judged; ``places`` are theirs in the whole table."""
        labels = part_labels(table, self.label)
        if classes.dtype.kind == "f":
            labels = labels.astype(float)
        codes = codes_of(labels, classes)
        known = None if self.known is None else yes_or_no(column_array(table, self.known))
        proba = self.proba_of(table)
        return TableRows(
            table=table.select(self.features),
            labels=labels,
            classes=classes,
            codes=codes,
            known=known,
            places=places,
            pred_proba=None if proba is None else divide_by_sums(proba),
            groups=None if self.groups is None else column_array(table, self.groups),
        )

    def proba_of(self, table: Any) -> np.ndarray | None:
        """The user's probabilities of the classes."""
        if self.pred_proba is None:
            return None
        return np.column_stack([column_array(table, name) for name in self.pred_proba])


def columns_for(
    names: Sequence[str], label: str, drop: Sequence[str] = (), **others: Any
) -> TableColumns:
    """What each column is for; raise when one is not there."""
    used = {"label": label} | {what: name for what, name in others.items() if name is not None}
    named = [name for value in used.values() for name in _as_list(value)]
    for name in (*named, *drop):
        if name not in names:
            raise ValueError(f"there is no column {name!r} in the table; {instead(name, names)}")
    features = [name for name in names if name not in {*named, *drop}]
    return TableColumns(features=features, **used)


def _as_list(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


class Scanned(NamedTuple):
    """What was found in some parts; that of neighbours, merged, is that of both."""

    labels: Counter[Any]  # how many rows have each
    blank: int  # rows without a label
    tables: list[Any]  # of drawn rows

    def merge(self, other: "Scanned") -> "Scanned":
        """That of both."""
        labels = _check_number(self.labels + other.labels)
        return Scanned(labels, self.blank + other.blank, self.tables + other.tables)

    def table(self) -> Any:
        """The drawn rows, in the order of their places."""
        return stack_tables(self.tables).combine_chunks()


def scan_part(part: Any, shared: tuple[TableColumns, np.ndarray]) -> Scanned:
    """Read a part, count its labels, and keep those of its rows that are drawn.

    ``shared`` are the columns, and the places of the drawn rows in the table, in order.
    """
    columns, drawn = shared
    table = part.read(columns.read)
    labels = part_labels(table, columns.label)
    given = labels[has_label(labels)]
    counts = _check_number(Counter(dict(zip(*_distinct(given), strict=True))))
    within = drawn[slice(*np.searchsorted(drawn, [part.start, part.stop]))]
    return Scanned(counts, len(labels) - len(given), [table.take(within - part.start)])


def part_labels(table: Any, name: str) -> np.ndarray:
    """The labels of a part; None, or NaN among numbers, where there is none."""
    return labels_or_none(as_column(column_array(table, name)))


def _distinct(labels: np.ndarray) -> tuple[list[Any], list[int]]:
    if labels.dtype.kind == "O":
        found = Counter(labels.tolist())
        return list(found), list(found.values())
    values, counts = np.unique(labels, return_counts=True)
    return values.tolist(), counts.tolist()


def _check_number(labels: Counter[Any]) -> Counter[Any]:
    """The same, unless there are too many for labels in what was read so far."""
    if len(labels) > MOST_CLASSES:
        check_many_labels(len(labels), labels.total())
    return labels
