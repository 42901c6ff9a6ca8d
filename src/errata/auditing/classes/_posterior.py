"""From the posterior over noise hypotheses to the probability that each label is wrong."""

from typing import NamedTuple

import numpy as np

from ..._kernels._judged_rows import set_wrong
from .._copies import group_vote, unexplained_conflicts
from .._skill import Skill, skill_of
from ._noise_posterior import NoisePosterior, noise_posterior
from ._noise_rows import noise_rows, set_aside
from ._row_rule import RowRule, RowsPosterior, Vote, row_rule, rows_posterior, weightiest


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
    rate: float  # expected fraction of wrong labels, the one that ``joint`` implies
    low: float  # of the noise rate
    high: float

    @property
    def prior(self) -> np.ndarray:
        """Expected fractions of the classes."""
        return self.joint.sum(axis=1)

    @property
    def transition(self) -> np.ndarray:
        """``T[c, l] = P(label = l | class = c)``, that of the expected errors."""
        prior = self.prior[:, None]
        return np.divide(self.joint, prior, out=np.eye(len(prior)), where=prior > 1e-12)

    @property
    def rule(self) -> RowRule:
        """How other rows are judged by the same knowledge, see :func:`rows_posterior`."""
        return row_rule(self.noise, self.skill)


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
    """The posterior of every label by what is known of the noise."""
    skill = skill_of(logs, codes, units)
    vote = _vote_of_equal_rows(noise, logs, codes, equal)
    rows = rows_posterior(row_rule(noise, skill), logs, codes, vote, known)
    return gathered_posterior(
        *(rows, noise, skill),
        n_units=None if units is None else int(units.max()) + 1,
        certain=0.0 if known is None else set_aside(codes, known),
    )


def gathered_posterior(
    rows: RowsPosterior,
    noise: NoisePosterior,
    skill: Skill,
    *,
    n_rows: int | None = None,
    rate: float | None = None,
    n_units: int | None = None,
    certain: float = 0.0,
) -> Posterior:
    """The posterior of a table whose rows were judged block by block.

    Parameters
    ----------
    rows : RowsPosterior
        All rows, see :func:`merged_rows`; where they are too many to be held, sums over them alone.
    noise : NoisePosterior
        What is known of the noise.
    skill : Skill
        Only columns that tell something may narrow the interval of the noise rate.
    n_rows, rate : int and float, optional
        How many rows there are and which fraction is expected to be wrong, where only sums are
        given.
    n_units : int, optional
        Number of rows that count as evidence, where some are right or wrong together.
    certain : float, default=0.0
        Fraction of the rows whose label is certain, if the noise was learnt without them, see
        :func:`set_aside`: then it is the noise of the others.
    """
    n = len(rows.p_wrong) if n_rows is None else n_rows
    rate = float(rows.p_wrong.mean()) if rate is None else rate
    low, high = 0.0, 1 - skill.largest_frequency
    if skill.enough:
        low, high = noise.interval(n if n_units is None else n_units)
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
        rate=rate,
        low=min((1 - certain) * low, rate),
        high=max((1 - certain) * high, rate),
    )


def classes_of_rows(
    posterior: Posterior, logs: np.ndarray, codes: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Probabilities of the classes of some rows given all that is known, shape (K, rows).

    ``logs`` and ``codes`` are those of the whole table, as :func:`posterior_of` has seen them.
    """
    noise, codes = posterior.noise, codes[rows]
    logs = noise.calibration.apply(logs.take(rows, axis=1))
    given = [h.weight * h.hypothesis.classes_given_labels(logs, codes) for h in weightiest(noise)]
    classes = np.sum(given, axis=0)
    set_wrong(classes, (codes, np.arange(len(codes))), posterior.p_wrong[rows])
    return classes


def classes_before_labels(noise: NoisePosterior, logs: np.ndarray) -> np.ndarray:
    """Probabilities of the classes of rows that have no label, shape (K, n)."""
    logs = noise.calibration.apply(logs)
    return np.sum([h.weight * h.hypothesis.classes(logs) for h in weightiest(noise)], axis=0)


def _vote_of_equal_rows(
    noise: NoisePosterior, logs: np.ndarray, codes: np.ndarray, equal: np.ndarray | None
) -> Vote | None:
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
    return Vote(unexplained_conflicts(groups, codes[several], q), p_wrong)
