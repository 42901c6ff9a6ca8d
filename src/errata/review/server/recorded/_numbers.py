"""A number a row."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import numpy as np

from ...decisions import as_text
from .._columns import column_numbers, read_column


class RecordedNumbers:
    """Numbers as they are; any other may be decided.

    Parameters
    ----------
    path : path
        The table of all rows.
    rows : array of int
        Those that have a card.
    """

    choices: tuple[tuple[str, str], ...] = ()  # numbers are typed, and not looked for one by one

    def __init__(self, path: Path, rows: np.ndarray) -> None:
        targets = column_numbers(read_column(path, "targets"))
        self.blank_rows = np.isnan(targets)  # of the whole table
        self._targets = targets[rows]

    def label_text(self, place: int) -> str:
        """The number of a row, as decisions keep it."""
        return as_text(self._targets[place])

    def is_blank(self, place: int) -> bool:
        """Whether a row has no number."""
        return bool(np.isnan(self._targets[place]))

    def read(self, given: Sequence[str]) -> str:
        """The number that a person types, as decisions keep it."""
        typed = "".join(given[:1]).strip()
        try:
            value = float(typed)
        except ValueError:
            value = float("nan")
        if not isfinite(value) or "_" in typed:  # which Python passes over
            raise ValueError(f"{typed[:40]!r} is no number; type one with digits, such as 12.5.")
        return as_text(value)

    def labelled(self, given: str) -> np.ndarray:
        """Which rows have a number that was typed."""
        return np.array([_is(text, given) for text in map(as_text, self._targets)], dtype=bool)

    def suggested(self, given: str) -> np.ndarray:
        """No rows: what is suggested is not kept beside them."""
        return np.zeros(len(self._targets), dtype=bool)

    def is_decided_as(self, text: str, given: str) -> bool:
        """Whether a verdict is the number of a filter."""
        return _is(text, given)


def _is(text: str, given: str) -> bool:
    return text == given.strip()
