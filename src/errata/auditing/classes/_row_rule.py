"""How the rows of a table are judged by what was learnt: the same rule for every block of them."""

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from .._calibration import Calibration
from .._pooling import largest
from .._settings import MOST_OF_THE_WEIGHT, MOST_WITHOUT_SKILL, UNEVEN
from .._skill import Skill
from ._hypotheses import BOUNDARY, Hypothesis
from ._noise_posterior import NoisePosterior


class Weighted(NamedTuple):
    """A hypothesis that rows are scored by."""

    place: int  # among all hypotheses
    hypothesis: Hypothesis
    weight: float
    ranking: float  # its weight in the ranking


class RowRule(NamedTuple):
    """How rows are judged, whichever block they are in: all that is needed of what was learnt."""

    calibration: Calibration
    weightiest: list[Weighted]
    n_hypotheses: int  # those that are too light included
    unevenness: float
    highest: float  # p_wrong that may be claimed


def row_rule(noise: NoisePosterior, skill: Skill) -> RowRule:
    """The rule that follows from what is known of the noise, and of the columns."""
    highest = 1.0 if skill.enough else MOST_WITHOUT_SKILL
    heavy = weightiest(noise)
    return RowRule(noise.calibration, heavy, len(noise.hypotheses), noise.unevenness, highest)


class Vote(NamedTuple):
    """How far equal rows with different labels raise p_wrong."""

    weight: float  # of the vote, against what models say
    p_wrong: np.ndarray  # (n,), by the vote; NaN where equal rows do not differ

    def for_rows(self, rows: slice) -> "Vote":
        """The same for some of the rows."""
        return self._replace(p_wrong=self.p_wrong[rows])


class RowsPosterior(NamedTuple):
    """A block of rows as in :class:`Posterior`, and what is summed over the blocks."""

    p_wrong: np.ndarray
    suspicion: np.ndarray
    other: np.ndarray
    p_other: np.ndarray
    p_elsewhere: np.ndarray
    joint: np.ndarray  # (K, K), expected number of rows of class c with label l
    right: np.ndarray  # expected number of right labels under each hypothesis


def rows_posterior(
    rule: RowRule,
    logs: np.ndarray,
    codes: np.ndarray,
    vote: Vote | None = None,
    known: np.ndarray | None = None,
) -> RowsPosterior:
    """Judge some rows, each by itself: where a table is cut into blocks changes nothing.

    Parameters
    ----------
    rule : RowRule
        That of a posterior.
    logs : array of shape (K, n)
        Logarithms of the pooled probabilities of the labels of these rows.
    codes : array of shape (n,)
        Their labels.
    vote : Vote, optional
        Of equal rows.
    known : array of bool of shape (n,), optional
        Labels that are certain.
    """
    logs = rule.calibration.apply(logs)
    own = (codes, np.arange(len(codes)))
    mixture = mixture_of(rule, logs, codes, known)
    classes = mixture.classes
    p_elsewhere = np.minimum(_raised(1 - mixture.elsewhere, vote), rule.highest)
    wanted = np.minimum(_raised(1 - classes[own], vote), rule.highest)
    p_wrong = set_wrong(classes, own, _unless(known, wanted))
    surprise = -np.expm1(logs[own].astype(float))
    suspicion = between(_raised(1 - mixture.ranked, vote), surprise, rule.unevenness)
    joint = _joint(classes, codes)
    classes[own] = -1  # so that the largest is that of another class
    other, p_other = largest(classes)
    return RowsPosterior(
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


def merged_rows(blocks_of_rows: Sequence[RowsPosterior]) -> RowsPosterior:
    """Rows of all blocks under each other, sums added up."""
    *per_row, joint, right = map(list, zip(*blocks_of_rows, strict=True))
    sums = reduce(np.add, joint), reduce(np.add, right)
    return RowsPosterior._make([*map(np.concatenate, per_row), *sums])


class Mixture(NamedTuple):
    """The mean over the weightiest hypotheses."""

    classes: np.ndarray  # (K, n), probabilities of the classes given the labels
    ranked: np.ndarray  # (n,), probability of the label by the weights of the ranking
    elsewhere: np.ndarray  # (n,), probability of the label without boundary noise
    right: np.ndarray  # (hypotheses,), expected number of right labels under each


def mixture_of(
    rule: RowRule, logs: np.ndarray, codes: np.ndarray, known: np.ndarray | None = None
) -> Mixture:
    """The mean over the hypotheses of a rule; ``logs`` are calibrated."""
    classes, ranked, elsewhere = np.zeros_like(logs), np.zeros(len(codes)), np.zeros(len(codes))
    right, others = np.zeros(rule.n_hypotheses), 0.0
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
    return Mixture(classes, ranked, elsewhere / max(others, 1e-12), right)


def weightiest(noise: NoisePosterior) -> list[Weighted]:
    """The hypotheses that make up most of either weight."""
    kept = _most(noise.weights) | _most(noise.ranking)
    weights, ranking = noise.weights * kept, noise.ranking * kept
    weights, ranking = weights / weights.sum(), ranking / ranking.sum()
    places = np.flatnonzero(kept).tolist()
    return [Weighted(i, noise.hypotheses[i], weights[i], ranking[i]) for i in places]


def _most(weights: np.ndarray) -> np.ndarray:
    order = np.argsort(-weights, kind="stable")
    enough = int(np.searchsorted(np.cumsum(weights[order]), MOST_OF_THE_WEIGHT)) + 1
    heavy = np.zeros(len(weights), dtype=bool)
    heavy[order[:enough]] = True
    return heavy


def set_wrong(classes: np.ndarray, own: tuple, wanted: np.ndarray) -> np.ndarray:
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


def _raised(p: np.ndarray, vote: Vote | None) -> np.ndarray:
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
