"""Labels: which rows have one, the classes they name, and whether there are enough of them."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._format import listed, plural
from .._validation import as_column, check_labels, check_no_measurement, distinct_labels, is_missing
from ..tables._columns import column_array, column_names, without_columns
from ._per_row import missing_column
from ._settings import FEWEST_ROWS, MOST_CLASSES


def labels_or_none(y: np.ndarray) -> np.ndarray:
    """Labels in which whatever stands for a missing one is None, or NaN among numbers."""
    if y.ndim != 1 or y.dtype.kind != "O":
        return y
    missing = np.array([is_missing(label) for label in y], dtype=bool)
    if not missing.any():
        return y
    present = np.array(y[~missing].tolist())
    if present.dtype.kind in "iuf":
        labels = np.full(len(y), np.nan)
        labels[~missing] = present
        return labels
    y = y.copy()
    y[missing] = None
    return y


def has_label(labels: np.ndarray) -> np.ndarray:
    """Whether each row has a label, of what :func:`labels_or_none` gives."""
    if labels.dtype.kind == "O":
        return np.array([label is not None for label in labels.tolist()], dtype=bool)
    return np.ones(len(labels), dtype=bool) if labels.dtype.kind != "f" else ~np.isnan(labels)


def codes_of(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The place of each label among the sorted classes, -1 where a row has none."""
    labelled = has_label(labels)
    if labelled.all():
        return np.searchsorted(classes, labels)
    codes = np.full(len(labels), -1)
    codes[labelled] = np.searchsorted(classes, labels[labelled])
    return codes


def are_among(codes: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Whether each code is among the sorted ones that are ``present``.

    Examples
    --------
    >>> are_among(np.array([3, -1, 2]), present=np.array([1, 3]))
    array([ True, False, False])
    """
    if not _are_all(present):
        return np.isin(codes, present)
    return (codes >= 0) & (codes < len(present))


def codes_among(codes: np.ndarray, present: np.ndarray) -> np.ndarray:
    """The same codes, counted from 0 among the sorted ones that are ``present``; each must be.

    Examples
    --------
    >>> codes_among(np.array([3, 1, 3]), present=np.array([1, 3]))
    array([1, 0, 1])
    """
    return codes if _are_all(present) else np.searchsorted(present, codes)


def _are_all(present: np.ndarray) -> bool:
    """Whether none is left out up to the last: then nothing needs to be looked up."""
    return bool(present[-1] == len(present) - 1)


def labels_from(codes: np.ndarray, classes: np.ndarray, *, with_blanks: bool) -> np.ndarray:
    """The labels that have these codes, of the type that :func:`labels_or_none` gives.

    ``with_blanks`` says whether some row of the whole table has none, be it here or elsewhere.

    Examples
    --------
    >>> labels_from(np.array([1, -1]), np.array([3, 7]), with_blanks=True)
    array([ 7., nan])
    """
    if not with_blanks:
        return classes[codes]
    kind = float if classes.dtype.kind in "iuf" else object
    blank = np.array([np.nan if kind is float else None], dtype=kind)
    return np.concatenate([classes.astype(kind), blank])[codes]


def label_column(table: Any, y: Any) -> tuple[Any, np.ndarray]:
    """Table and labels; ``y`` may be the name of a column of the table."""
    if not isinstance(y, str):
        return table, labels_or_none(as_column(y))
    names = column_names(table)
    if y not in names:
        raise ValueError(missing_column(y, "to take labels from", names))
    return without_columns(table, [y]), labels_or_none(as_column(column_array(table, y)))


def classes_of(labels: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The distinct labels and their codes; numbers must not be a measurement, text is names."""
    name = f"column {y!r}" if isinstance(y, str) else "y"
    given = _given(labels)
    if given.ndim == 1 and given.dtype.kind in "iuf":
        check_no_measurement(distinct_labels(given)[0], len(given), name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # many classes: check_enough says it better
        classes, codes = check_labels(given, name=name, min_classes=2)
    check_enough(np.bincount(codes), "rows" if len(given) == len(labels) else "labelled rows")
    return classes, codes if len(given) == len(labels) else codes_of(labels, classes)


def _given(labels: np.ndarray) -> np.ndarray:
    """The labels that there are."""
    if labels.ndim != 1:
        return labels
    labelled = has_label(labels)
    if labelled.all():
        return labels
    given = labels[labelled]
    is_bool = len(given) > 0 and isinstance(given[0], bool)
    return given.astype(bool) if is_bool else given  # a gap had made objects of them


def classes_of_counts(counts: Mapping[Any, int], blank: int, name: str) -> np.ndarray:
    """The distinct labels of a table, by how many rows have each, and ``blank`` rows have none."""
    values = list(counts)
    labels = np.array(values, dtype=object if any(isinstance(v, str) for v in values) else None)
    if labels.dtype.kind in "iuf":
        check_no_measurement(np.sort(labels), sum(counts.values()), name)
    classes = check_labels(np.repeat(labels, 2), name=name, min_classes=2)[0]
    sizes = np.array([counts[value] for value in classes.tolist()])
    check_enough(sizes, "labelled rows" if blank else "rows")
    return classes.astype(float) if blank and classes.dtype.kind in "iu" else classes


def check_enough(sizes: np.ndarray, rows: str = "rows") -> None:
    """Raise when there is nothing to learn from classes of these sizes."""
    n = int(sizes.sum())
    if n < FEWEST_ROWS:
        raise ValueError(f"{n} {rows} are too few for an audit; {FEWEST_ROWS} are the least.")
    check_many_labels(len(sizes), n)
    if np.sum(sizes >= 2) < 2:
        raise ValueError("only one class has two rows or more; there is nothing to compare.")


def check_many_labels(k: int, n: int) -> None:
    """Raise when so many different labels cannot be classes."""
    if k > MOST_CLASSES or k > n / 2:
        raise ValueError(
            f"there are {k} different labels in {n} rows; that looks like an identifier or a "
            f"measurement, not like labels (at most {MOST_CLASSES}, with two rows each on average)."
        )


def without_rare(
    codes: np.ndarray, classes: np.ndarray, *, are_drawn: bool = False
) -> tuple[np.ndarray, list[str]]:
    """The rows of classes with two or more of them, and a sentence about the others.

    Of a class that is rare in a large table, fewer than two rows may have been drawn.
    """
    sizes = np.bincount(codes[codes >= 0], minlength=len(classes))
    audited = np.flatnonzero((codes >= 0) & (sizes[codes] >= 2))
    rare = classes[sizes < 2]
    if not len(rare):
        return audited, []
    names = listed(rare, most=5)
    said = f"{plural(len(rare), 'class', 'classes')} {'has' if len(rare) == 1 else 'have'}"
    rows = "fewer than two of the rows that were learnt from" if are_drawn else "one row only"
    return audited, [f"{said} {rows} ({names}): such a label cannot be checked, it is kept."]


def unlabelled_note(codes: np.ndarray) -> list[str]:
    """A sentence about rows without a label, if there are any."""
    blank = int(np.sum(codes < 0))
    if not blank:
        return []
    rows = (
        "1 row has no label: it teaches nothing and gets"
        if blank == 1
        else (f"{plural(blank, 'row')} have no label: they teach nothing and get")
    )
    return [f"{rows} the most probable class as a suggestion, with its probability."]
