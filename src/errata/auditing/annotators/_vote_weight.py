"""The vote weight: what each vote counts where voters err on the same items.

Votes of an item are taken for independent, given its class. They are not: what misleads one worker
misleads others. So the posterior is far too sure, and is made less so by a power t of it. It is the
power by which the other votes of an item predict each vote best.
"""

import numpy as np

from .._settings import VOTE_WEIGHTS
from ._incidence import Incidence
from ._posterior import ClassPosterior, softmax_rows, vote_logs


def choose_vote_weight(
    incidence: Incidence, found: ClassPosterior, *, tempers_prior: bool = True
) -> float:
    """The weight t by which votes are predicted best."""
    totals = votes_by_others(incidence, found, tempers_prior=tempers_prior)
    return float(VOTE_WEIGHTS[int(np.argmax(totals))])


def votes_by_others(
    incidence: Incidence, found: ClassPosterior, *, tempers_prior: bool = True
) -> np.ndarray:
    """Log-probability of all votes, each given the others of its item, for each weight t; (T,).

    It is the sum of log sum_c q(c) p_v(c), where q is proportional to exp(t (log q[i] - log p_v));
    where the prior is not tempered, t acts on the votes alone. Single votes of an item are left
    out.
    """
    totals = np.zeros(len(VOTE_WEIGHTS))
    prior = np.broadcast_to(found.prior, found.votes.shape)
    for _, votes, logs in vote_logs(incidence, found.annotators, found.before):
        at = incidence.item[votes]
        several = incidence.n_votes[at] > 1
        others, likelihood, before = found.votes[at] - logs, np.exp(logs), prior[at]
        for place, t in enumerate(VOTE_WEIGHTS):
            q = softmax_rows(tempered_logs(others, before, t, tempers_prior))
            totals[place] += np.log((q * likelihood).sum(axis=1))[several].sum()
    return totals


def tempered_logs(
    votes: np.ndarray, prior: np.ndarray, t: float, tempers_prior: bool
) -> np.ndarray:
    """Logarithms of the posterior in which votes count t each."""
    return t * (votes + prior) if tempers_prior else t * votes + prior
