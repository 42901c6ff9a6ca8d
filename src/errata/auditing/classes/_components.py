"""Noise hypotheses in a few groups, and the probability that each label is wrong under each.

A review reweighs these groups by the verdicts of a person, see ``errata.review.inference``.
"""

from typing import NamedTuple

import numpy as np

from ..._blocks import blocks
from .._settings import CACHED
from ._hypotheses import BOUNDARY
from ._noise_posterior import NONE, NoisePosterior, kind_of
from ._posterior import Posterior, weightiest

_BARELY = 1e-3  # weight, times that in the ranking, of hypotheses that matter for ranking alone


class Grouped(NamedTuple):
    """Groups of hypotheses."""

    kinds: tuple[str, ...]
    weights: np.ndarray  # (kinds,), what the audit believes of them
    p: np.ndarray  # (n, kinds), probability that each label is wrong, in single precision


class _Group(NamedTuple):
    kind: str
    weight: float
    places: np.ndarray  # of its hypotheses among all
    shares: np.ndarray  # of its weight


def grouped_hypotheses(posterior: Posterior, logs: np.ndarray, codes: np.ndarray) -> Grouped:
    """Group the hypotheses of a posterior by kind and noise rate, at most eight groups.

    No noise and boundary noise are always among them, even if the audit rules them out: a person
    may find that it was wrong to. Without verdicts the mean over the groups is ``p_wrong``.

    Parameters
    ----------
    posterior : Posterior
        Of the labels.
    logs : array of shape (K, n)
        Logarithms of the pooled probabilities of the labels, as given to ``posterior_of``.
    codes : array of shape (n,)
        The labels.
    """
    groups = _groups(posterior.noise)
    weights = np.array([group.weight for group in groups])
    weights /= weights.sum()
    p = np.zeros((len(codes), len(groups)), dtype=np.float32)
    for block in blocks(len(codes), CACHED, width=len(logs)):
        _score(posterior.noise, groups, logs[:, block], codes[block], p[block])
    return Grouped(tuple(group.kind for group in groups), weights, _matched(p, weights, posterior))


def _groups(noise: NoisePosterior) -> list[_Group]:
    places = np.array([hypothesis.place for hypothesis in weightiest(noise)])
    places = np.union1d(places, [len(noise.hypotheses) - 1])
    kinds = np.array([kind_of(noise.hypotheses[i]) for i in places])
    of_none = [i for i, h in enumerate(noise.hypotheses) if kind_of(h) == NONE]
    found = [_Group(NONE, float(noise.weights[of_none].sum()), *np.zeros((2, 0), dtype=int))]
    for kind in dict.fromkeys(kinds[kinds != NONE]):
        found += _by_rate(noise, str(kind), places[kinds == kind])
    return found


def _by_rate(noise: NoisePosterior, kind: str, places: np.ndarray) -> list[_Group]:
    """One group of a kind, or two where its rates differ: below their mean and above."""
    shares = noise.weights[places] + _BARELY * noise.ranking[places]
    rates = np.array([noise.hypotheses[i].rate for i in places])
    above = rates > np.average(rates, weights=shares + 1e-12)
    parts = [above, ~above] if kind != BOUNDARY and above.any() else [~above]
    return [
        _Group(
            kind, float(noise.weights[places[part]].sum()), places[part], _normalised(shares[part])
        )
        for part in parts
    ]


def _normalised(shares: np.ndarray) -> np.ndarray:
    shares = shares + 1e-12
    return shares / shares.sum()


def _score(
    noise: NoisePosterior,
    groups: list[_Group],
    logs: np.ndarray,
    codes: np.ndarray,
    p: np.ndarray,
) -> None:
    """Fill in the probability that labels are wrong; without noise there is none."""
    logs, own = noise.calibration.apply(logs), (codes, np.arange(len(codes)))
    for g, group in enumerate(groups):
        for place, share in zip(group.places, group.shares, strict=True):
            given = noise.hypotheses[place].classes_given_labels(logs, codes)
            p[:, g] += share * (1 - given[own])
    np.clip(p, 0, 1, out=p)


def _matched(p: np.ndarray, weights: np.ndarray, posterior: Posterior) -> np.ndarray:
    """Move all groups alike so that their mean is ``p_wrong``, within none and certainty.

    Votes of equal rows and columns that tell nothing have changed it besides the hypotheses.
    """
    wanted, mean = posterior.p_wrong, p.astype(float) @ weights
    less = np.divide(wanted, mean, out=np.ones_like(mean), where=mean > wanted)
    more = np.divide(1 - wanted, 1 - mean, out=np.ones_like(mean), where=mean < wanted)
    return (1 - (1 - p * less[:, None]) * more[:, None]).astype(np.float32)
