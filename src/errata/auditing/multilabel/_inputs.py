"""Labels as the user passes them: zeros and ones, lists, or text in cells."""

import ast
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from scipy import sparse

from ..._format import instead, join_names, plural
from ..._validation import is_missing
from ...tables._columns import column_array, column_names, columns_of, count_rows, without_columns
from .._settings import FEWEST_ROWS, MOST_CLASSES, NAMED_COLUMNS
from ..inputs._labels import YES_OR_NO, notes_on_spellings, yes_or_no

SEPARATORS = (";", "|", ",")
LISTS = (list, tuple, set, frozenset, np.ndarray)


class LabelSets:
    """Which labels each row has.

    Parameters
    ----------
    table : table or None
    Y : table of 0 and 1, lists, text, or names of columns of ``table``

    Attributes
    ----------
    names : list
        Of the L labels, as the user calls them.
    Y : array of shape (n, L)
        1 where a row has the label and 0 where it does not.
    table : table or None
        Without the columns of labels.
    notes : list of str
    column : str or None
        The single column that holds lists or text.
    separator : str or None
        What stands between labels in it, of text.
    """

    column: str | None = None
    separator: str | None = None

    def __init__(self, table: Any, Y: Any) -> None:
        self.table = table
        self.names: list[Any] = []
        self.notes: list[str] = []
        named = _columns_named(table, Y)
        if named:
            self._read_columns(named)
        elif sparse.issparse(Y):
            self._read_indicators(Y.toarray(), None)
        elif hasattr(Y, "columns") or (hasattr(Y, "ndim") and Y.ndim == 2):
            self._read_indicators(Y, column_names(Y) or None)
        elif not hasattr(Y, "__len__") or isinstance(Y, dict):
            raise ValueError(
                f"Y={Y!r} names no labels; give a table of 0 and 1, a list of labels for every "
                "row, or the names of columns."
            )
        else:
            self._read_lists(list(Y), "Y")
        self._check_size()

    def _read_columns(self, named: list[str]) -> None:
        cells = {name: column_array(self.table, name) for name in named}
        self.table = without_columns(self.table, named)
        first = cells[named[0]]
        are_words = {str(cell).lower() for cell in first.tolist()} <= {*YES_OR_NO}
        if len(named) > 1 or first.dtype == bool or are_words:
            self.names = list(named)
            self.Y = _zeros_and_ones(cells)
        else:
            self.column = named[0]
            self._read_lists(first.tolist(), f"column {self.column!r}")

    def _read_indicators(self, Y: Any, names: Sequence[Any] | None) -> None:
        columns = columns_of(Y)
        self.names = [f"label {n}" for n in range(len(columns))] if names is None else list(names)
        cells = {n: column.array() for n, column in zip(self.names, columns, strict=True)}
        if len(cells) < len(columns):
            raise ValueError("two columns of Y have the same name; give each label one of its own.")
        self.Y = _zeros_and_ones(cells)

    def _read_lists(self, cells: Sequence[Any], where: str) -> None:
        sets, self.separator, blank = labels_in_cells(cells, where)
        self.names = sorted({label for labels in sets for label in labels}, key=str)
        column = {name: number for number, name in enumerate(self.names)}
        self.Y = np.zeros((len(sets), len(self.names)), dtype=np.int8)
        for row, labels in enumerate(sets):
            self.Y[row, [column[label] for label in labels]] = 1
        if self.separator is not None and self.Y.sum(axis=1).max(initial=0) > 1:
            marks = " and ".join(repr(mark) for mark in SEPARATORS if mark != self.separator)
            self.notes.append(
                f"Labels in {where} are separated by {self.separator!r}, so {marks} may be part "
                "of a label."
            )
        if blank:
            has = "1 cell is empty: its row is" if blank == 1 else (
                f"{plural(blank, 'cell')} are empty: their rows are"
            )  # fmt: skip
            self.notes.append(f"In {where}, {has} taken to have none of the labels.")

    def _check_size(self) -> None:
        """Raise where rows are too few, or labels too many."""
        n, n_labels = self.Y.shape
        if n < FEWEST_ROWS:
            raise ValueError(f"{n} rows are too few for an audit; {FEWEST_ROWS} are the least.")
        if n_labels == 0:
            raise ValueError("no row has a label; there is nothing to audit.")
        if n_labels > MOST_CLASSES or n_labels > n / 2:
            raise ValueError(
                f"there are {n_labels} different labels in {n} rows; that looks like free text or "
                f"an identifier, not like labels (at most {MOST_CLASSES}, with two rows each on "
                "average)."
            )

    def find_checkable(self) -> tuple[np.ndarray, list[str]]:
        """Columns of the labels that two rows have and two have not, and notes on others."""
        ones = self.Y.sum(axis=0, dtype=int)
        enough = (ones >= 2) & (len(self.Y) - ones >= 2)
        if not enough.any():
            raise ValueError(
                "no label is set in two rows or more and not set in two or more; there is nothing "
                "to compare."
            )
        notes = []
        if not enough.all():
            few = int(np.sum(~enough))
            names = [self.names[label] for label in np.flatnonzero(~enough)]
            notes.append(
                f"{plural(few, 'label')} ({join_names(names, NAMED_COLUMNS)}) "
                f"{'is' if few == 1 else 'are'} set, or not set, in fewer than two rows: it cannot "
                "be checked and is kept."
            )
        if np.all(self.Y.sum(axis=1) == 1):
            notes.append(
                "Every row has one label: errata.audit judges such labels as classes, and knows "
                "that they exclude each other."
            )
        row = ("row has the label", "rows have the label")
        counts = dict(zip(self.names, ones.tolist(), strict=True))
        notes.extend(notes_on_spellings(counts, row=row, classes="labels"))
        return np.flatnonzero(enough), notes


