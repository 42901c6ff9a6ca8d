"""Labels of rows as text: which are set, and what would change."""

from collections.abc import Sequence
from typing import Any

import numpy as np

NONE = "(none)"


def set_in_words(names: Sequence[Any], row: np.ndarray, separator: str = "; ") -> str:
    """The labels that a row has.

    >>> set_in_words(["cat", "dog"], np.array([1, 1])), set_in_words(["cat"], np.array([0]))
    ('cat; dog', '(none)')
    """
    return separator.join(str(names[place]) for place in np.flatnonzero(row).tolist()) or NONE


def changes_in_words(names: Sequence[Any], row: np.ndarray, changed: np.ndarray) -> str:
    """The labels that would be added, and those that would be taken away.

    >>> changes_in_words(["cat", "dog"], np.array([1, 0]), np.array([True, True]))
    '+ dog, - cat'
    """
    signs = (("+", changed & (row == 0)), ("-", changed & (row == 1)))
    return ", ".join(
        f"{sign} {names[place]}"
        for sign, cells in signs
        for place in np.flatnonzero(cells).tolist()
    )


def kind_of_error(is_set: bool) -> str:
    """What is wrong with a cell, if it is."""
    return "wrongly set" if is_set else "missing"
