"""From the posterior over noise hypotheses to the probability that each label is wrong."""

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from ..._blocks import blocks
from .._copies import group_vote, unexplained_conflicts
from .._pooling import largest
from .._settings import (
    CACHED,
    MOST_OF_THE_WEIGHT,
    MOST_WITHOUT_SKILL,
    UNEVEN,
)
from .._skill import Skill, skill_of
from ._hypotheses import BOUNDARY, Hypothesis
from ._noise_posterior import NoisePosterior, noise_posterior
from ._noise_rows import doubtful_are_like_all, noise_rows


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
        """Expected fractions of the classes."""
        return self.joint.sum(axis=1)

    @property
    def transition(self) -> np.ndarray:
        """``T[c, l] = P(label = l | class = c)``, that of the expected errors."""
        prior = self.prior[:, None]
        return np.divide(self.joint, prior, out=np.eye(len(prior)), where=prior > 1e-12)


def posterior_of(
    logs: np.ndarray,
    codes: np.ndarray,
    random: np.random.Generator,
    equal: np.ndarray | None = None,
    units: np.ndarray | None = None,
    known: np.ndarray | None = None,
) -> Posterior:
    """Learn the noise from some of the rows, then compute the posterior of all of them.

    Parameters
    ----------
    logs : array of shape (K, n)
        Logarithms of the pooled probabilities of the labels.
    codes : array of shape (n,)
        The labels.
    random : Generator
        Draws the rows that the noise is learnt from, where there are many.
    equal : array of int of shape (n,), optional
        For each row the number of its group of equal rows.
    units : array of int of shape (n,), optional
        For each row the number of its unit, where rows are right or wrong together, as neighbours
        in time are. Evidence is counted by units: a thousand rows in ten units say no more than
        some ten rows do.
    known : array of bool of shape (n,), optional
        Labels that are certain. They are no draw from the noisy labels, so nothing is learnt about
        the noise from them, unless the others lack a label that is frequent among all; and they
        are right in all that is counted.
    """
    rows = noise_rows(codes, len(logs), random, units, known)
    noise = noise_posterior(logs.take(rows, axis=1).astype(float), codes[rows])
    return posterior_given_noise(noise, logs, codes, equal, units, known)


def posterior_given_noise(
    noise: NoisePosterior,
    logs: np.ndarray,
    codes: np.ndarray,
    equal: np.ndarray | None = None,
    units: np.ndarray | None = None,
    known: np.ndarray | None = None,
) -> Posterior:
    """The posterior of every label by what is known of the noise, a block of rows at a time."""
    n_classes, n = logs.shape
    skill = skill_of(logs, codes, units)
    highest = 1.0 if skill.enough else MOST_WITHOUT_SKILL
    rule = _Rule(noise, weightiest(noise), noise.unevenness, highest)
    vote = _vote_of_equal_rows(noise, logs, codes, equal)
    rows = _together(
        [
            _rows_posterior(
                *(rule, logs[:, block], codes[block], vote and vote.for_rows(block)),
                None if known is None else known[block],
            )
            for block in blocks(n, CACHED, width=n_classes)
        ]
    )
    rate = float(rows.p_wrong.mean())
    # Only columns that tell something may narrow the interval.
    counted = n if units is None else int(units.max()) + 1
    low, high = noise.interval(counted) if skill.enough else (0.0, 1 - skill.largest_frequency)
    if known is not None and doubtful_are_like_all(codes, known):  # the noise is that of these
        low, high = low * (1 - known.mean()), high * (1 - known.mean())
    return Posterior(
        p_wrong=rows.p_wrong,
        suspicion=rows.suspicion,
        other=rows.other,
        p_other=rows.p_other,
        p_elsewhere=rows.p_elsewhere,
        joint=rows.joint / n,
        noise=noise,
        rates=np.where(rows.right > 0, 1 - rows.right / n, [h.rate for h in noise.hypotheses]),
        skill=skill,
        low=min(low, rate),
        high=max(high, rate),
    )


