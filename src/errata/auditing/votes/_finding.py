"""From votes to findings: the class of each item, wrong majority labels, unreliable annotators.

Workers are fitted to what the items probably are, and items judged by how workers vote, in turn. A
vote does not vouch for itself: its own share in what is known of its worker is taken out before it
speaks.

Votes of an item are taken for independent, given its class. They are not: what misleads one worker
misleads others. So the posterior is far too sure, and is made less so by a power t of it. It is the
power by which the other votes of an item predict each vote best. What a table tells counts less
still where t is below 1, as its models learnt from the same votes.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.special import entr

from ..._format import count, join_names, percent
from .._settings import MOST_WITHOUT_SKILL
from ..classes import Groups, beside_all, match_p_wrong, with_unforeseen
from ..results._rates_by import NoiseRate
from ._inputs import Votes
from ._models import ByFeatures, Predicted, Prior, is_chosen_in
from ._noise_model import (
    MATRIX_NUMBERS,
    SHARED_SHAPE,
    Annotators,
    Incidence,
    agree_beyond_chance,
    describe_workers,
)

# Several annotators. `python benchmarks/votes.py`
VOTE_STEPS = 50  # of the fit at most
VOTE_TOL = 1e-4  # change of a probability that is none
VOTE_WEIGHTS = (1.0, 0.8, 0.65, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1)
OTHER_WEIGHTS = (0.4, 2.0)  # times that: what it may be as well
MOST_WORTH = 1.25  # weight of a vote at most: annotators may be better than they were learnt to be
TABLE_POWER = 2  # of that weight, which what a table tells has besides: `votes.py simulate`
COPIED_VOTES = 100  # of items not clear to all, from which workers copy
COPIES_AGREE = 0.99  # fraction of them that is the same
FEATURE_ROUNDS = 2  # models learn what items probably are, and predict, so often

CHANCE = 1.645  # standard deviations to either side that hold nine in ten

# How much votes are worth, compared with what was found most probable; in the order of findings.
REVIEWED_VOTE_WEIGHTS = ("votes as weighed", "votes worth less", "votes worth more")


class JudgedVotes:
    """Items and workers judged by each other: N items, W workers, K classes.

    Parameters
    ----------
    votes : Votes
        Some items may have none.
    predict : callable, optional
        Gets what each item probably is, as codes (N,) with -1 where nothing is known, and gives
        out-of-fold probabilities of models that learnt that; :class:`ItemModels` is one. What is
        found with them is learnt once more.

    Attributes
    ----------
    proba : array of shape (N, K)
        Posterior of the class.
    p_wrong, suspicion : arrays of shape (N,)
        That the majority label is not the class, 0 without votes; it ranks items, too.
    workers : list of dict
        See :func:`describe_workers`.
    ask : array of shape (N,)
        What one more vote would tell, in nats.
    noise_rate, expected_wrong : NoiseRate
        Of the majority labels; of the consensus, whose sum over items is what is still wrong.
    vote_weight : float
        t, what each of several votes counts.
    kappa_coin, kappa_matrix : float
        How alike workers are, and a class of theirs: votes that what they share is worth.
    shared : array of shape (K, K)
        P(vote | class) of an ordinary worker.
    feature_weight : float or None
        beta; None without features.
    has_skill : bool
    notes : list of str
    models : list of dict
        Name, weight and agreement.
    hypotheses : list of (float, array of shape (N,))
        Weight, and p_wrong by other weights of votes.
    """

    def __init__(
        self, votes: Votes, predict: Callable[[np.ndarray], Predicted] | None = None
    ) -> None:
        self.votes = votes
        first = find_copying_workers(votes)
        once = count_copies_once(votes, first)
        incidence = Incidence(once)
        share = keep_shares(once.shares)
        posterior = class_posterior_of_votes(incidence, start(once.counts), share)
        self.has_skill = agree_beyond_chance(once, incidence)
        self.models: list[dict[str, Any]] = []
        self.feature_weight = None
        if predict is not None:
            for _ in range(FEATURE_ROUNDS):
                codes = np.where(once.n_votes > 0, posterior.proba.argmax(axis=1), -1)
                predicted, self.models, models_have_skill = predict(codes)
                prior = ByFeatures(once.shares, predicted)
                posterior = class_posterior_of_votes(incidence, posterior.proba, prior)
            self.has_skill = self.has_skill or models_have_skill
            self.feature_weight = prior.weight
        t = choose_vote_weight(incidence, posterior)
        if predict is not None:
            weaker = weaken_table(posterior.prior, once.shares, t**TABLE_POWER)
            posterior = posterior._replace(prior=weaker)
        self.vote_weight = t
        annotators = posterior.annotators
        self.kappa_coin = annotators.kappa_coin
        self.kappa_matrix = annotators.kappa_matrix
        self.shared = annotators.shared
        others = [posterior.temper(min(MOST_WORTH, factor * t)) for factor in OTHER_WEIGHTS]
        self.proba = posterior.temper(t)
        if not self.has_skill:
            self.proba = _as_voted(votes)
            others = []
        all_weights = [self.proba, *others]
        self.workers = describe_workers(votes, first, annotators, all_weights, t)
        self.ask = gain_of_asking(self.proba, self.shared)
        wrong = [_p_wrong(votes, each) for each in all_weights]
        self.p_wrong = wrong[0]
        self.suspicion = wrong[0]
        self.hypotheses = _hypotheses(wrong)
        voted = votes.n_votes > 0
        self.noise_rate = _rate(votes, [each[voted] for each in wrong], self.has_skill)
        unlikely = [1 - each.max(axis=1) for each in all_weights]
        self.expected_wrong = _rate(votes, unlikely, self.has_skill)
        self.notes = [*_notes(votes, incidence, self.has_skill), *note_copying(votes, first)]

    def group_hypotheses(self) -> Groups:
        """Other weights of votes, and the probability that each majority is wrong under them."""
        kinds = REVIEWED_VOTE_WEIGHTS[: len(self.hypotheses)]
        weights = np.array([weight for weight, _ in self.hypotheses])
        weights /= weights.sum()
        p = np.stack([p_wrong for _, p_wrong in self.hypotheses], axis=1).astype(np.float32)
        p = with_unforeseen(p, p @ weights)
        groups, weights = beside_all(kinds, weights)
        return groups, weights, match_p_wrong(p, weights, self.p_wrong)


def find_copying_workers(votes: Votes) -> np.ndarray:
    """For each worker the first of those who say the same as he does, be it himself; (W,).

    Two workers copy if they say the same of nearly all items that both have seen and that somebody
    sees differently, when these are many: good workers, who are right most of the time on items
    that are not easy, differ more often.
    """
    n = len(votes.items)
    n_workers = len(votes.workers)
    k = len(votes.classes)
    contested = np.sum(votes.counts > 0, axis=1)[votes.item] > 1
    item, worker, label = (each[contested] for each in (votes.item, votes.worker, votes.label))
    ones = np.ones(len(item))
    seen = sparse.csr_array((ones, (worker, item)), (n_workers, n))
    said = sparse.csr_array((ones, (worker, item * k + label)), (n_workers, n * k))
    both, same = (each @ each.T for each in (seen, said))
    enough = both.tocoo()
    kept = enough.data >= COPIED_VOTES
    rows = enough.row[kept]
    columns = enough.col[kept]
    alike = same.tocsr()[rows, columns] >= COPIES_AGREE * enough.data[kept]
    pairs = (np.ones(int(alike.sum())), (rows[alike], columns[alike]))
    graph = sparse.coo_array(pairs, shape=(n_workers, n_workers))
    group = connected_components(graph, directed=False)[1]
    first = np.full(group.max() + 1, n_workers)
    np.minimum.at(first, group, np.arange(n_workers))
    return first[group]


def count_copies_once(votes: Votes, first: np.ndarray) -> Votes:
    """The same votes, where those who copy are one worker, the first of them."""
    if np.array_equal(first, np.arange(len(first))):
        return votes
    k = len(votes.classes)
    key = (votes.item * len(first) + first[votes.worker]) * k + votes.label
    pair, label = np.divmod(np.unique(key), k)
    item, worker = np.divmod(pair, len(first))
    return replace(votes, item=item, worker=worker, label=label)


def note_copying(votes: Votes, first: np.ndarray) -> list[str]:
    """A sentence about workers who copy, if there are any."""
    sizes = np.bincount(first, minlength=len(first))
    copies = sizes[first] > 1
    if not copies.any():
        return []
    groups = int(np.sum(sizes > 1))
    each = "they count as one" if groups == 1 else f"their {count(groups)} groups count as one each"
    return [
        f"{count(int(copies.sum()))} workers give the same votes as another of them, mistakes "
        f"included ({join_names(votes.workers[copies], most=5)}): {each}."
    ]


class ClassPosterior(NamedTuple):
    """Of each item; each vote counts in full."""

    votes: np.ndarray  # (N, K), sum of the log-likelihoods of its votes
    prior: np.ndarray  # (N, K) or (K,), logarithm of what is known before any vote
    before: np.ndarray  # (N, K), the posterior that workers were fitted to
    annotators: Annotators

    @property
    def proba(self) -> np.ndarray:
        """The posterior, (N, K)."""
        return self.temper(1.0)

    def temper(self, t: float) -> np.ndarray:
        """The posterior if each vote, and what is known before, counted ``t``."""
        return softmax_rows(t * (self.votes + self.prior))


def weaken_table(prior: np.ndarray, shares: np.ndarray, power: float) -> np.ndarray:
    """Logarithm of what a table tells before any vote, part of the way to the shares of classes.

    Models learn what workers say. Where workers err on the same items, models err there, too, and
    that the votes bear them out proves nothing.
    """
    return power * prior + (1 - power) * np.log(shares)


def _as_voted(votes: Votes) -> np.ndarray:
    """Nearly certain of what was voted, as nothing speaks for anything else."""
    others = np.tile(votes.shares, (len(votes.items), 1))
    voted = np.flatnonzero(votes.n_votes > 0)
    own = voted, votes.majority[voted]
    others[own] = 0
    rest = MOST_WITHOUT_SKILL * others[voted] / others[voted].sum(axis=1, keepdims=True)
    proba = np.tile(votes.shares, (len(votes.items), 1))
    proba[voted] = rest
    proba[own] = 1 - MOST_WITHOUT_SKILL
    return proba


def _p_wrong(votes: Votes, proba: np.ndarray) -> np.ndarray:
    """The probability that the majority label is not the class; 0 without votes."""
    own = proba[np.arange(len(proba)), votes.majority]
    return np.where(votes.n_votes > 0, np.clip(1 - own, 0, 1), 0.0)


def _rate(votes: Votes, wrong: list[np.ndarray], has_skill: bool) -> NoiseRate:
    """The mean, how it changes with the weight of votes, which is least known, and by chance.

    If each label is wrong by itself with its probability p, the number of wrong ones has the
    variance sum p (1 - p).
    """
    means = [float(each.mean()) for each in wrong]
    if not has_skill:  # all items may be of the rarest class
        return NoiseRate(means[0], 0.0, float(1 - votes.shares.min()))
    by_chance = CHANCE * float(np.sqrt(np.sum(wrong[0] * (1 - wrong[0])))) / len(wrong[0])
    return NoiseRate(means[0], max(0.0, min(means) - by_chance), min(1.0, max(means) + by_chance))


def _hypotheses(wrong: list[np.ndarray]) -> list[tuple[float, np.ndarray]]:
    """The chosen weight of votes has half of the weight, the others share the rest."""
    others = wrong[1:]
    if not others:
        return [(1.0, wrong[0])]
    return [(0.5, wrong[0]), *((0.5 / len(others), each) for each in others)]


def _notes(votes: Votes, incidence: Incidence, has_skill: bool) -> list[str]:
    notes = []
    if not has_skill:
        notes.append(
            "Votes on one item agree no more often than chance makes them, so nobody can say from "
            f"them which labels are wrong: anything from none to {percent(1 - votes.shares.min())} "
            "is possible. Nothing is flagged."
        )
    if incidence.n_workers * incidence.n_classes**2 > MATRIX_NUMBERS:
        notes.append("Workers and classes are too many to keep what each worker takes for what.")
    return [*notes, *votes.notes]


def keep_shares(shares: np.ndarray) -> Prior:
    """A prior by nothing but how frequent classes are among the majority labels.

    Shares that follow the posterior drift, and rare classes vanish or swell.
    """
    return lambda votes, step: np.log(shares)


def start(counts: np.ndarray) -> np.ndarray:
    """The votes themselves as probabilities, drawn to nothing by one vote for each item."""
    k = counts.shape[1]
    return (counts + 1 / k) / (counts.sum(axis=1, keepdims=True) + 1)


def class_posterior_of_votes(
    incidence: Incidence,
    q: np.ndarray,
    prior: Prior,
    *,
    coin: float | None = None,
    matrix: float | None = None,
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
    coin, matrix : float, optional
        Fixed kappas, which only tests need.
    shape : float
        See :func:`shared_matrix`.
    leaves_out : bool
        Whether the own share of a vote is taken out; as in the algorithm of Dawid and Skene if not.
    """
    given = coin is not None
    fixed = given
    for step in range(steps):
        annotators = Annotators(incidence, q, coin, matrix, fixed=fixed, shape=shape)
        votes = np.empty_like(q)
        for items, _, logs in annotators.vote_logs(q, leaves_out=leaves_out):
            votes[items] = incidence.by_item(logs, items)
        posterior = ClassPosterior(votes, prior(votes, step), q, annotators)
        q = posterior.proba
        if np.abs(q - posterior.before).max() < VOTE_TOL:
            break
        if not given:
            coin = annotators.kappa_coin
            matrix = annotators.kappa_matrix
            fixed = not is_chosen_in(step + 1)
    return posterior


