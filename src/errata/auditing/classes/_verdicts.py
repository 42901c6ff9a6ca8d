"""Verdicts of a person on some rows, and what they tell about all the others.

A second audit of a table that was reviewed knows more than which labels were corrected: which of
the suspects were wrong tells what the noise is like. The same components as on the page of the
review are reweighed, see ``errata.review.inference``.
"""

from typing import NamedTuple

import numpy as np

from ...review.inference import (
    Components,
    Evidence,
    evidence_of,
    expected_left,
    gather_components,
    update,
)
from ._components import group_probabilities, grouped_hypotheses, groups_of
from ._noise_posterior import NoisePosterior
from ._posterior import Posterior


class Verdicts(NamedTuple):
    """What a person decided: the label of each row when it was looked at, and its class."""

    rows: np.ndarray  # places among the audited rows
    labels: np.ndarray  # codes
    classes: np.ndarray


def with_verdicts(
    posterior: Posterior, logs: np.ndarray, codes: np.ndarray, verdicts: Verdicts
) -> Posterior:
    """The posterior after a person has decided on some rows.

    Verdicts reweigh hypotheses and shift the log-odds of all rows but those that are certain. The
    ranking stays as it was.

    Parameters
    ----------
    posterior : Posterior
        Of the labels as they are now.
    logs : array of shape (K, n)
        Logarithms of the pooled probabilities of the labels, as given to ``posterior_of``.
    codes : array of shape (n,)
        The labels.
    verdicts : Verdicts
        On labels as they were: many may have been corrected since.
    """
    if not len(verdicts.rows):
        return posterior
    doubtful = posterior.p_wrong > 0  # others are known
    grouped = grouped_hypotheses(posterior, logs, codes)
    p, nowhere = grouped.p[doubtful].astype(float), np.zeros(int(doubtful.sum()), dtype=bool)
    before = gather_components(grouped.kinds, grouped.weights, p, nowhere, posterior.p_wrong.sum())
    after = update(before, _evidence(posterior.noise, before, logs, verdicts))
    p_wrong = np.zeros(len(codes))
    p_wrong[doubtful] = after.p_wrong(p)
    return _with_weights(_with_p_wrong(posterior, p_wrong, codes, after), after)


def _evidence(
    noise: NoisePosterior, components: Components, logs: np.ndarray, verdicts: Verdicts
) -> Evidence:
    found = group_probabilities(noise, groups_of(noise), logs[:, verdicts.rows], verdicts.labels)
    wrong, p = verdicts.labels != verdicts.classes, found.p.astype(float)
    return evidence_of(components, p, wrong, np.zeros(len(wrong), dtype=bool), p[:, 0])


def _with_p_wrong(
    posterior: Posterior, p_wrong: np.ndarray, codes: np.ndarray, components: Components
) -> Posterior:
    """The same posterior with other probabilities that labels are wrong.

    What classes wrong labels have instead is not changed by verdicts.
    """
    factor = np.divide(
        p_wrong, posterior.p_wrong, out=np.ones_like(p_wrong), where=posterior.p_wrong > 0
    )
    n, rate = len(codes), float(p_wrong.mean())
    expected = expected_left(components, components.flagged.plus(components.others))
    known = posterior.skill.enough  # without skill, the interval stays as wide as it can be
    return posterior._replace(
        p_wrong=p_wrong,
        p_other=(posterior.p_other * factor).astype(posterior.p_other.dtype),
        p_elsewhere=np.minimum(posterior.p_elsewhere, p_wrong),
        joint=_joint(posterior.joint, posterior.p_wrong, p_wrong, codes),
        rate=rate,
        low=min(rate, expected.low / n) if known else 0.0,
        high=max(rate, expected.high / n) if known else max(rate, posterior.high),
    )


def _joint(
    joint: np.ndarray, before: np.ndarray, after: np.ndarray, codes: np.ndarray
) -> np.ndarray:
    """Fractions of rows by class and label, when a label is wrong more or less often."""
    n_classes = len(joint)
    was, now = (np.bincount(codes, weights=p, minlength=n_classes) for p in (before, after))
    joint = joint * np.divide(now, was, out=np.ones(n_classes), where=was > 0)
    labels = np.bincount(codes, minlength=n_classes) / len(codes)
    np.fill_diagonal(joint, 0)
    return joint + np.diag(labels - joint.sum(axis=0))


def _with_weights(posterior: Posterior, components: Components) -> Posterior:
    """Hypotheses weighed as their groups are now, at the rates to which verdicts shifted them.

    What belongs to none of them in particular is theirs as it was before.
    """
    weights, rates = np.zeros(len(posterior.rates)), posterior.rates.copy()
    of_groups, groups = components.weights.sum(axis=1), groups_of(posterior.noise)
    shifted = np.sum(components.weights * components.rates, axis=1) / of_groups
    plain = components.rates[:, len(components.shifts) // 2]
    in_common = of_groups[len(groups) :].sum()
    for g, group in enumerate(groups):
        weights[group.places] = (of_groups[g] + in_common * group.weight) * group.shares
        rates[group.places] *= shifted[g] / plain[g] if plain[g] > 0 else 1.0
    noise = posterior.noise._replace(weights=weights / weights.sum())
    return posterior._replace(noise=noise, rates=rates.clip(0, 1))
