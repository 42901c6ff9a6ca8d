"""From the posterior over noise hypotheses to the probability that each label is wrong."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ._copies import conflict_share, group_vote
from ._hypotheses import BOUNDARY
from ._noise_posterior import NoisePosterior, noise_posterior
from ._pool import blocks, largest, some_rows
from ._settings import MOST_WITHOUT_SKILL, NOISE_ROWS, UNEVEN
from ._skill import Skill, skill_of

MOST_OF_THE_WEIGHT = (
    0.98  # hypotheses that rows are judged by: every one costs as much as the first
)


class Posterior(NamedTuple):
    """What is known of every label, and of all of them together."""

    p_wrong: np.ndarray  # (n,)
    suspicion: np.ndarray  # (n,), for ranking
    other: np.ndarray  # (n,), code of the most probable class besides the label
    p_other: np.ndarray  # (n,), its probability
    p_elsewhere: np.ndarray  # (n,), p_wrong if labels near the borders of classes are not noisy
    joint: np.ndarray  # (K, K), expected fraction of rows of class c with label l
    noise: NoisePosterior
    rates: np.ndarray  # fraction of wrong labels of this table under each hypothesis
    skill: Skill
    low: float  # of the noise rate
    high: float

    @property
    def rate(self) -> float:
        """Expected fraction of wrong labels, the one that ``joint`` implies."""
        return float(self.p_wrong.mean())

    @property
    def prior(self) -> np.ndarray:
        """Expected shares of the classes."""
        return self.joint.sum(axis=1)

    @property
    def transition(self) -> np.ndarray:
        """``T[c, l] = P(label = l | class = c)``, that of the expected errors."""
        share = self.prior[:, None]
        return np.divide(self.joint, share, out=np.eye(len(share)), where=share > 1e-12)


def posterior_of(
    logs: np.ndarray,
    codes: np.ndarray,
    random: np.random.Generator,
    equal: np.ndarray | None = None,
) -> Posterior:
    """Learn the noise from some of the rows, then judge all of them.

    ``equal`` holds for each row the number of its group of equal rows.
    """
    rows = some_rows(len(codes), len(logs), random, at_most=NOISE_ROWS)
    noise = noise_posterior(logs.take(rows, axis=1).astype(float), codes[rows])
    return posterior_by(noise, logs, codes, equal)


def posterior_by(
    noise: NoisePosterior, logs: np.ndarray, codes: np.ndarray, equal: np.ndarray | None = None
) -> Posterior:
    """Judge every label by what is known of the noise, a block of rows at a time."""
    n_classes, n = logs.shape
    skill = skill_of(logs, codes)
    most = 1.0 if skill.enough else MOST_WITHOUT_SKILL
    vote = _vote_of_equal_rows(noise, logs, codes, equal)
    heard, unevenness = _weightiest(noise), noise.unevenness
    p_wrong, suspicion, p_elsewhere = np.empty(n), np.empty(n), np.empty(n)
    p_other = np.empty(n, dtype=np.float32)
    other, joint = np.empty(n, dtype=np.int16), np.zeros(n_classes * n_classes)
    right = np.zeros(len(noise.hypotheses))
    for block in blocks(n, n_classes):
        here, labels = noise.calibration.apply(logs[:, block]), codes[block]
        own = (labels, np.arange(len(labels)))
        given, ranked, elsewhere = _classes_given_labels(heard, here, labels, right)
        p_elsewhere[block] = np.minimum(vote(1 - elsewhere, block), most)
        p_wrong[block] = _set_wrong(given, own, np.minimum(vote(1 - given[own], block), most))
        surprise = -np.expm1(here[own].astype(float))
        suspicion[block] = between(vote(1 - ranked, block), surprise, unevenness)
        cells = np.arange(n_classes)[:, None] * n_classes + labels
        joint += np.bincount(cells.ravel(), weights=given.ravel(), minlength=len(joint))
        given[own] = -1
        other[block], p_other[block] = largest(given)
    rate = float(p_wrong.mean())
    low, high = noise.interval(n) if skill.enough else (0.0, 1 - skill.largest_share)
    return Posterior(
        p_wrong=p_wrong,
        suspicion=suspicion,
        other=other,
        p_other=p_other,
        p_elsewhere=p_elsewhere,
        joint=joint.reshape(n_classes, n_classes) / n,
        noise=noise,
        rates=np.where(right > 0, 1 - right / n, [h.rate for h in noise.hypotheses]),
        skill=skill,
        low=min(low, rate),
        high=max(high, rate),
    )


def _classes_given_labels(
    heard: list[tuple], logs: np.ndarray, codes: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Probabilities of classes, shape (K, n); of the labels in the ranking, and without borders.

    ``heard`` are the hypotheses of :func:`_weightiest`. To ``right`` the expected number of right
    labels under each of them is added.
    """
    given, ranked, elsewhere = np.zeros_like(logs), np.zeros(len(codes)), np.zeros(len(codes))
    own, others = (codes, np.arange(len(codes))), 0.0
    for place, hypothesis, weight, rank in heard:
        part = hypothesis.classes_given_labels(logs, codes)
        right[place] += part[own].sum(dtype=float)
        ranked += rank * part[own]
        if hypothesis.kind != BOUNDARY:
            elsewhere += weight * part[own]
            others += weight
        part *= logs.dtype.type(weight)
        given += part
    return given, ranked, elsewhere / max(others, 1e-12)


