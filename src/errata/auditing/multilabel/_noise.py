r"""Noise that labels share: what one tells of how often cells are wrong counts for all of them.

Each label by itself has a posterior over noise hypotheses, as the audit of two classes has. A few
hundred rows leave it broad, and where classes overlap its mean is above zero even if nothing is
wrong: over many labels these small errors add up. So the two error rates of a label, a = T[0, 1]
(set, although it should not be) and b = T[1, 0] (missing, although it should be set), are taken to
be drawn from distributions that all labels share:

.. math:: a_l \sim Beta(s m, s (1 - m)),\quad b_l \sim Beta(s' m', s' (1 - m'))

with means and strengths on a grid. For a single label the prior over its hypotheses is that of the
audit of classes: hypothesis h of label l weighs

.. math:: w_l(h) \sum_{m, s, m', s'} P(m, s, m', s' | labels)
    \frac{P(m, s | a_h) P(m', s' | b_h)}{P(m, s) P(m', s') Z_l(m, s, m', s')}

where Z makes the weights of a label sum to one; with one label all stays as it is. Labels are told
by the same columns of the same rows, and each asks the same question, noise or overlap: together L
of them count as much as sqrt(L) that had nothing in common. Boundary noise
looks the same as overlap in every label, so no number of labels tells them apart: it is in the
interval of the noise rate and not in the probabilities, as a row is near the border of some label
all too often.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp
from scipy.stats import beta

from .._settings import SHARED_RATES, SHARED_STRENGTHS
from ..classes import NoisePosterior

MEANS, STRENGTHS = (
    axis.ravel() for axis in np.meshgrid(SHARED_RATES, SHARED_STRENGTHS, indexing="ij")
)


class SharedNoise(NamedTuple):
    """The posteriors of the labels, each by what all of them tell."""

    noises: list[NoisePosterior]
    joint: np.ndarray  # (C, C), of the shared distributions: of rates to be set, to be missing
    given: list[np.ndarray]  # (H, C, C) of each label: weights of its hypotheses under each


def share_noise(noises: Sequence[NoisePosterior]) -> SharedNoise:
    """Weigh the hypotheses of every label by what all labels tell of the error rates.

    Takes O(H C²) for each label with H hypotheses, and C points of the grid of each direction.
    """
    weights = [_without_boundary(noise.weights) for noise in noises]
    joints = []
    for noise, weight in zip(noises, weights, strict=True):
        set_wrongly, missing = (believed(rates) for rates in rates_each_way(noise))
        joints.append(np.einsum("h,hc,hd->hcd", weight, set_wrongly, missing))
    logs = np.sum([np.log(joint.sum(axis=0)) for joint in joints], axis=0) / np.sqrt(len(joints))
    shared = np.exp(logs - logsumexp(logs))
    given = [joint / joint.sum(axis=0) for joint in joints]
    found = [np.einsum("hcd,cd->h", each, shared) for each in given]
    tilted = [
        _reweighed(noise, weight, new)
        for noise, weight, new in zip(noises, weights, found, strict=True)
    ]
    return SharedNoise(tilted, shared, given)


def rates_each_way(noise: NoisePosterior) -> tuple[np.ndarray, np.ndarray]:
    """T[0, 1] and T[1, 0] of each hypothesis but boundary noise."""
    transitions = np.array([h.transition for h in noise.hypotheses[:-1]])
    return transitions[:, 0, 1], transitions[:, 1, 0]


def believed(rates: np.ndarray) -> np.ndarray:
    """P(m, s | rate) / P(m, s) of the points of the grid, for each of the rates: (H, C).

    A rate of zero counts as the smallest of the grid, where densities are still finite.
    """
    rates = np.clip(rates, SHARED_RATES[0], 0.5)[:, None]
    density = beta.logpdf(rates, MEANS * STRENGTHS, (1 - MEANS) * STRENGTHS)
    return np.exp(density - logsumexp(density, axis=1, keepdims=True)) * len(MEANS)


def _without_boundary(weights: np.ndarray) -> np.ndarray:
    return weights[:-1] / weights[:-1].sum()


def _reweighed(noise: NoisePosterior, before: np.ndarray, after: np.ndarray) -> NoisePosterior:
    """The posterior with new weights; those of the ranking change by the same factors."""
    factor = after / np.maximum(before, np.finfo(float).tiny)
    ranking, boundary = noise.ranking[:-1] * factor, noise.ranking[-1]
    ranking *= (1 - boundary) / max(ranking.sum(), np.finfo(float).tiny)
    return noise._replace(weights=np.r_[after, 0.0], ranking=np.r_[ranking, boundary])
