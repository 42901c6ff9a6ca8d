"""Which votes belong together: those of an item, and those of a worker for a label."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy import sparse

from .._settings import VOTE_NUMBERS
from ._votes import Votes


class Incidence(NamedTuple):
    """Votes by item and by pair of worker and label.

    A worker gives few of many labels, so what is counted is kept for the pairs that occur, P of
    them: never more than there are votes, however many classes.
    """

    item: np.ndarray  # (V,), in order
    pair: np.ndarray  # (V,), the pair of each vote
    starts: np.ndarray  # (N + 1,), where the votes of each item begin
    worker: np.ndarray  # (P,), of each pair, in order
    label: np.ndarray  # (P,)
    first_pair: np.ndarray  # (W + 1,), where the pairs of each worker begin
    n_workers: int
    n_classes: int
    of_pairs: sparse.csr_array  # (P, N), 1 where a pair has a vote on an item
    of_workers: sparse.csr_array  # (W, P), 1 where a pair is of a worker

    @classmethod
    def of(cls, votes: Votes) -> "Incidence":
        """Of votes in the order of their items."""
        n, n_workers, k = len(votes.items), len(votes.workers), len(votes.classes)
        keys, pair = np.unique(votes.worker * k + votes.label, return_inverse=True)
        worker, label = np.divmod(keys, k)
        of_pairs = sparse.csr_array((np.ones(len(votes)), (pair, votes.item)), (len(keys), n))
        places = np.arange(len(keys))
        of_workers = sparse.csr_array(
            (np.ones(len(keys)), (worker, places)), (n_workers, len(keys))
        )
        starts = np.searchsorted(votes.item, np.arange(n + 1))
        first_pair = np.searchsorted(worker, np.arange(n_workers + 1))
        return cls(
            *(votes.item, pair, starts, worker, label, first_pair),
            *(n_workers, k, of_pairs, of_workers),
        )

    @property
    def n_votes(self) -> np.ndarray:
        """Votes of each item, (N,)."""
        return np.diff(self.starts)

    def blocks(self) -> Iterator[tuple[slice, slice]]:
        """Ranges of items and of their votes, so many that their probabilities fit into memory."""
        n, most = len(self.starts) - 1, max(1, VOTE_NUMBERS // self.n_classes)
        first = 0
        while first < n:
            last = int(np.searchsorted(self.starts, self.starts[first] + most, side="right")) - 1
            last = min(max(last, first + 1), n)
            yield slice(first, last), slice(self.starts[first], self.starts[last])
            first = last

    def pairs_of(self, worker: int) -> slice:
        """The pairs of a worker."""
        return slice(self.first_pair[worker], self.first_pair[worker + 1])

    def by_item(self, of_votes: np.ndarray, items: slice) -> np.ndarray:
        """Sums over the votes of each of some items, of what each vote has; (n, K)."""
        starts = self.starts[items.start : items.stop + 1] - self.starts[items.start]
        shape = len(starts) - 1, len(of_votes)
        members = sparse.csr_array((np.ones(shape[1]), np.arange(shape[1]), starts), shape=shape)
        return members @ of_votes
