"""Who voted what of an item, and how often each of them is right: for people to look at."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._format import four_digits, percent, plural
from .._settings import SHOWN_BALLOTS, TOLD_CLASSES
from ._votes import Votes


class Ballot(NamedTuple):
    """The votes for one class of an item, those of the best annotators first."""

    code: int
    workers: np.ndarray  # codes


class Ballots:
    """The votes of any item; ``accuracy`` is that of each worker."""

    def __init__(self, votes: Votes, accuracy: np.ndarray) -> None:
        self.votes, self.accuracy = votes, accuracy

    def of(self, item: int) -> list[Ballot]:
        """The votes of an item by class, that with most votes first; of equals, the majority."""
        start, stop = np.searchsorted(self.votes.item, [item, item + 1])
        labels, workers = self.votes.label[start:stop], self.votes.worker[start:stop]
        workers = workers[order := np.argsort(-self.accuracy[workers], kind="stable")]
        found = [Ballot(int(code), workers[labels[order] == code]) for code in np.unique(labels)]
        own = self.votes.majority[item]
        return sorted(found, key=lambda ballot: (-len(ballot.workers), ballot.code != own))

    def shown(self, item: int) -> list[dict[str, Any]]:
        """Plain dicts, ready for JSON: of each class how many votes, and the first of them."""
        found, left = [], SHOWN_BALLOTS
        for ballot in self.of(item):
            some, left = ballot.workers[:left], max(left - len(ballot.workers), 0)
            found.append(
                {
                    "label": str(self.votes.classes[ballot.code]),
                    "count": len(ballot.workers),
                    "by": [
                        [str(self.votes.workers[w]), four_digits(self.accuracy[w])] for w in some
                    ],
                }
            )
        return found

    def told(self, item: int) -> str:
        """How many votes there are for what, and by how good annotators, in a sentence."""
        first, *others = self.of(item)
        n = len(first.workers)
        who = "an annotator" if n == 1 else "annotators"
        mean = " on average" if n > 1 else ""
        start = f"{plural(n, 'vote')} for {self._name(first)}, by {who} right {self._right(first)}"
        rest = [
            f"{len(other.workers)} for {self._name(other)}, right {self._right(other)}"
            for other in others[:TOLD_CLASSES]
        ]
        more = sum(len(other.workers) for other in others[TOLD_CLASSES:])
        rest += [f"{more} for others"] if more else []
        return "; ".join([f"{start} of the time{mean}", *rest]) + "."

    def _name(self, ballot: Ballot) -> str:
        return str(self.votes.classes[ballot.code])

    def _right(self, ballot: Ballot) -> str:
        return percent(float(self.accuracy[ballot.workers].mean()))


def accuracies_told(workers: Sequence[dict[str, Any]]) -> np.ndarray:
    """How often each annotator is right, of what is told of them."""
    return np.array([worker["accuracy"] for worker in workers])


def tally(ballots: Sequence[dict[str, Any]]) -> str:
    """How many votes each class has, in a line.

    Examples
    --------
    >>> tally([{"label": "cat", "count": 3}, {"label": "dog", "count": 1}])
    'cat 3, dog 1'
    """
    return ", ".join(f"{side['label']} {side['count']}" for side in ballots)
