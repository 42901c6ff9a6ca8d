"""From votes to findings: what each item is, which majority labels are wrong, who is unreliable."""

from collections.abc import Callable

import numpy as np

from ..._format import percent
from .._noise_rate import NoiseRate
from .._settings import FEATURE_ROUNDS, MATRIX_NUMBERS, MOST_WITHOUT_SKILL, OTHER_WEIGHTS
from ._ask import gain_of_asking
from ._copying import copying_note, copying_workers, counted_once
from ._features import ByFeatures, ByShares, Heard
from ._findings import VoteFindings
from ._incidence import Incidence
from ._posterior import ClassPosterior, class_posterior_of_votes, softmax_rows, start
from ._skill import agree_beyond_chance
from ._vote_weight import choose_vote_weight, tempered_logs
from ._votes import Votes
from ._workers import describe_workers

Hear = Callable[[np.ndarray], Heard]


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
    t = choose_vote_weight(incidence, found, tempers_prior=heard is None)
    has_skill = agree_beyond_chance(once, incidence) or (heard is not None and heard.has_skill)
    others = [_tempered(found, min(1.0, factor * t), heard is None) for factor in OTHER_WEIGHTS]
    proba = _tempered(found, t, heard is None)
    if not has_skill:
        proba, others = _as_voted(votes), []
    wrong = [_p_wrong(votes, each) for each in (proba, *others)]
    voted = votes.n_votes > 0
    return VoteFindings(
        proba=proba,
        p_wrong=wrong[0],
        suspicion=wrong[0],
        workers=describe_workers(votes, first, incidence, found.annotators, proba, t),
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


def _fitted(
    votes: Votes, incidence: Incidence, hear: Hear | None
) -> tuple[ClassPosterior, ByShares | ByFeatures, Heard | None]:
    """The posterior by votes alone; with features by both, models having learnt it twice."""
    prior: ByShares | ByFeatures = ByShares(votes.shares)
    found, heard = class_posterior_of_votes(incidence, start(votes.counts), prior), None
    for _ in range(0 if hear is None else FEATURE_ROUNDS):
        codes = np.where(votes.n_votes > 0, found.proba.argmax(axis=1), -1)
        heard = hear(codes)  # type: ignore[misc]
        prior = ByFeatures(votes.shares, heard.proba)
        found = class_posterior_of_votes(incidence, found.proba, prior)
    return found, prior, heard


def _tempered(found: ClassPosterior, t: float, tempers_prior: bool) -> np.ndarray:
    return softmax_rows(tempered_logs(found.votes, found.prior, t, tempers_prior))


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
    """The mean, and how it changes with the weight of votes, which is what is least known."""
    means = [float(each.mean()) for each in wrong]
    if not has_skill:
        return NoiseRate(means[0], 0.0, float(1 - votes.shares.max()))
    return NoiseRate(means[0], min(means), max(means))


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
