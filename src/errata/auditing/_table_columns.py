"""What the columns of a stored table are for, and some of its rows by them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._names import instead
from ..tables._columns import column_array
from ._inputs import Labelled
from ._judging import TableRows
from ._known import yes_or_no
from ._labels import codes_of
from ._scan import part_labels


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

    def labelled(self, table: Any, classes: np.ndarray) -> Labelled:
        """Rows as a table with labels."""
        labels = part_labels(table, self.label)
        if classes.dtype.kind == "f":
            labels = labels.astype(float)
        codes = codes_of(labels, classes)
        known = None if self.known is None else yes_or_no(column_array(table, self.known))
        return Labelled(table.select(self.features), labels, classes, codes, known)

    def rows(self, table: Any, places: np.ndarray, given: Labelled) -> TableRows:
        """Rows as they are to be judged; ``given`` is the same table with labels."""
        return TableRows(
            places=places,
            table=given.table,
            codes=given.codes,
            known=given.known,
            pred_proba=self.proba_of(table),
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
    named = [name for value in used.values() for name in _listed(value)]
    for name in (*named, *drop):
        if name not in names:
            raise ValueError(f"there is no column {name!r} in the table; {instead(name, names)}")
    features = [name for name in names if name not in {*named, *drop}]
    return TableColumns(features=features, **used)


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)
