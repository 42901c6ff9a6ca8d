"""The posterior: the class of each item, given all votes and how workers vote.

Workers are fitted to what the items probably are, and items judged by how workers vote, in turn. A
vote does not vouch for itself: its own share in what is known of its worker is taken out before it
speaks.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from .._settings import SHARED_SHAPE, VOTE_STEPS, VOTE_TOL
from ._features import is_chosen_in
from ._incidence import Incidence
from ._noise_model import Annotators, Kappas, fit_annotators

Prior = Callable[[np.ndarray, int], np.ndarray]  # logs of votes (N, K), step -> log prior (N, K)


class ClassPosterior(NamedTuple):
    """Of each item; each vote counts in full."""

    votes: np.ndarray  # (N, K), sum of the log-likelihoods of its votes
    prior: np.ndarray  # (N, K) or (K,), logarithm of what is known before any vote
    before: np.ndarray  # (N, K), the posterior that workers were fitted to
    annotators: Annotators

    @property
    def proba(self) -> np.ndarray:
        """The posterior, (N, K)."""
        return softmax_rows(self.votes + self.prior)


def start(counts: np.ndarray) -> np.ndarray:
    """The votes themselves as probabilities, drawn to nothing by one vote for each item."""
    k = counts.shape[1]
    return (counts + 1 / k) / (counts.sum(axis=1, keepdims=True) + 1)


def class_posterior_of_votes(
    incidence: Incidence,
    q: np.ndarray,
    prior: Prior,
    kappas: Kappas | None = None,
    *,
    shape: float = SHARED_SHAPE,
    leaves_out: bool = True,
    steps: int = VOTE_STEPS,
) -> ClassPosterior:
    """Fit workers and items in turn, from ``q`` on, until no probability changes any more.

    Parameters
    ----------
    incidence : Incidence
    q : array of shape (N, K)
        Where to begin.
    prior : callable
        Gives what is known of the items before any vote, by what votes say and the step.
    kappas : Kappas, optional
        Fixed ones, which only tests need.
    shape : float
        See :func:`shared_matrix`.
    leaves_out : bool
        Whether the own share of a vote is taken out; as in the algorithm of Dawid and Skene if not.
    """
    given = kappas is not None
    kappas = kappas or Kappas()
    for step in range(steps):
        annotators = fit_annotators(incidence, q, kappas, shape)
        votes = np.empty_like(q)
        for items, _, logs in vote_logs(incidence, annotators, q, leaves_out=leaves_out):
            votes[items] = incidence.by_item(logs, items)
        found = ClassPosterior(votes, prior(votes, step), q, annotators)
        q = found.proba
        if np.abs(q - found.before).max() < VOTE_TOL:
            break
        if not given:
            fixed = not is_chosen_in(step + 1)
            kappas = Kappas(annotators.kappa_coin, annotators.kappa_matrix, fixed)
    return found


def vote_logs(
    incidence: Incidence, annotators: Annotators, q: np.ndarray, *, leaves_out: bool = True
) -> Iterator[tuple[slice, slice, np.ndarray]]:
    """Items, their votes, and log P(vote | class) of these votes, block by block.

    p_v(c) = (C[w, c, l] - q[i, c] + kappa M_w[c, l]) / (C[w, c, .] - q[i, c] + kappa), where C
    counts the votes of a worker and q[i, c] is what this vote adds to them.
    """
    kappa = annotators.kappa_matrix
    of_pairs = annotators.counts + kappa * annotators.prior
    of_rows = annotators.totals + kappa
    for items, votes in incidence.blocks():
        pair = incidence.pair[votes]
        said, all_said = of_pairs[pair], of_rows[incidence.worker[pair]]
        if leaves_out:
            own = q[incidence.item[votes]]
            said -= own
            all_said -= own
        said /= all_said
        yield items, votes, np.log(np.maximum(said, np.finfo(float).tiny, out=said), out=said)


def softmax_rows(logs: np.ndarray) -> np.ndarray:
    """Probabilities from logarithms, in each row."""
    p = np.exp(logs - logs.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)
