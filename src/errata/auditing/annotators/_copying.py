"""Workers who copy each other: their votes are one opinion, and count once.

A few copies of a bad worker agree with each other in all they say, and would be taken for the only
ones who know.
"""

from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from ..._format import count, listed
from .._settings import COPIED_VOTES, COPIES_AGREE
from ._votes import Votes


def copying_workers(votes: Votes) -> np.ndarray:
    """For each worker the first of those who say the same as he does, be it himself; (W,).

    Two workers copy if they say the same of nearly all items that both have seen and that somebody
    sees differently, when these are many: good workers, who are right most of the time on items
    that are not easy, differ more often.
    """
    n, n_workers, k = len(votes.items), len(votes.workers), len(votes.classes)
    contested = np.sum(votes.counts > 0, axis=1)[votes.item] > 1
    item, worker, label = (each[contested] for each in (votes.item, votes.worker, votes.label))
    ones = np.ones(len(item))
    seen = sparse.csr_array((ones, (worker, item)), (n_workers, n))
    said = sparse.csr_array((ones, (worker, item * k + label)), (n_workers, n * k))
    both, same = (each @ each.T for each in (seen, said))
    enough = both.tocoo()
    kept = enough.data >= COPIED_VOTES
    rows, columns = enough.row[kept], enough.col[kept]
    alike = same.tocsr()[rows, columns] >= COPIES_AGREE * enough.data[kept]
    pairs = (np.ones(int(alike.sum())), (rows[alike], columns[alike]))
    graph = sparse.coo_array(pairs, shape=(n_workers, n_workers))
    group = connected_components(graph, directed=False)[1]
    first = np.full(group.max() + 1, n_workers)
    np.minimum.at(first, group, np.arange(n_workers))
    return first[group]


def counted_once(votes: Votes, first: np.ndarray) -> Votes:
    """The same votes, where those who copy are one worker, the first of them."""
    k = len(votes.classes)
    key = (votes.item * len(first) + first[votes.worker]) * k + votes.label
    pair, label = np.divmod(np.unique(key), k)
    item, worker = np.divmod(pair, len(first))
    return replace(votes, item=item, worker=worker, label=label)


def copying_note(votes: Votes, first: np.ndarray) -> list[str]:
    """A sentence about workers who copy, if there are any."""
    sizes = np.bincount(first, minlength=len(first))
    copies = sizes[first] > 1
    if not copies.any():
        return []
    groups = int(np.sum(sizes > 1))
    each = "they count as one" if groups == 1 else f"their {count(groups)} groups count as one each"
    return [
        f"{count(int(copies.sum()))} workers give the same votes as another of them, mistakes "
        f"included ({listed(votes.workers[copies], most=5)}): {each}."
    ]