def softmax_rows(logs: np.ndarray) -> np.ndarray:
    """Probabilities from logarithms, in each row; column by column, as columns are few."""
    p = np.exp(logs - reduce(np.maximum, logs.T)[:, None])
    p /= reduce(np.add, p.T)[:, None]
    return p


def choose_vote_weight(incidence: Incidence, posterior: ClassPosterior) -> float:
    """The weight t by which votes are predicted best."""
    return float(VOTE_WEIGHTS[int(np.argmax(votes_by_others(incidence, posterior)))])


def votes_by_others(incidence: Incidence, posterior: ClassPosterior) -> np.ndarray:
    """Log-probability of all votes, each given the others of its item, for each weight t; (T,).

    It is the sum of log sum_c q(c) p_v(c), where q is proportional to exp(t (log q[i] - log p_v)).
    Single votes of an item are left out.
    """
    totals = np.zeros(len(VOTE_WEIGHTS))
    known = posterior.votes + posterior.prior
    for _, votes, logs in posterior.annotators.vote_logs(posterior.before):
        several = incidence.n_votes[incidence.item[votes]] > 1
        at = incidence.item[votes][several]
        logs = logs[several]
        others = known.take(at, axis=0) - logs
        below = others - reduce(np.maximum, others.T)[:, None]
        likelihood = np.exp(logs)
        for k, t in enumerate(VOTE_WEIGHTS):
            q = np.exp(t * below)
            of_votes = np.einsum("vk,vk->v", q, likelihood) / reduce(np.add, q.T)
            totals[k] += np.log(of_votes).sum()
    return totals


def gain_of_asking(proba: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Information in a vote of an ordinary worker about the class of each item, in nats; (N,).

    H(sum_c q_c M_c) - sum_c q_c H(M_c), the mutual information of vote and class. O(N K²).

    Examples
    --------
    >>> sure, open_ = [1.0, 0.0], [0.5, 0.5]
    >>> gain_of_asking(np.array([sure, open_]), np.array([[0.8, 0.2], [0.2, 0.8]])).round(3)
    array([0.   , 0.193])
    """
    gain = entr(proba @ shared).sum(axis=1) - proba @ entr(shared).sum(axis=1)
    return np.maximum(gain, 0.0)