def classes_of_rows(
    posterior: Posterior, logs: np.ndarray, codes: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Probabilities of the classes of some rows given all that is known, shape (K, rows).

    ``logs`` and ``codes`` are those of the whole table, as :func:`posterior_of` has seen them.
    """
    noise, codes = posterior.noise, codes[rows]
    rule = _Rule(noise, weightiest(noise), noise.unevenness, 1.0)
    classes = _mixture(rule, noise.calibration.apply(logs.take(rows, axis=1)), codes).classes
    _set_wrong(classes, (codes, np.arange(len(codes))), posterior.p_wrong[rows])
    return classes


def classes_before_labels(noise: NoisePosterior, logs: np.ndarray) -> np.ndarray:
    """Probabilities of the classes of rows that have no label, shape (K, n)."""
    logs = noise.calibration.apply(logs)
    return np.sum([h.weight * h.hypothesis.classes(logs) for h in weightiest(noise)], axis=0)


class _Weighted(NamedTuple):
    """A hypothesis that rows are scored by."""

    place: int  # among all hypotheses
    hypothesis: Hypothesis
    weight: float
    ranking: float  # its weight in the ranking


class _Rule(NamedTuple):
    """How rows are scored: the same for every block."""

    noise: NoisePosterior
    weightiest: list[_Weighted]
    unevenness: float
    highest: float  # p_wrong that may be claimed


class _Vote(NamedTuple):
    """How far equal rows with different labels raise p_wrong."""

    weight: float  # of the vote, against what models say
    p_wrong: np.ndarray  # (n,), by the vote; NaN where equal rows do not differ

    def for_rows(self, rows: slice) -> "_Vote":
        return self._replace(p_wrong=self.p_wrong[rows])


class _Rows(NamedTuple):
    """A block of rows as in :class:`Posterior`, and what is summed over the blocks."""

    p_wrong: np.ndarray
    suspicion: np.ndarray
    other: np.ndarray
    p_other: np.ndarray
    p_elsewhere: np.ndarray
    joint: np.ndarray  # (K, K), expected number of rows of class c with label l
    right: np.ndarray  # expected number of right labels under each hypothesis


def _rows_posterior(
    rule: _Rule,
    logs: np.ndarray,
    codes: np.ndarray,
    vote: _Vote | None,
    known: np.ndarray | None,
) -> _Rows:
    logs = rule.noise.calibration.apply(logs)
    own = (codes, np.arange(len(codes)))
    mixture = _mixture(rule, logs, codes, known)
    classes = mixture.classes
    p_elsewhere = np.minimum(_raised(1 - mixture.elsewhere, vote), rule.highest)
    wanted = np.minimum(_raised(1 - classes[own], vote), rule.highest)
    p_wrong = _set_wrong(classes, own, _unless(known, wanted))
    surprise = -np.expm1(logs[own].astype(float))
    suspicion = between(_raised(1 - mixture.ranked, vote), surprise, rule.unevenness)
    joint = _joint(classes, codes)
    classes[own] = -1  # so that the largest is that of another class
    other, p_other = largest(classes)
    return _Rows(
        p_wrong=p_wrong.astype(float),
        suspicion=_unless(known, suspicion),
        other=other.astype(np.int16),
        p_other=p_other.astype(np.float32),
        p_elsewhere=_unless(known, p_elsewhere),
        joint=joint,
        right=mixture.right,
    )


def _unless(known: np.ndarray | None, values: np.ndarray) -> np.ndarray:
    """The values, and nothing where a label is certain."""
    return values if known is None else np.where(known, 0.0, values)


def _together(blocks_of_rows: Sequence[_Rows]) -> _Rows:
    """Rows of all blocks under each other, sums added up."""
    *per_row, joint, right = map(list, zip(*blocks_of_rows, strict=True))
    sums = reduce(np.add, joint), reduce(np.add, right)
    return _Rows._make([*map(np.concatenate, per_row), *sums])


class _Mixture(NamedTuple):
    """The mean over the weightiest hypotheses."""

    classes: np.ndarray  # (K, n), probabilities of the classes given the labels
    ranked: np.ndarray  # (n,), probability of the label by the weights of the ranking
    elsewhere: np.ndarray  # (n,), probability of the label without boundary noise
    right: np.ndarray  # (hypotheses,), expected number of right labels under each


def _mixture(
    rule: _Rule, logs: np.ndarray, codes: np.ndarray, known: np.ndarray | None = None
) -> _Mixture:
    classes, ranked, elsewhere = np.zeros_like(logs), np.zeros(len(codes)), np.zeros(len(codes))
    right, others = np.zeros(len(rule.noise.hypotheses)), 0.0
    own = (codes, np.arange(len(codes)))
    for place, hypothesis, weight, ranking in rule.weightiest:
        part = hypothesis.classes_given_labels(logs, codes)
        right[place] = (part[own] if known is None else np.where(known, 1, part[own])).sum(
            dtype=float
        )
        ranked += ranking * part[own]
        if hypothesis.kind != BOUNDARY:
            elsewhere += weight * part[own]
            others += weight
        part *= logs.dtype.type(weight)
        classes += part
    return _Mixture(classes, ranked, elsewhere / max(others, 1e-12), right)


def weightiest(noise: NoisePosterior) -> list[_Weighted]:
    """The hypotheses that make up most of either weight."""
    kept = _most(noise.weights) | _most(noise.ranking)
    weights, ranking = noise.weights * kept, noise.ranking * kept
    weights, ranking = weights / weights.sum(), ranking / ranking.sum()
    places = np.flatnonzero(kept).tolist()
    return [_Weighted(i, noise.hypotheses[i], weights[i], ranking[i]) for i in places]


def _most(weights: np.ndarray) -> np.ndarray:
    order = np.argsort(-weights, kind="stable")
    enough = int(np.searchsorted(np.cumsum(weights[order]), MOST_OF_THE_WEIGHT)) + 1
    heavy = np.zeros(len(weights), dtype=bool)
    heavy[order[:enough]] = True
    return heavy


def _set_wrong(classes: np.ndarray, own: tuple, wanted: np.ndarray) -> np.ndarray:
    """Make the labels wrong with the probabilities wanted, the other classes in scale.

    A label that was certain leaves nothing to scale: then it stays so.
    """
    others = classes.sum(axis=0) - classes[own]
    wanted = np.where(others > 0, wanted, 0.0)
    scale = np.divide(wanted, others, out=np.zeros(len(wanted)), where=others > 0)
    classes *= scale.astype(classes.dtype)
    classes[own] = 1 - wanted
    return wanted


def _joint(classes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Expected number of rows of each class with each label."""
    k = len(classes)
    cells = np.arange(k)[:, None] * k + codes
    counts = np.bincount(cells.ravel(), weights=classes.ravel(), minlength=k * k)
    return counts.reshape(k, k)


def _vote_of_equal_rows(
    noise: NoisePosterior, logs: np.ndarray, codes: np.ndarray, equal: np.ndarray | None
) -> _Vote | None:
    """The vote of equal rows whose labels differ.

    Part of the conflicts is overlap: labels of equal rows that models expect to differ. For the
    others the rows of a group vote.
    """
    if equal is None or equal.max() + 1 == len(equal):
        return None
    several = np.flatnonzero(np.bincount(equal)[equal] > 1)
    groups = np.unique(equal[several], return_inverse=True)[1]
    q = np.exp(noise.calibration.apply(logs[:, several]).astype(float))
    p_wrong = np.full(len(codes), np.nan)
    p_wrong[several] = group_vote(groups, codes[several], q, noise.transition)
    return _Vote(unexplained_conflicts(groups, codes[several], q), p_wrong)


def _raised(p: np.ndarray, vote: _Vote | None) -> np.ndarray:
    """``p``, raised by the vote of equal rows where there is one."""
    at_least = np.maximum(p, 0)  # rounding may leave a little less
    if vote is None:
        return at_least
    return np.fmax(at_least, vote.weight * vote.p_wrong + (1 - vote.weight) * p)


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
