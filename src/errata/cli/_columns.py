"""Columns of the user's table, checked at the door."""

import re
import shlex
from collections.abc import Iterable
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import errata

from .._format import instead, listed, plural
from ._folder import holds_pictures
from ._options import Options

SOURCES = {  # words in the names of columns that say who or what made the labels
    *("annotator", "annotators", "batch", "center", "centre", "coder", "device", "expert"),
    *("hospital", "labeler", "labeller", "lab", "operator", "rater", "reader", "reviewer"),
    *("scanner", "site", "source", "worker"),
}
MOST_SOURCES = 50


class Table(NamedTuple):
    """The features, the labels, and what is known of each row besides."""

    columns: Any  # an Arrow table; None for no columns
    labels: Any  # None where one is missing
    groups: Any
    sequence: Any
    ids: Any
    known: Any
    digests: Any  # by which errata clean knows the rows again
    keys: Any  # by which decisions do, whatever the labels become
    whole: Any  # the Arrow table with all columns but the labels, for people to look at


def table_to_audit(file: Path, options: Options) -> Table:
    """The table to audit, when the columns that were named are what they should be."""
    shape = options.image_shape  # a misspelt size is found out before a large table is read
    options.check_sequence()
    table = errata.tables.read_table(file)
    named = [options.label, *options.left_out, *options.trust, *options.wavelets]
    check_known(named, table.column_names, file)
    check_roles(options)
    labels = labels_of(table, options.label)
    check_labels(labels, options.label, may_be_blank=options.sequence is None)
    kept = table.drop_columns([*options.left_out, options.label])
    if options.wavelets:
        kept = kept.select(list(options.wavelets))
    if kept.num_columns == 0 and options.embeddings is None and options.pred_proba is None:
        raise ValueError(f"no column of {file} is left to learn from, besides the labels.")
    _check_pixels(kept, shape)
    kept = with_pictures(kept, file) if kept.num_columns else None
    groups = filled(table, options.group, "group")
    sequence = filled(table, options.sequence, "recording")
    name = "picture" if options.name is None and file.is_dir() else options.name
    ids = None if name is None else column(table, name)
    known = None if options.known is None else column(table, options.known)
    return Table(
        *(kept, labels, groups, sequence, ids, known),
        digests=errata.tables.row_digests(table),
        keys=errata.tables.row_keys(table, options.label),
        whole=table.drop_columns([options.label]),
    )


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


def with_pictures(table: Any, file: Path) -> Any:
    """The table with names of pictures as they are from here: a table names them from where it is.

    A folder of pictures is itself the table.
    """
    from ..tables._pictures import join_picture_paths  # here, as it brings NumPy

    return join_picture_paths(table, file if file.is_dir() else file.parent)


def filled(table: Any, name: str | None, what: str) -> Any:
    """A column that has a value in every row; None where none was named."""
    if name is None:
        return None
    cells = column(table, name)
    check_filled(cells, name, what)
    return cells


def named_label(label: str | None, file: Path, *, or_target: bool = False) -> str:
    """The column of labels; raise when nobody said which it is, with the columns there are.

    With ``or_target``, the command knows a column of numbers, too.
    """
    if label is not None:
        return label
    if holds_pictures(file):
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
    return column(errata.tables.read_table(file, [name]), name)


def column(table: Any, name: str) -> Any:
    """One column of a table, as an array."""
    return errata.tables._columns.column_array(table, name)


def labels_of(table: Any, name: str) -> Any:
    """The labels of a table, None where a cell is empty or says that there is none."""
    cells = column(table, name)
    if cells.dtype.kind != "O":
        return cells
    cells = cells.copy()
    cells[:] = blanks_as_none(cells.tolist())
    return cells


def blanks_as_none(cells: list[Any]) -> list[Any]:
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


def _check_pixels(table: Any, shape: tuple[int, ...] | None) -> None:
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
    odd = _odd_kind(column.dtype.kind, values)
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


def _odd_kind(kind: str, values: list[Any]) -> str | None:
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
