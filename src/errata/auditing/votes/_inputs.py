"""Votes: which annotator said what of which item, and what a table tells of the items."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..._canonical import mix_bits, sign_classes
from ..._format import count, instead, join_names, plural
from ..._validation import as_column, check_labels, check_no_measurement
from ...tables._columns import as_table, column_array, column_names
from .._settings import MOST_CLASSES
from ..inputs._labels import has_label, labels_or_none, notes_on_spellings, seen_text

SIGNATURE_ROUNDS = 4  # the last tell apart what differs in whom those met who were met
SALT = np.uint64(1)  # nothing, mixed with nothing, would stay nothing


@dataclass(frozen=True)
class Votes:
    """Votes in the order of their items, then of workers, then of labels.

    Attributes
    ----------
    item, worker, label : arrays of int of shape (V,)
        The item, the worker and the label of each vote, as places in the arrays below.
    items : array of shape (N,)
        Names of the items. Some may have no vote, after :meth:`for_items`.
    workers : array of shape (W,)
    classes : array of shape (K,)
    unvoted : array
        Names of items that were asked about and have no vote: every answer was left empty.
    notes : list of str
        What a reader should know of these votes.

    Examples
    --------
    >>> votes = read_votes((["a", "a", "a", "b"], [1, 2, 3, 1], ["cat", "dog", "dog", "cat"]))
    >>> votes.counts
    array([[1, 2],
           [1, 0]])
    >>> votes.classes[votes.majority]
    array(['dog', 'cat'], dtype=object)
    """

    item: np.ndarray
    worker: np.ndarray
    label: np.ndarray
    items: np.ndarray
    workers: np.ndarray
    classes: np.ndarray
    unvoted: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=object))
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.item)

    @cached_property
    def counts(self) -> np.ndarray:
        """Votes of each item for each class, shape (N, K)."""
        n = len(self.items)
        k = len(self.classes)
        return np.bincount(self.item * k + self.label, minlength=n * k).reshape(n, k)

    @cached_property
    def n_votes(self) -> np.ndarray:
        """Votes of each item, shape (N,)."""
        return np.bincount(self.item, minlength=len(self.items))

    @cached_property
    def majority(self) -> np.ndarray:
        """The label that most votes of each item give, shape (N,); -1 without votes.

        Of classes with as many votes it is the one with more votes overall; between classes with as
        many, too, their votes decide and not their names, which only tell what votes cannot.
        """
        overall = np.bincount(self.label, minlength=len(self.classes))
        by_votes = np.lexsort((self.signatures[1], -overall))  # argmax takes the first of equals
        return np.where(self.n_votes > 0, by_votes[self.counts[:, by_votes].argmax(axis=1)], -1)

    @cached_property
    def shares(self) -> np.ndarray:
        """Share of each class among the majority labels, ties shared, shape (K,).

        Half a label of each class is counted in addition: none is impossible.
        """
        top = self.counts[self.n_votes > 0]
        is_top = top == top.max(axis=1, keepdims=True)
        totals = (is_top / is_top.sum(axis=1, keepdims=True)).sum(axis=0) + 0.5
        return totals / totals.sum()

    @cached_property
    def agreement(self) -> np.ndarray:
        """Share of the votes of each item that are for the majority, NaN without votes."""
        with np.errstate(invalid="ignore"):
            return self.counts.max(axis=1) / self.n_votes

    @cached_property
    def signatures(self) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of items and of classes that follow from the votes, whatever these are called.

        Those of workers, items and classes are refined in turn by whom they meet, and where: as
        far as votes tell two of them apart, their numbers differ.
        """
        n = len(self.items)
        k = len(self.classes)
        answers, answer = np.unique(self.item * k + self.label, return_inverse=True)
        item, label = np.divmod(answers, k)
        workers = np.zeros(len(self.workers), dtype=np.uint64)
        classes = np.zeros(k, dtype=np.uint64)
        for _ in range(SIGNATURE_ROUNDS):
            voters = mix_bits(workers, SALT)
            given = sign_classes(voters[self.worker], answer, len(answers))
            items = sign_classes(mix_bits(given, classes[label]), item, n)
            seen = mix_bits(given, items[item])
            classes = sign_classes(seen, label, k)
            workers = sign_classes(seen[answer], self.worker, len(workers))
        return items, classes

    def for_items(self, items: Sequence[Any] | np.ndarray) -> "Votes":
        """The same votes, for a list of items in another order that may hold some without votes."""
        names, places = distinct(np.asarray(items), "items")
        if len(names) < len(places):
            twice = names[np.bincount(places) > 1]
            raise ValueError(
                f"the table has several rows of one item: {join_names(twice, most=3)}."
            )
        at = np.searchsorted(names, self.items)
        missing = names[np.minimum(at, len(names) - 1)] != self.items
        if missing.any():
            raise ValueError(
                f"{plural(int(missing.sum()), 'item')} with votes are not in the table: "
                f"{join_names(self.items[missing], most=3)}."
            )
        row_of = np.argsort(places)[at]
        item = row_of[self.item]
        order = np.argsort(item, kind="stable")
        return replace(
            self,
            items=np.asarray(items),
            item=item[order],
            worker=self.worker[order],
            label=self.label[order],
        )


