"""Reading votes: three columns of whatever kind of table, without votes that say nothing."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from ..._format import listed, plural
from ..._names import instead
from ..._validation import as_column, check_labels, check_no_measurement
from ...tables._columns import column_array, column_names
from .._labels import has_label, labels_or_none
from .._settings import MOST_CLASSES


class VoteColumns(NamedTuple):
    """One entry a vote: which item, who, what; and sentences about votes that were left out."""

    item: np.ndarray
    worker: np.ndarray
    label: np.ndarray
    notes: list[str]


def read_columns(votes: Any, item: Any, worker: Any, label: Any) -> VoteColumns:
    """The columns of a dataframe or mapping, of three arrays, or of items times workers."""
    if isinstance(votes, tuple):
        columns = _from_tuple(votes)
    elif column_names(votes):
        columns = [_column(votes, name) for name in (item, worker, label)]
    else:
        columns = _from_wide(votes)
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"items, workers and labels must be as many, but are {listed(lengths)}; pass one of "
            "each for every vote."
        )
    return _without_missing(*(labels_or_none(column) for column in columns))


def _column(votes: Any, name: Any) -> np.ndarray:
    names = column_names(votes)
    if name not in names:
        raise ValueError(f"there is no column {name!r} among the votes; {instead(name, names)}")
    return as_column(column_array(votes, name), name=f"column {name!r}")


def _from_tuple(votes: tuple) -> list[np.ndarray]:
    if len(votes) != 3:
        raise ValueError(
            f"votes are three arrays, (items, workers, labels), but {len(votes)} were passed."
        )
    columns = [as_column(column, name="votes") for column in votes]
    if any(column.ndim != 1 for column in columns):
        raise ValueError("items, workers and labels must be columns, one entry for every vote.")
    return columns


def _from_wide(votes: Any) -> list[np.ndarray]:
    """Of an array with a row for each item and a column for each worker."""
    wide = np.asarray(votes)
    if wide.ndim != 2:
        raise ValueError(
            "votes must be a table with a column each for items, workers and labels, three arrays "
            "(items, workers, labels), or an array with a row for each item and a column for each "
            f"worker, but this has the shape {wide.shape}."
        )
    item, worker = np.indices(wide.shape)
    return [item.ravel(), worker.ravel(), wide.ravel()]


def _without_missing(item: np.ndarray, worker: np.ndarray, label: np.ndarray) -> VoteColumns:
    """Leave out votes without a label, and those of which item or worker is unknown."""
    labelled, whose = has_label(label), has_label(item) & has_label(worker)
    notes = []
    if not (labelled | ~whose).all():
        notes.append(_left_out(int(np.sum(~labelled & whose)), "no label"))
    if not whose.all():
        notes.append(_left_out(int(np.sum(~whose)), "no item or no worker"))
    kept = labelled & whose
    return VoteColumns(item[kept], worker[kept], label[kept], notes)


def _left_out(number: int, what: str) -> str:
    have, were = ("has", "was") if number == 1 else ("have", "were")
    return f"{plural(number, 'vote')} {have} {what} and {were} left out."


def distinct(values: np.ndarray, what: str) -> tuple[np.ndarray, np.ndarray]:
    """The sorted distinct names of items or workers, and the code of each."""
    try:
        return np.unique(values, return_inverse=True)
    except TypeError as error:  # str and int do not compare
        kinds = ", ".join(sorted({type(value).__name__ for value in values.tolist()}))
        raise ValueError(
            f"the {what} are of several kinds ({kinds}); convert them to one, for instance with "
            "astype(str)."
        ) from error


def classes_of_votes(labels: np.ndarray, classes: Any) -> tuple[np.ndarray, np.ndarray]:
    """The classes and the code of each vote; where classes are given, no vote names another."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # many classes: what follows says it better
        found, codes = check_labels(_plain(labels), name="the labels of the votes")
    if classes is not None:
        return _among_given(found, codes, classes)
    if len(found) < 2:
        raise ValueError(
            f"all votes name one class ({found[0]}); at least two are needed to tell a wrong label "
            "from a right one. If there are others, pass them as classes."
        )
    check_no_measurement(found, len(labels), "the labels of the votes")
    if len(found) > MOST_CLASSES or 2 * len(found) > max(len(labels), 8):
        raise ValueError(
            f"there are {len(found)} different labels in {len(labels)} votes; these labels look "
            f"like text that people wrote, not like classes (at most {MOST_CLASSES}, with two "
            "votes each on average)."
        )
    return found, codes


def _plain(labels: np.ndarray) -> np.ndarray:
    """Labels in the type they had before gaps made objects, or floats, of them."""
    if labels.dtype.kind == "O" and not isinstance(labels[0], str):
        return np.array(labels.tolist())
    whole = labels.dtype.kind == "f" and not np.any(labels % 1)
    return labels.astype(np.intp) if whole else labels


def _among_given(
    found: np.ndarray, codes: np.ndarray, classes: Any
) -> tuple[np.ndarray, np.ndarray]:
    # Each twice, as a list of names is not what labels with few rows each look like.
    given = check_labels(np.repeat(np.asarray(classes), 2), name="classes", min_classes=2)[0]
    unknown = found[~np.isin(found, given)]
    if len(unknown):
        raise ValueError(
            f"votes name {listed(unknown, most=3)}, which classes does not hold; the classes are "
            f"{listed(given)}."
        )
    return given, np.searchsorted(given, found)[codes]
