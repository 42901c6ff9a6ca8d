"""From votes to findings: the class of each item, wrong majority labels, unreliable annotators.

Workers are fitted to what the items probably are, and items judged by how workers vote, in turn. A
vote does not vouch for itself: its own share in what is known of its worker is taken out before it
speaks.

Votes of an item are taken for independent, given its class. They are not: what misleads one worker
misleads others. So the posterior is far too sure, and is made less so by a power t of it. It is the
power by which the other votes of an item predict each vote best. What a table tells counts less
still where t is below 1, as its models learnt from the same votes.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import entr

from ..._format import percent
from .._settings import MATRIX_NUMBERS, MOST_WITHOUT_SKILL, SHARED_SHAPE
from ..classes import Grouped, beside_all, match_p_wrong
from ..results._rates_by import NoiseRate
from ._inputs import Votes
from ._models import ByFeatures, ByShares, Heard, is_chosen_in
from ._noise_model import (
    Annotators,
    Incidence,
    Kappas,
    agree_beyond_chance,
    copying_note,
    copying_workers,
    counted_once,
    describe_workers,
    fit_annotators,
)

# Several annotators. `python benchmarks/annotators.py`
VOTE_STEPS = 50  # of the fit at most
VOTE_TOL = 1e-4  # change of a probability that is none
VOTE_WEIGHTS = (1.0, 0.8, 0.65, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1)
OTHER_WEIGHTS = (0.5, 2.0)  # times that: what it may be as well
TABLE_POWER = 2  # of that weight, which what a table tells has besides: `annotators.py simulate`
FEATURE_ROUNDS = 2  # models learn what items probably are, and are heard, so often

CHANCE = 1.645  # standard deviations to either side that hold nine in ten

Hear = Callable[[np.ndarray], Heard]

Prior = Callable[[np.ndarray, int], np.ndarray]  # logs of votes (N, K), step -> log prior (N, K)

# How much votes are worth, compared with what was found most probable; in the order of findings.
REVIEWED_VOTE_WEIGHTS = ("votes as weighed", "votes worth less", "votes worth more")


class VoteFindings(NamedTuple):
    """Of N items, W workers and K classes."""

    proba: np.ndarray  # (N, K), posterior of the class
    p_wrong: np.ndarray  # (N,), that the majority label is not the class; 0 without votes
    suspicion: np.ndarray  # (N,), ranks items: p_wrong before it was limited
    workers: list[dict[str, Any]]  # as `_workers.describe_workers` says
    ask: np.ndarray  # (N,), what one more vote would tell, in nats
    noise_rate: NoiseRate  # of the majority labels
    expected_wrong: NoiseRate  # of the consensus: its sum over items is what is still wrong
    vote_weight: float  # t: what each of several votes counts
    kappa_coin: float  # how alike workers are: votes that the common accuracy is worth
    kappa_matrix: float  # the same of a class of a worker
    feature_weight: float | None  # beta; None without features
    shared: np.ndarray  # (K, K), P(vote | class) of an ordinary worker
    has_skill: bool
    notes: list[str]
    models: list[dict[str, Any]]  # name, weight, agreement
    hypotheses: list[tuple[float, np.ndarray]]  # weight, p_wrong (N,) by other vote weights


def judge_votes(votes: Votes, hear: Hear | None = None) -> VoteFindings:
    """Judge items and workers by each other.

    Parameters
    ----------
    votes : Votes
        Some items may have none.
    hear : callable, optional
        Gets what each item probably is, as codes (N,) with -1 where nothing is known, and gives
        out-of-fold probabilities of models that learnt that; :class:`ItemModels` is one.
    """
    first = copying_workers(votes)
    once = counted_once(votes, first)
    incidence = Incidence.of(once)
    found, prior, heard = _fitted(once, incidence, hear)
    t = choose_vote_weight(incidence, found)
    if heard is not None:
        found = found._replace(prior=weaken_table(found.prior, once.shares, t**TABLE_POWER))
    has_skill = agree_beyond_chance(once, incidence) or (heard is not None and heard.has_skill)
    others = [_tempered(found, min(1.0, factor * t)) for factor in OTHER_WEIGHTS]
    proba = _tempered(found, t)
    if not has_skill:
        proba = _as_voted(votes)
        others = []
    wrong = [_p_wrong(votes, each) for each in (proba, *others)]
    voted = votes.n_votes > 0
    return VoteFindings(
        proba=proba,
        p_wrong=wrong[0],
        suspicion=wrong[0],
        workers=describe_workers(votes, first, incidence, found.annotators, [proba, *others], t),
        ask=gain_of_asking(proba, found.annotators.shared),
        noise_rate=_rate(votes, [each[voted] for each in wrong], has_skill),
        expected_wrong=_rate(votes, [1 - each.max(axis=1) for each in (proba, *others)], has_skill),
        vote_weight=t,
        kappa_coin=found.annotators.kappa_coin,
        kappa_matrix=found.annotators.kappa_matrix,
        feature_weight=prior.weight if isinstance(prior, ByFeatures) else None,
        shared=found.annotators.shared,
        has_skill=has_skill,
        notes=[*_notes(votes, incidence, has_skill), *copying_note(votes, first)],
        models=[] if heard is None else heard.models,
        hypotheses=_hypotheses(wrong),
    )


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


def _fitted(
    votes: Votes, incidence: Incidence, hear: Hear | None
) -> tuple[ClassPosterior, ByShares | ByFeatures, Heard | None]:
    """The posterior by votes alone; with features by both, models having learnt it twice."""
    prior: ByShares | ByFeatures = ByShares(votes.shares)
    found = class_posterior_of_votes(incidence, start(votes.counts), prior)
    heard = None
    for _ in range(0 if hear is None else FEATURE_ROUNDS):
        codes = np.where(votes.n_votes > 0, found.proba.argmax(axis=1), -1)
        heard = hear(codes)  # type: ignore[misc]
        prior = ByFeatures(votes.shares, heard.proba)
        found = class_posterior_of_votes(incidence, found.proba, prior)
    return found, prior, heard


def _tempered(found: ClassPosterior, t: float) -> np.ndarray:
    return softmax_rows(t * (found.votes + found.prior))


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
    """That the majority label is not the class; 0 where there is no vote."""
    own = proba[np.arange(len(proba)), votes.majority]
    return np.where(votes.n_votes > 0, np.clip(1 - own, 0, 1), 0.0)


def _rate(votes: Votes, wrong: list[np.ndarray], has_skill: bool) -> NoiseRate:
    """The mean, how it changes with the weight of votes, which is least known, and by chance.

    If each label is wrong by itself with its probability p, the number of wrong ones has the
    variance sum p (1 - p).
    """
    means = [float(each.mean()) for each in wrong]
    if not has_skill:
        return NoiseRate(means[0], 0.0, float(1 - votes.shares.max()))
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
            f"them which labels are wrong: anything from none to {percent(1 - votes.shares.max())} "
            "is possible. Nothing is flagged."
        )
    if incidence.n_workers * incidence.n_classes**2 > MATRIX_NUMBERS:
        notes.append("Workers and classes are too many to keep what each worker takes for what.")
    return [*notes, *votes.notes]


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
        said = of_pairs[pair]
        all_said = of_rows[incidence.worker[pair]]
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


def choose_vote_weight(incidence: Incidence, found: ClassPosterior) -> float:
    """The weight t by which votes are predicted best."""
    return float(VOTE_WEIGHTS[int(np.argmax(votes_by_others(incidence, found)))])


def votes_by_others(incidence: Incidence, found: ClassPosterior) -> np.ndarray:
    """Log-probability of all votes, each given the others of its item, for each weight t; (T,).

    It is the sum of log sum_c q(c) p_v(c), where q is proportional to exp(t (log q[i] - log p_v)).
    Single votes of an item are left out.
    """
    totals = np.zeros(len(VOTE_WEIGHTS))
    prior = np.broadcast_to(found.prior, found.votes.shape)
    for _, votes, logs in vote_logs(incidence, found.annotators, found.before):
        at = incidence.item[votes]
        several = incidence.n_votes[at] > 1
        others = found.votes[at] - logs + prior[at]
        likelihood = np.exp(logs)
        for place, t in enumerate(VOTE_WEIGHTS):
            q = softmax_rows(t * others)
            totals[place] += np.log((q * likelihood).sum(axis=1))[several].sum()
    return totals


def gain_of_asking(proba: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """What a vote of an ordinary worker tells about the class of each item, in nats; (N,).

    H(sum_c q_c M_c) - sum_c q_c H(M_c), the mutual information of vote and class. O(N K²).

    Examples
    --------
    >>> sure, open_ = [1.0, 0.0], [0.5, 0.5]
    >>> gain_of_asking(np.array([sure, open_]), np.array([[0.8, 0.2], [0.2, 0.8]])).round(3)
    array([0.   , 0.193])
    """
    gain = entr(proba @ shared).sum(axis=1) - proba @ entr(shared).sum(axis=1)
    return np.maximum(gain, 0.0)


def grouped_weights(found: VoteFindings) -> Grouped:
    """Other weights of votes, and the probability that each majority is wrong under them."""
    kinds = REVIEWED_VOTE_WEIGHTS[: len(found.hypotheses)]
    weights = np.array([weight for weight, _ in found.hypotheses])
    p = np.stack([p_wrong for _, p_wrong in found.hypotheses], axis=1).astype(np.float32)
    return match_p_wrong(beside_all(kinds, weights / weights.sum(), p), found.p_wrong)
