"""One class a row."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...decisions import as_text
from .._columns import MISSING, read_column, values_and_codes
from .._names import shown_name


class RecordedClasses:
    """Labels as places among the classes.

    Parameters
    ----------
    path : path
        The table of all rows.
    named : list or None
        The classes, where some may be no row's label; otherwise the labels that there are.
    rows : array of int
        Those that have a card.
    """

    def __init__(self, path: Path, named: list[Any] | None, rows: np.ndarray) -> None:
        given, labels = values_and_codes(read_column(path, "labels"))
        looks_like, suggested = values_and_codes(read_column(path, "suggested"))
        self.classes = named or given
        self.texts = [as_text(value) for value in self.classes]
        self.blank_rows = labels == MISSING  # of the whole table
        self._label = _among(self.classes, given)[labels[rows]]
        self._suggested = _among(self.classes, looks_like)[suggested[rows]]

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The classes as text, and as they are shown."""
        return list(zip(self.texts, map(shown_name, self.classes), strict=True))

    def label_text(self, place: int) -> str:
        """The label of a row, as decisions keep it."""
        code = self._label[place]
        return as_text(None) if code == MISSING else self.texts[code]

    def is_blank(self, place: int) -> bool:
        """Whether a row has no label."""
        return bool(self._label[place] == MISSING)

    def read(self, given: Sequence[str]) -> str:
        """The class that a person gives by its text or its name, as decisions keep it."""
        code = self._code("".join(given[:1]))
        if code is None:
            raise ValueError(f"there is no class {''.join(given[:1])[:200]!r} in this table.")
        return self.texts[code]

    def labelled(self, given: str) -> np.ndarray:
        """Which rows have a label."""
        return self._label == self._or_nowhere(given)

    def suggested(self, given: str) -> np.ndarray:
        """Which rows look like a class."""
        return self._suggested == self._or_nowhere(given)

    def is_decided_as(self, text: str, given: str) -> bool:
        """Whether a verdict is the class of a filter."""
        code = self._code(given)
        return code is not None and text == self.texts[code]

    @cached_property
    def codes(self) -> dict[str, int]:
        """The place of each class by its text."""
        return {text: code for code, text in enumerate(self.texts)}

    @cached_property
    def _codes_by_name(self) -> dict[str, int]:
        return {shown_name(value): code for code, value in enumerate(self.classes)}

    def _code(self, given: str) -> int | None:
        """The place of a class by its text, or by the name that a person types."""
        by_name = self._codes_by_name
        return self.codes.get(given, by_name.get(given, by_name.get(given.strip())))

    def _or_nowhere(self, given: str) -> int:
        """The place of a class; one that no row has where there is no such class."""
        code = self._code(given)
        return len(self.classes) if code is None else code


def _among(classes: list[Any], values: list[Any]) -> np.ndarray:
    """The place of each value among the classes, and at the end what is missing."""
    place = {name: code for code, name in enumerate(classes)}
    return np.array([*(place.get(value, MISSING) for value in values), MISSING])
