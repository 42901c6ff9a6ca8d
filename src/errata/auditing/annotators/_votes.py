"""Votes: which annotator said what of which item, and what most of them said."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..._format import count, listed, plural
from ._reading import classes_of_votes, distinct, read_columns


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
    notes : list of str
        What a reader should know of these votes.

    Examples
    --------
    >>> votes = read_votes((["a", "a", "a", "b"], [1, 2, 3, 1], ["cat", "dog", "dog", "cat"]))
    >>> votes.counts
    array([[1, 2],
           [1, 0]])
    >>> votes.classes[votes.majority]
    array(['dog', 'cat'], dtype='<U3')
    """

    item: np.ndarray
    worker: np.ndarray
    label: np.ndarray
    items: np.ndarray
    workers: np.ndarray
    classes: np.ndarray
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.item)

    @cached_property
    def counts(self) -> np.ndarray:
        """Votes of each item for each class, shape (N, K)."""
        n, k = len(self.items), len(self.classes)
        return np.bincount(self.item * k + self.label, minlength=n * k).reshape(n, k)

    @cached_property
    def n_votes(self) -> np.ndarray:
        """Votes of each item, shape (N,)."""
        return np.bincount(self.item, minlength=len(self.items))

    @cached_property
    def majority(self) -> np.ndarray:
        """What most votes of each item say, shape (N,); -1 where it has none.

        Of classes with as many votes it is the one with more votes overall, then the first.
        """
        overall = np.bincount(self.label, minlength=len(self.classes))
        by_votes = np.argsort(-overall, kind="stable")  # argmax takes the first of equals
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

    def for_items(self, items: Sequence[Any] | np.ndarray) -> "Votes":
        """The same votes, for a list of items in another order that may hold some without votes."""
        names, places = distinct(np.asarray(items), "items")
        if len(names) < len(places):
            twice = names[np.bincount(places) > 1]
            raise ValueError(f"the table has several rows of one item: {listed(twice, most=3)}.")
        at = np.searchsorted(names, self.items)
        missing = names[np.minimum(at, len(names) - 1)] != self.items
        if missing.any():
            raise ValueError(
                f"{plural(int(missing.sum()), 'item')} with votes are not in the table: "
                f"{listed(self.items[missing], most=3)}."
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
        One row a vote. In an array of items times workers, what is missing is no vote.
    item, worker, label : names of columns
    classes : sequence, optional
        All classes, where votes may not name each of them.
    """
    columns = read_columns(votes, item, worker, label)
    if not len(columns.label):
        raise ValueError("there are no votes; pass an item, a worker and a label for each.")
    items, item_codes = distinct(columns.item, "items")
    workers, worker_codes = distinct(columns.worker, "workers")
    if len(workers) < 2:
        raise ValueError(
            f"all votes are by one worker ({workers[0]}), whom nobody contradicts; for one label "
            "an item use errata.audit."
        )
    names, codes = classes_of_votes(columns.label, classes)
    pair = item_codes * len(workers) + worker_codes
    once = np.unique(pair * len(names) + codes)
    pair, codes = np.divmod(once, len(names))
    notes = [*columns.notes, *_repeats(len(columns.label) - len(once), pair)]
    read = Votes(
        *np.divmod(pair, len(workers)),
        codes,
        items=items,
        workers=workers,
        classes=names,
        notes=notes,
    )
    notes.extend([*_single_votes(read), *_alone(read)])
    return read


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
    names = listed(votes.workers[~met], most=3)
    who = "worker shares" if np.sum(~met) == 1 else "workers share"
    return [
        f"{int(np.sum(~met))} {who} no item with anyone ({names}): how far to trust them is taken "
        "from the others."
    ]