def _columns_named(table: Any, Y: Any) -> list[str]:
    """The columns of the table that ``Y`` names, patterns such as ``is_*`` included; or none."""
    wanted = [Y] if isinstance(Y, str) else Y
    names = [name for name in column_names(table) if isinstance(name, str)]
    if not isinstance(wanted, list | tuple) or not all(isinstance(name, str) for name in wanted):
        return []
    found = [[c for c in names if c == name or fnmatchcase(c, name)] for name in wanted]
    lacking = next((name for name, hits in zip(wanted, found, strict=True) if not hits), None)
    if lacking is None:
        return list(dict.fromkeys(column for hits in found for column in hits))
    if isinstance(Y, str) or any(found) or (names and len(wanted) != count_rows(table)):
        raise ValueError(
            f"there is no column {lacking!r} to take labels from; {instead(lacking, names)}"
        )
    return []  # text, one for each row


def _zeros_and_ones(cells: dict[Any, np.ndarray]) -> np.ndarray:
    return np.column_stack(
        [yes_or_no(column, f"label {name!r}") for name, column in cells.items()]
    ).astype(np.int8)


def labels_in_cells(cells: Sequence[Any], name: str) -> tuple[list[list[Any]], str | None, int]:
    """The labels of each cell, what stands between them in text, and how many cells are empty.

    Text may also be a list as Python or JSON write it.

    Examples
    --------
    >>> labels_in_cells(["cat; dog", "dog", ""], "y")
    ([['cat', 'dog'], ['dog'], []], ';', 1)
    >>> labels_in_cells(["['cat', 'dog']", "[]"], "y")
    ([['cat', 'dog'], []], None, 0)
    """
    blank = [is_missing(cell, text=True) for cell in cells]
    given = [cell for cell, empty in zip(cells, blank, strict=True) if not empty]
    _check_cells(cells, blank, name)
    separator = None
    if given and isinstance(given[0], str):
        given = [text.strip() for text in given]
        if all(text.startswith("[") and text.endswith("]") for text in given):
            given = _read_lists(given, name)
        else:
            separator = separator_of(given)
            parts = (text.split(separator) for text in given)
            given = [[part.strip() for part in own if part.strip()] for own in parts]
    filled = iter(given)
    sets = [[] if empty else _distinct(next(filled)) for empty in blank]
    return sets, separator, sum(blank)


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
    """The separator of labels: of ``;``, ``|`` and ``,`` the one that most cells hold.

    >>> separator_of(["red, dark; blue", "red, dark;green", "blue"])
    ';'
    """
    texts = list(texts)
    return max(SEPARATORS, key=lambda mark: sum(mark in text for text in texts))


def _read_lists(texts: Sequence[str], name: str) -> list[Any]:
    try:
        return [ast.literal_eval(text) for text in texts]
    except (ValueError, SyntaxError) as error:
        raise ValueError(
            f"{name} looks like lists, but not all of them can be read ({error}); write them as in "
            '["cat", "dog"], or as cat; dog.'
        ) from error


def _distinct(labels: Iterable[Any]) -> list[Any]:
    """Labels without repetition, none of them missing."""
    return [label for label in dict.fromkeys(labels) if not is_missing(label, text=True)]


def label_name(label: Any) -> Any:
    """The name of a label in an audit."""
    return label if isinstance(label, str | int) else str(label)