def _weightiest(noise: NoisePosterior) -> list[tuple]:
    """Place, hypothesis and both weights of those that make up most of either weight."""
    kept = _most(noise.weights) | _most(noise.ranking)
    weights, ranking = noise.weights * kept, noise.ranking * kept
    weights, ranking = weights / weights.sum(), ranking / ranking.sum()
    return [(i, noise.hypotheses[i], weights[i], ranking[i]) for i in np.flatnonzero(kept)]


def _most(weights: np.ndarray) -> np.ndarray:
    order = np.argsort(-weights, kind="stable")
    enough = int(np.searchsorted(np.cumsum(weights[order]), MOST_OF_THE_WEIGHT)) + 1
    heavy = np.zeros(len(weights), dtype=bool)
    heavy[order[:enough]] = True
    return heavy


def _set_wrong(given: np.ndarray, own: tuple, wanted: np.ndarray) -> np.ndarray:
    """Make the labels of ``given`` wrong with the probabilities wanted, the other classes in scale.

    A label that was certain leaves nothing to scale: then it stays so.
    """
    others = given.sum(axis=0) - given[own]
    wanted = np.where(others > 0, wanted, 0.0)
    scale = np.divide(wanted, others, out=np.zeros(len(wanted)), where=others > 0)
    given *= scale.astype(given.dtype)
    given[own] = 1 - wanted
    return wanted


def _vote_of_equal_rows(
    noise: NoisePosterior, logs: np.ndarray, codes: np.ndarray, equal: np.ndarray | None
) -> Callable[[np.ndarray, slice], np.ndarray]:
    """A function that raises p_wrong of a block where equal rows have different labels.

    Part of the conflicts is overlap: labels of equal rows that models expect to differ. For the
    others the rows of a group vote.
    """
    if equal is None or equal.max() + 1 == len(equal):
        return lambda p, block: np.maximum(p, 0)
    several = np.flatnonzero(np.bincount(equal)[equal] > 1)
    groups = np.unique(equal[several], return_inverse=True)[1]
    q = np.exp(noise.calibration.apply(logs[:, several]).astype(float))
    part = conflict_share(groups, codes[several], q)
    votes = np.full(len(codes), np.nan)
    votes[several] = group_vote(groups, codes[several], q, noise.transition)

    def raised(p: np.ndarray, block: slice) -> np.ndarray:
        return np.fmax(np.maximum(p, 0), part * votes[block] + (1 - part) * p)

    return raised


def between(p_wrong: np.ndarray, surprise: np.ndarray, uneven: float) -> np.ndarray:
    """A place between the log-odds of a wrong label and those of any other label.

    The first know the noise, but only as well as it could be learnt; the second know none. Together
    they rank better than either over many data sets and kinds of noise. It is the middle when all
    classes are wrong as often; the more they differ, the less plain surprise can tell.
    """
    part = np.exp(-((uneven / UNEVEN) ** 2)) / 2
    return 1 / (1 + np.exp(-(1 - part) * log_odds(p_wrong) - part * log_odds(surprise)))


def log_odds(p: np.ndarray) -> np.ndarray:
    """Logarithms of p / (1 - p), finite: this is faster than scipy's logit."""
    p = p.clip(1e-9, 1 - 1e-9)
    return np.log(p / (1 - p))
