"""The labels of each row, as the user gives them, made into a table of zeros and ones."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..._format import plural
from ..._names import instead
from ...tables._columns import column_array, column_names, columns_of, count_rows, without_columns
from .._known import YES_OR_NO, yes_or_no
from .._settings import FEWEST_ROWS, MOST_CLASSES
from ._cells import SEPARATORS, CellLabels, labels_in_cells


class LabelSets(NamedTuple):
    """Which labels each row has."""

    names: list[Any]  # of the L labels, as the user calls them
    Y: np.ndarray  # (n, L), 1 where a row has the label and 0 where it does not
    table: Any  # without the columns of labels; None for none
    notes: list[str]
    column: str | None = None  # the single column that holds lists or text
    separator: str | None = None  # what stands between labels in it, of text


def read_label_sets(table: Any, Y: Any) -> LabelSets:
    """Read the labels: a table of 0 and 1, lists, text, or names of columns of ``table``."""
    named = _columns_named(table, Y)
    if named:
        found = _of_columns(table, named)
    elif sparse.issparse(Y):
        found = _of_indicators(Y.toarray(), None, table)
    elif hasattr(Y, "columns") or (hasattr(Y, "ndim") and Y.ndim == 2):
        found = _of_indicators(Y, column_names(Y) or None, table)
    else:
        found = _of_lists(Y, table)
    _check_size(found)
    return found


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


def _of_columns(table: Any, named: list[str]) -> LabelSets:
    rest = without_columns(table, named)
    cells = {name: column_array(table, name) for name in named}
    if len(named) > 1 or _are_yes_or_no(cells[named[0]]):
        return LabelSets(list(named), _zeros_and_ones(cells), rest, [])
    (name,) = named
    found = labels_in_cells(cells[name].tolist(), f"column {name!r}")
    return _of_sets(found, rest, f"column {name!r}")._replace(column=name)


def _are_yes_or_no(cells: np.ndarray) -> bool:
    return cells.dtype == bool or {str(cell).lower() for cell in cells.tolist()} <= {*YES_OR_NO}


def _of_indicators(Y: Any, names: Sequence[Any] | None, table: Any) -> LabelSets:
    columns = columns_of(Y)
    called = [f"label {place}" for place in range(len(columns))] if names is None else list(names)
    cells = {name: column.array() for name, column in zip(called, columns, strict=True)}
    if len(cells) < len(columns):
        raise ValueError("two columns of Y have the same name; give each label one of its own.")
    return LabelSets(called, _zeros_and_ones(cells), table, [])


def _zeros_and_ones(cells: dict[Any, np.ndarray]) -> np.ndarray:
    return np.column_stack(
        [yes_or_no(column, f"label {name!r}") for name, column in cells.items()]
    ).astype(np.int8)


def _of_lists(Y: Any, table: Any) -> LabelSets:
    if not hasattr(Y, "__len__") or isinstance(Y, dict):
        raise ValueError(
            f"Y={Y!r} names no labels; give a table of 0 and 1, a list of labels for every row, or "
            "the names of columns."
        )
    return _of_sets(labels_in_cells(list(Y), "Y"), table, "Y")


def _of_sets(found: CellLabels, table: Any, where: str) -> LabelSets:
    names = sorted({label for labels in found.sets for label in labels}, key=str)
    place = {name: number for number, name in enumerate(names)}
    Y = np.zeros((len(found.sets), len(names)), dtype=np.int8)
    for row, labels in enumerate(found.sets):
        Y[row, [place[label] for label in labels]] = 1
    return LabelSets(names, Y, table, _notes(found, Y, where), separator=found.separator)


def _notes(found: CellLabels, Y: np.ndarray, where: str) -> list[str]:
    notes = []
    if found.separator is not None and Y.sum(axis=1).max(initial=0) > 1:
        marks = " ".join(mark for mark in SEPARATORS if mark != found.separator)
        notes.append(
            f"Labels in {where} are taken to be separated by {found.separator} and not by {marks}."
        )
    if found.blank:
        has = "1 cell is empty: its row is" if found.blank == 1 else (
            f"{plural(found.blank, 'cell')} are empty: their rows are"
        )  # fmt: skip
        notes.append(f"In {where}, {has} taken to have none of the labels.")
    return notes


def _check_size(found: LabelSets) -> None:
    n, n_labels = found.Y.shape
    if n < FEWEST_ROWS:
        raise ValueError(f"{n} rows are too few for an audit; {FEWEST_ROWS} are the least.")
    if n_labels == 0:
        raise ValueError("no row has a label; there is nothing to audit.")
    if n_labels > MOST_CLASSES or n_labels > n / 2:
        raise ValueError(
            f"there are {n_labels} different labels in {n} rows; that looks like free text or an "
            f"identifier, not like labels (at most {MOST_CLASSES}, with two rows each on average)."
        )