def read_votes(
    votes: Any,
    item: Any = "item",
    worker: Any = "worker",
    label: Any = "label",
    classes: Any = None,
) -> Votes:
    """Read and check votes of several annotators.

    Parameters
    ----------
    votes : dataframe, mapping, tuple of three arrays, or array of shape (items, workers)
        One row a vote. What is missing or blank is no vote, nor is -1 where other labels are whole
        numbers from 0 on, as rules abstain.
    item, worker, label : names of columns
    classes : sequence, optional
        All classes, where votes may not name each of them.
    """
    item, worker, label = read_columns(votes, item, worker, label)
    labelled = has_label(label)
    abstains = _find_abstentions(label, labelled) if classes is None else np.zeros_like(labelled)
    labelled &= ~abstains
    whose = has_label(item) & has_label(worker)
    kept = labelled & whose
    notes = []
    if abstains.any():
        notes.append(
            f"{count(int(abstains.sum()))} answers of -1 were taken for no vote, as the other "
            "labels count from 0; name `classes` if -1 is one of them."
        )
    if not (labelled | abstains | ~whose).all():
        notes.append(_left_out(int(np.sum(~labelled & ~abstains & whose)), "no label"))
    if not whose.all():
        notes.append(_left_out(int(np.sum(~whose)), "no item or no worker"))
    if not kept.any():
        message = "there are no votes; pass an item, a worker and a label for each."
        raise ValueError(" ".join([message, *notes]))
    named = distinct(item[has_label(item)], "items")[0]
    items, item_codes = distinct(item[kept], "items")
    workers, worker_codes = distinct(worker[kept], "workers")
    if len(workers) < 2:
        raise ValueError(
            f"all votes are by one worker ({workers[0]}), whom nobody contradicts; for one label "
            "an item use errata.audit."
        )
    names, codes = classes_of_votes(label[kept], classes)
    pair = item_codes * len(workers) + worker_codes
    once = np.sort(pair * len(names) + codes)
    once = once[np.r_[True, once[1:] != once[:-1]]]  # np.unique takes seven times as long
    pair, codes = np.divmod(once, len(names))
    notes += _repeats(int(kept.sum()) - len(once), pair)
    read = Votes(
        *np.divmod(pair, len(workers)),
        codes,
        items=items,
        workers=workers,
        classes=names,
        unvoted=named[~np.isin(named, items)],
        notes=notes,
    )
    notes.extend([*_single_votes(read), *_alone(read), *_spellings(read)])
    return read


def _find_abstentions(label: np.ndarray, labelled: np.ndarray) -> np.ndarray:
    """Where -1 says that a rule has no answer; beside 1 alone it is a class."""
    abstains = np.zeros(len(label), dtype=bool)
    given = _plain(label[labelled])
    if given.dtype.kind == "i" and given.min(initial=0) == -1 and set(given.tolist()) != {-1, 1}:
        abstains[labelled] = given == -1
    return abstains


def _repeats(same: int, pair: np.ndarray) -> list[str]:
    """Sentences about workers who voted on an item several times; pairs of both are sorted."""
    notes = []
    if same:
        repeat = "vote repeats" if same == 1 else "votes repeat"
        notes.append(
            f"{count(same)} {repeat} what the same worker said of the same item; that counts once."
        )
    different = len(np.unique(pair[1:][pair[1:] == pair[:-1]]))
    if different:
        times = "Once" if different == 1 else f"{count(different)} times"
        notes.append(f"{times} a worker said different things of one item; each counts as a vote.")
    return notes


