"""Columns of the user's table, checked at the door."""

import re
import shlex
from collections.abc import Iterable
from math import prod
from pathlib import Path
from typing import Any

import errata

from .._format import instead, listed, plural
from ._folder import is_folder_of_pictures
from ._options import Options

SOURCES = {  # words in the names of columns that say who or what made the labels
    *("annotator", "annotators", "batch", "center", "centre", "coder", "device", "expert"),
    *("hospital", "labeler", "labeller", "lab", "operator", "rater", "reader", "reviewer"),
    *("scanner", "site", "source", "worker"),
}
MOST_SOURCES = 50


def suggest_source(table: Any) -> list[str]:
    """A note on the first column whose name and few values say where labels come from."""
    for name in [] if table is None else table.column_names:
        words = re.split(r"[^a-z]+", name.lower())
        if SOURCES.isdisjoint(words) or not 2 <= len(table[name].unique()) <= MOST_SOURCES:
            continue
        return [
            f"{name!r} may say where labels come from: with --by {shlex.quote(name)} the audit "
            "says how noisy the labels of each value are."
        ]
    return []


def join_pictures(table: Any, file: Path) -> Any:
    """The table with names of pictures as they are from here: a table names them from where it is.

    A folder of pictures is itself the table.
    """
    from ..tables._pictures import join_picture_paths  # here, as it brings NumPy

    return join_picture_paths(table, file if file.is_dir() else file.parent)


def read_filled(table: Any, name: str | None, what: str) -> Any:
    """A column that has a value in every row; None where none was named."""
    if name is None:
        return None
    cells = get_column(table, name)
    check_filled(cells, name, what)
    return cells


def get_label(label: str | None, file: Path, *, or_target: bool = False) -> str:
    """The column of labels; raise when nobody said which it is, with the columns there are.

    With ``or_target``, the command knows a column of numbers, too.
    """
    if label is not None:
        return label
    if is_folder_of_pictures(file):
        return "label"
    from ..tables.stored._files import find_files  # here, as it brings scikit-learn

    columns = listed(errata.tables.read_table(find_files(file)[0]).column_names)
    numbers = ", or numbers that may be wrong, with --target" if or_target else ""
    raise ValueError(
        f"say which column holds the labels, with --label{numbers}; the columns of {file} are "
        f"{columns}."
    )


def read_column(file: Path, name: str) -> Any:
    """One column of a file, as an array."""
    return get_column(errata.tables.read_table(file, [name]), name)


def get_column(table: Any, name: str) -> Any:
    """One column of a table, as an array."""
    return errata.tables._columns.column_array(table, name)


def read_labels(table: Any, name: str) -> Any:
    """The labels of a table, None where a cell is empty or says that there is none."""
    cells = get_column(table, name)
    if cells.dtype.kind != "O":
        return cells
    cells = cells.copy()
    cells[:] = drop_blanks(cells.tolist())
    return cells


def drop_blanks(cells: list[Any]) -> list[Any]:
    """Cells, with None for those that are empty or say that there is nothing."""
    from .._validation import is_missing  # here, as it brings scikit-learn

    return [None if is_missing(cell, text=True) else cell for cell in cells]


def check_roles(options: Options) -> None:
    """Raise when a column is to be two things at once."""
    features = dict.fromkeys(options.trust, "--trust") | dict.fromkeys(
        options.wavelets, "--wavelets"
    )
    asked = features | options.left_out
    if options.label in asked:
        raise ValueError(
            f"column {options.label!r} holds the labels; leave it out of {asked[options.label]}."
        )
    check_features(features, options)


def check_features(features: dict[str, str], options: Options) -> None:
    """Raise when a column that an option calls a feature is left out by another."""
    for key, option in features.items():
        if key in options.left_out:
            why = "only a feature can be trusted, so " if option == "--trust" else ""
            raise ValueError(
                f"column {key!r} is in {option} and in {options.left_out[key]}; {why}leave it out "
                "of one of them."
            )


def check_pixels(table: Any, shape: tuple[int, ...] | None) -> None:
    if shape is None:
        return
    others = errata.tables._columns.columns_of(table)
    if len(others) != prod(shape):
        raise ValueError(
            f"--pixels {'x'.join(map(str, shape))} takes {plural(prod(shape), 'column')}, but "
            f"{len(others)} {'is' if len(others) == 1 else 'are'} left besides the labels; "
            "leave out others with --drop."
        )
    words = [c.name for c in others if errata.tables._columns.numbers(c.values) is None]
    if words:
        raise ValueError(f"--pixels takes numbers, but column {words[0]!r} holds something else.")


def check_known(wanted: Iterable[str], columns: Iterable[str], path: Path) -> None:
    """Raise when the table lacks a column, with the names that look like it."""
    known = list(columns)
    for name in wanted:
        if name not in known:
            raise ValueError(f"{path} has no column {name!r}; {instead(name, known)}")


def check_filled(cells: Any, name: str, what: str) -> None:
    """Raise when some row has no label, or whatever the column should hold."""
    from .._validation import is_missing  # here, as it brings scikit-learn

    missing = [row for row, cell in enumerate(cells.tolist()) if is_missing(cell, text=True)]
    if missing:
        raise ValueError(
            f"column {name!r} has {plural(len(missing), 'row')} without a {what} (the first is row "
            f"{missing[0]}, counted from 0); drop such rows or fill them in."
        )


def check_labels(column: Any, name: str, *, may_be_blank: bool = False) -> None:
    """Raise when a column does not hold a label for each row, of two classes or more."""
    from .._validation import check_no_measurement, is_missing

    if not may_be_blank:
        check_filled(column, name, "label")
    values = [value for value in column.tolist() if not is_missing(value)]
    if not values:
        raise ValueError(f"column {name!r} holds no label at all; name the column that does.")
    check_no_measurement(sorted(set(map(str, values))), len(values), f"column {name!r}")
    odd = _find_odd_type(column.dtype.kind, values)
    if odd:
        raise ValueError(
            f"column {name!r} holds labels of the type {odd}; "
            "text, whole numbers and booleans are understood."
        )
    if len(set(values)) == 1:
        raise ValueError(
            f"column {name!r} holds one class only ({values[0]}): a label can be wrong only "
            "where there is another."
        )


def _find_odd_type(kind: str, values: list[Any]) -> str | None:
    """What is wrong with labels: dates, lists, measurements, several kinds at once."""
    if kind in "mM":
        return "date"
    kinds = {type(value) for value in values}
    # Booleans pass as int.
    odd = [k.__name__ for k in kinds if not issubclass(k, str | int | float)]
    if odd:
        return min(odd)
    if str in kinds and len(kinds) > 1:
        return " and ".join(sorted(k.__name__ for k in kinds))
    # Whole numbers come as floats from columns that once had gaps; they are classes all the same.
    broken = [value for value in values if isinstance(value, float) and not value.is_integer()]
    return f"measurement ({broken[0]:g})" if broken else None
