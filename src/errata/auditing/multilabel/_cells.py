"""Labels in the cells of one column: lists, or text with something between the labels."""

import ast
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._validation import is_missing

SEPARATORS = (";", "|", ",")
LISTS = (list, tuple, set, frozenset, np.ndarray)


class CellLabels(NamedTuple):
    """The labels of each row."""

    sets: list[list[Any]]
    separator: str | None = None  # what stood between labels; None for lists
    blank: int = 0  # cells with nothing in them


def labels_in_cells(cells: Sequence[Any], name: str) -> CellLabels:
    """The labels of each cell; an empty one has none.

    Text may also be a list as Python or JSON write it.

    Examples
    --------
    >>> labels_in_cells(["cat; dog", "dog", ""], "y").sets
    [['cat', 'dog'], ['dog'], []]
    >>> labels_in_cells(["['cat', 'dog']", "[]"], "y").sets
    [['cat', 'dog'], []]
    """
    blank = [is_missing(cell, text=True) for cell in cells]
    given = [cell for cell, empty in zip(cells, blank, strict=True) if not empty]
    _check_cells(cells, blank, name)
    separator = None
    if given and isinstance(given[0], str):
        separator = None if _are_written_lists(given) else separator_of(given)
        given = _written_lists(given, name) if separator is None else _split(given, separator)
    filled = iter(given)
    sets = [[] if empty else _distinct(next(filled)) for empty in blank]
    return CellLabels(sets, separator, sum(blank))


def _check_cells(cells: Sequence[Any], blank: Sequence[bool], name: str) -> None:
    """Raise unless all cells are lists, or all are text."""
    kind = None
    for row, (cell, empty) in enumerate(zip(cells, blank, strict=True)):
        this = None if empty else str if isinstance(cell, str) else LISTS
        if this is None:
            continue
        if not isinstance(cell, this) or kind not in (None, this):
            raise ValueError(
                f"{name} holds {cell!r} in row {row}; give a list of labels for every row, text "
                f"with one of {' '.join(SEPARATORS)} between labels, or columns of 0 and 1."
            )
        kind = this


def separator_of(texts: Iterable[str]) -> str:
    """What stands between labels: of ``;``, ``|`` and ``,`` the one that most cells hold.

    >>> separator_of(["red, dark; blue", "red, dark;green", "blue"])
    ';'
    """
    texts = list(texts)
    return max(SEPARATORS, key=lambda mark: sum(mark in text for text in texts))


def _split(texts: Sequence[str], separator: str) -> list[list[str]]:
    return [[part.strip() for part in text.split(separator) if part.strip()] for text in texts]


def _are_written_lists(texts: Sequence[str]) -> bool:
    return all(text.strip().startswith("[") and text.strip().endswith("]") for text in texts)


def _written_lists(texts: Sequence[str], name: str) -> list[Any]:
    try:
        return [ast.literal_eval(text.strip()) for text in texts]
    except (ValueError, SyntaxError) as error:
        raise ValueError(
            f"{name} looks like lists, but not all of them can be read ({error}); write them as in "
            '["cat", "dog"], or as cat; dog.'
        ) from error


def _distinct(labels: Iterable[Any]) -> list[Any]:
    """Labels without repetition, none of them missing."""
    return [label for label in dict.fromkeys(labels) if not is_missing(label, text=True)]
