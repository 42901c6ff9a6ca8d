"""Noise hypotheses in a few groups, and the probability that each label is wrong under each.

A review reweighs these groups by the verdicts of a person, see ``errata.review.inference``.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..._blocks import blocks
from .._settings import ALTOGETHER, ANYWHERE, BARELY, CACHED
from ._hypotheses import BOUNDARY
from ._noise_posterior import NONE, NoisePosterior, kind_of
from ._posterior import Posterior
from ._row_rule import weightiest

ALL = "all"  # the group of all hypotheses together
UNRELATED = "anywhere"  # wrong labels have nothing to do with the columns


class Grouped(NamedTuple):
    """Groups of hypotheses."""

    kinds: tuple[str, ...]
    weights: np.ndarray  # (kinds,), what the audit believes of them
    p: np.ndarray  # (n, kinds), probability that each label is wrong, in single precision


class Group(NamedTuple):
    """Some hypotheses of one kind."""

    kind: str
    weight: float
    places: np.ndarray  # of its hypotheses among all
    shares: np.ndarray  # of its weight


def grouped_hypotheses(posterior: Posterior, logs: np.ndarray, codes: np.ndarray) -> Grouped:
    """Group the hypotheses of a posterior by kind and noise rate, at most ten groups.

    No noise and boundary noise are always among them, even if the audit rules them out: a person
    may find that it was wrong to. The last two are all hypotheses together, ``p_wrong`` itself, as
    none of them may be right and the mean of all but for a shift; and wrong labels anywhere,
    whatever the columns say, which the audit never believes in. Without verdicts the mean over the
    groups is ``p_wrong``.

    Parameters
    ----------
    posterior : Posterior
        Of the labels.
    logs : array of shape (K, n)
        Logarithms of the pooled probabilities of the labels, as given to ``posterior_of``.
    codes : array of shape (n,)
        The labels.
    """
    found = group_probabilities(posterior.noise, groups_of(posterior.noise), logs, codes)
    return matched(found, posterior.p_wrong)


def group_probabilities(
    noise: NoisePosterior, groups: list[Group], logs: np.ndarray, codes: np.ndarray
) -> Grouped:
    """The probability that each label is wrong under each group, and under all of them."""
    weights = np.array([group.weight for group in groups])
    p = np.zeros((len(codes), len(groups)), dtype=np.float32)
    for block in blocks(len(codes), CACHED, width=len(logs)):
        _score(noise, groups, logs[:, block], codes[block], p[block])
    return beside_all([group.kind for group in groups], weights, p)


def beside_all(kinds: Sequence[str], weights: np.ndarray, p: np.ndarray) -> Grouped:
    """Groups, and beside them all of them together and wrong labels anywhere."""
    together = (p @ weights).astype(np.float32)
    anywhere = np.full(len(p), ANYWHERE, dtype=np.float32)
    weights = np.r_[(1 - ALTOGETHER) * weights, ALTOGETHER, 0.0]
    return Grouped((*kinds, ALL, UNRELATED), weights, np.column_stack([p, together, anywhere]))


def without_hypotheses(p_wrong: np.ndarray) -> Grouped:
    """The groups where nothing but ``p_wrong`` is kept of hypotheses: all of them, and none.

    >>> without_hypotheses(np.array([0.5])).kinds
    ('all', 'anywhere')
    """
    anywhere = np.full(len(p_wrong), ANYWHERE)
    p = np.column_stack([p_wrong, anywhere]).astype(np.float32)
    return Grouped((ALL, UNRELATED), np.array([1.0, 0.0]), p)


def groups_of(noise: NoisePosterior) -> list[Group]:
    """No noise, then the other kinds, each at a high and a low rate where it has both."""
    kinds = np.array([kind_of(hypothesis) for hypothesis in noise.hypotheses])
    heavy = np.isin(np.arange(len(kinds)), [hypothesis.place for hypothesis in weightiest(noise)])
    heavy[-1] = True  # boundary noise
    found = [_group(noise, NONE, np.flatnonzero(kinds == NONE))]
    for kind in dict.fromkeys(kinds[heavy & (kinds != NONE)]):
        found += _by_rate(noise, str(kind), np.flatnonzero(heavy & (kinds == kind)))
    total = sum(group.weight for group in found)
    return [group._replace(weight=group.weight / total) for group in found]


def _by_rate(noise: NoisePosterior, kind: str, places: np.ndarray) -> list[Group]:
    """One group of a kind, or two where its rates differ: below their mean and above."""
    rates = np.array([noise.hypotheses[i].rate for i in places])
    above = rates > np.average(rates, weights=_shares(noise, places))
    parts = [above, ~above] if kind != BOUNDARY and above.any() else [~above]
    return [_group(noise, kind, places[part]) for part in parts]


def _group(noise: NoisePosterior, kind: str, places: np.ndarray) -> Group:
    return Group(kind, float(noise.weights[places].sum()), places, _shares(noise, places))


def _shares(noise: NoisePosterior, places: np.ndarray) -> np.ndarray:
    shares = noise.weights[places] + BARELY * noise.ranking[places] + 1e-12
    return shares / shares.sum()


def _score(
    noise: NoisePosterior,
    groups: list[Group],
    logs: np.ndarray,
    codes: np.ndarray,
    p: np.ndarray,
) -> None:
    """Fill in the probability that labels are wrong; without noise there is none."""
    logs, own = noise.calibration.apply(logs), (codes, np.arange(len(codes)))
    for g, group in enumerate(groups[1:], start=1):
        for place, share in zip(group.places, group.shares, strict=True):
            given = noise.hypotheses[place].classes_given_labels(logs, codes)
            p[:, g] += share * (1 - given[own])
    np.clip(p, 0, 1, out=p)


def matched(groups: Grouped, wanted: np.ndarray) -> Grouped:
    """Move all groups alike so that their mean is ``p_wrong``, within none and certainty.

    Votes of equal rows and columns that tell nothing have changed it besides the hypotheses.
    """
    p, mean = groups.p, groups.p.astype(float) @ groups.weights
    less = np.divide(wanted, mean, out=np.ones_like(mean), where=mean > wanted)
    more = np.divide(1 - wanted, 1 - mean, out=np.ones_like(mean), where=mean < wanted)
    moved = (1 - (1 - p * less[:, None]) * more[:, None]).astype(np.float32)
    moved[:, -1] = p[:, -1]  # what has nothing to do with the columns
    return groups._replace(p=moved)