def _single_votes(votes: Votes) -> list[str]:
    if votes.n_votes.max() > 1:
        return []
    return [
        "Every item has one vote, so nobody can be compared with anybody: the labels stay as they "
        "are."
    ]


def _alone(votes: Votes) -> list[str]:
    """A sentence about workers none of whose items anybody else has seen."""
    shared = votes.n_votes[votes.item] > 1
    if not shared.any():
        return []  # the other sentence says it
    met = np.bincount(votes.worker[shared], minlength=len(votes.workers)) > 0
    if met.all():
        return []
    names = join_names(votes.workers[~met], most=3)
    who = "worker shares" if np.sum(~met) == 1 else "workers share"
    return [
        f"{int(np.sum(~met))} {who} no item with anyone ({names}): how far to trust them is taken "
        "from the others."
    ]


def _spellings(votes: Votes) -> list[str]:
    """A sentence about labels that may be one, among those that were voted for."""
    given = zip(votes.classes.tolist(), votes.counts.sum(axis=0).tolist(), strict=True)
    counts = {label: number for label, number in given if number}
    return notes_on_spellings(counts, row=("vote says", "votes say"))


def read_columns(votes: Any, item: Any, worker: Any, label: Any) -> list[np.ndarray]:
    """The columns of a dataframe or mapping, of three arrays, or of items times workers."""
    votes = as_table(votes)
    if isinstance(votes, tuple):
        columns = _from_tuple(votes)
    elif column_names(votes):
        columns = [_column(votes, name) for name in (item, worker, label)]
    else:
        columns = _from_wide(votes)
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"items, workers and labels must be as many, but are {join_names(lengths)}; pass one "
            "of each for every vote."
        )
    return [labels_or_none(_blank_to_none(column)) for column in columns]


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
    columns = [_gaps_kept(column, as_column(column, name="votes")) for column in votes]
    if any(column.ndim != 1 for column in columns):
        raise ValueError("items, workers and labels must be columns, one entry for every vote.")
    return columns


def _gaps_kept(given: Any, cells: np.ndarray) -> np.ndarray:
    """The cells of a list as they were, where NumPy made text of the gaps between text."""
    is_made = cells.dtype.kind == "U" and isinstance(given, list | tuple)
    return np.asarray(given, dtype=object) if is_made else cells


def _from_wide(votes: Any) -> list[np.ndarray]:
    """Of an array with a row for each item and a column for each worker."""
    wide = _gaps_kept(votes, np.asarray(votes))
    if wide.ndim != 2:
        raise ValueError(
            "votes must be a table with a column each for items, workers and labels, three arrays "
            "(items, workers, labels), or an array with a row for each item and a column for each "
            f"worker, but this has the shape {wide.shape}."
        )
    item, worker = np.indices(wide.shape)
    return [item.ravel(), worker.ravel(), wide.ravel()]


def _blank_to_none(column: np.ndarray) -> np.ndarray:
    """Cells in which text without anything to be seen is None: an answer left empty is none."""
    if column.dtype.kind not in "OU":
        return column
    blank = np.array(
        [isinstance(cell, str) and not seen_text(cell) for cell in column.tolist()], dtype=bool
    )
    if not blank.any():
        return column
    cells = column.astype(object)
    cells[blank] = None
    return cells


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
        found, codes = check_labels(_plain(labels), name="the column of labels")
    if classes is not None:
        return _among_given(found, codes, classes)
    if len(found) < 2:
        raise ValueError(
            f"all votes name one class ({found[0]}); at least two are needed to tell a wrong label "
            "from a right one. If there are others, pass them as classes."
        )
    check_no_measurement(found, len(labels), "the column of labels")
    if len(found) > MOST_CLASSES or 2 * len(found) > max(len(labels), 8):
        raise ValueError(
            f"there are {len(found)} different labels in {len(labels)} votes; these labels look "
            f"like text that people wrote, not like classes (at most {MOST_CLASSES}, with two "
            "votes each on average)."
        )
    return found, codes


def _plain(labels: np.ndarray) -> np.ndarray:
    """Labels in the type they had before gaps made objects, or floats, of them."""
    if labels.dtype.kind == "O":
        holds_text = any(isinstance(label, str) for label in labels.tolist())
        return labels if holds_text else np.array(labels.tolist())
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
            f"votes name {join_names(unknown, most=3)}, which classes does not hold; the classes "
            f"are {join_names(given)}."
        )
    return given, np.searchsorted(given, found)[codes]
