"""The first pass over a stored table: its labels are counted, and the drawn rows are taken out."""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from .._validation import as_column
from ..tables._columns import column_array
from ..tables._sources_types import stacked
from ._labels import check_many_labels, has_label, labels_or_none
from ._settings import MOST_CLASSES


class Scan(NamedTuple):
    """What is the same for all parts."""

    label: str
    columns: list[str]  # that are read
    drawn: np.ndarray  # places of rows in the table, in order


class Scanned(NamedTuple):
    """What was found in some parts; that of neighbours, merged, is that of both."""

    labels: Counter[Any]  # how many rows have each
    blank: int  # rows without a label
    tables: list[Any]  # of drawn rows

    def merge(self, other: "Scanned") -> "Scanned":
        """That of both."""
        labels = _counted(self.labels + other.labels)
        return Scanned(labels, self.blank + other.blank, self.tables + other.tables)

    def table(self) -> Any:
        """The drawn rows, in the order of their places."""
        return stacked(self.tables).combine_chunks()


def scan_part(part: Any, shared: Scan) -> Scanned:
    """Read a part, count its labels, and keep those of its rows that are drawn."""
    table = part.read(shared.columns)
    labels = part_labels(table, shared.label)
    given = labels[has_label(labels)]
    counts = _counted(Counter(dict(zip(*_distinct(given), strict=True))))
    within = shared.drawn[slice(*np.searchsorted(shared.drawn, [part.start, part.stop]))]
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


def _counted(labels: Counter[Any]) -> Counter[Any]:
    """The same, unless there are too many for labels in what was read so far."""
    if len(labels) > MOST_CLASSES:
        check_many_labels(len(labels), labels.total())
    return labels
