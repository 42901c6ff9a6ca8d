"""Several labels a row."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...decisions import as_text, from_text
from .._columns import column_numbers, read_column
from .._names import shown_name


class RecordedSets:
    """Which labels are set.

    Parameters
    ----------
    path : path
        The table of all rows.
    names : list
        Of the labels.
    rows : array of int
        Those that have a card.
    """

    def __init__(self, path: Path, names: list[Any], rows: np.ndarray) -> None:
        self.names = names
        self._is_set = _cells(path, "label {}", len(names), rows)
        self._doubted = _cells(path, "flagged {}", len(names), rows)
        self.blank_rows: np.ndarray | None = None  # a row without labels has none of them

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The labels as text, and as they are shown."""
        return [(as_text(name), shown_name(name)) for name in self.names]

    def label_text(self, place: int) -> str:
        """The labels of a row, as decisions keep them."""
        return as_text([self.names[each] for each in np.flatnonzero(self._is_set[place])])

    def is_blank(self, place: int) -> bool:
        """Whether nobody has said which labels a row has: never."""
        return False

    def read(self, given: Sequence[str]) -> str:
        """The labels that a person sets by their text or their names, as decisions keep them."""
        places = [self._place(text) for text in given if text.strip()]
        return as_text([self.names[place] for place in dict.fromkeys(places)])

    def labelled(self, given: str) -> np.ndarray:
        """Which rows have a label."""
        return self._with(self._is_set, given)

    def suggested(self, given: str) -> np.ndarray:
        """Which rows should have a label."""
        return self._with(self._is_set != self._doubted, given)

    def is_decided_as(self, text: str, given: str) -> bool:
        """Whether a verdict has the label of a filter."""
        place = self._places.get(given.strip())
        return place is not None and self.names[place] in from_text(text)

    @cached_property
    def _places(self) -> dict[str, int]:
        """The place of each label by its name and its text."""
        named = {shown_name(name): place for place, name in enumerate(self.names)}
        return named | {as_text(name): place for place, name in enumerate(self.names)}

    def _place(self, given: str) -> int:
        place = self._places.get(given.strip())
        if place is None:
            raise ValueError(f"there is no label {given[:200]!r} in this table.")
        return place

    def _with(self, cells: np.ndarray, given: str) -> np.ndarray:
        place = self._places.get(given.strip())
        return np.zeros(len(cells), dtype=bool) if place is None else cells[:, place]


def _cells(path: Path, name: str, n_labels: int, rows: np.ndarray) -> np.ndarray:
    """A column for each label, of some rows."""
    columns = [column_numbers(read_column(path, name.format(place))) for place in range(n_labels)]
    return np.stack([column[rows].astype(bool) for column in columns], axis=1)
