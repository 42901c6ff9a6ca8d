"""Verdicts of a person on some rows, and what they tell about all the others.

A second audit of a table that was reviewed knows more than which labels were corrected: which of
the suspects were wrong tells what the noise is like. The same components as on the page of the
review are reweighed, see ``errata.audit_folder``.

A review reweighs these groups by the verdicts of a person, see ``errata.audit_folder``.
"""

from collections.abc import Sequence

import numpy as np

from ..._blocks import blocks
from ...audit_folder import (
    ALL,
    BLUNT,
    UNRELATED,
    Components,
    evidence_of,
    expected_left,
    gather_components,
    update,
)
from .._settings import CACHED
from ._noise_model import BOUNDARY
from ._posterior import NONE, NoisePosterior, Posterior, kind_of, weightiest

# The noise model. `python benchmarks/detection.py detect --rows 600 --seeds 1 --alone`
# The next six: `python benchmarks/honesty.py networks`, `pairs`, `tables`
ALTOGETHER = 0.5  # weight of all hypotheses together among those verdicts weigh: `review.py`
ANYWHERE = 0.1  # probability of a wrong label whatever the columns say, before verdicts shift it
BARELY = 1e-3  # weight there, times that in the ranking, of hypotheses that only rank

# Of groups of hypotheses what they are called, and what the audit believes of them, (kinds,); and
# the probability that each label is wrong under each, (n, kinds), in single precision.
Groups = tuple[tuple[str, ...], np.ndarray, np.ndarray]


def with_verdicts(
    posterior: Posterior,
    logs: np.ndarray,
    codes: np.ndarray,
    rows: np.ndarray,
    were: np.ndarray,
    classes: np.ndarray,
    flagged: np.ndarray,
) -> tuple[Posterior, np.ndarray]:
    """The posterior after a person has decided on some rows, and how sure it is of each.

    Verdicts reweigh hypotheses and shift the log-odds of all rows but those that are certain, of
    suspects and of others apart, as on the page of a review. The ranking stays as it was. How far
    hypotheses still differ about ``p_wrong`` is a standard deviation for each row.

    Parameters
    ----------
    posterior : Posterior
        Of the labels as they are now.
    logs : array of shape (K, n)
        Logarithms of the pooled probabilities of the labels, as given to ``posterior_of``.
    codes : array of shape (n,)
        The labels.
    rows : array
        The audited rows that were decided.
    were, classes : arrays of the shape of ``rows``
        The labels that these had then, many of which may have been corrected since, and what the
        person said they are.
    flagged : array of bool of shape (n,)
        The suspects if nobody had decided on any row. A row that was decided counts as one of them
        if its label was then as probably wrong as that of a suspect is now, or more probably wrong
        than right.
    """
    p_wrong, spread = np.zeros((2, len(codes)))
    if not len(rows):
        return posterior, spread
    doubtful = posterior.p_wrong > 0  # others are known
    p = group_hypotheses(posterior, logs, codes)[doubtful].astype(float)
    suspects = flagged[doubtful]
    kinds, weights = weigh_groups(posterior.noise)
    before = gather_components(kinds, weights, p, suspects, posterior.p_wrong.sum())
    decided = group_probabilities(posterior.noise, logs[:, rows], were).astype(float)
    together = kinds.index(ALL)
    were_suspects = decided[:, together] >= p[suspects, together].min(initial=0.5)
    evidence = evidence_of(before, decided, were != classes, were_suspects, decided[:, together])
    after = update(before, evidence)
    p_wrong[doubtful] = after.p_wrong(p, suspects)
    spread[doubtful] = after.spread(p, suspects)
    return _with_weights(_with_p_wrong(posterior, p_wrong, codes, after), after), spread


def _with_p_wrong(
    posterior: Posterior, p_wrong: np.ndarray, codes: np.ndarray, components: Components
) -> Posterior:
    """The same posterior with other probabilities that labels are wrong.

    What classes wrong labels have instead is not changed by verdicts.
    """
    factor = np.divide(
        p_wrong, posterior.p_wrong, out=np.ones_like(p_wrong), where=posterior.p_wrong > 0
    )
    n = len(codes)
    rate = float(p_wrong.mean())
    _, low, high = expected_left(components, flagged=components.flagged, others=components.others)
    known = posterior.skill.enough  # without skill, the interval stays as wide as it can be
    return posterior._replace(
        p_wrong=p_wrong,
        p_other=(posterior.p_other * factor).astype(posterior.p_other.dtype),
        p_elsewhere=np.minimum(posterior.p_elsewhere, p_wrong),
        joint=_joint(posterior.joint, posterior.p_wrong, p_wrong, codes),
        rate=rate,
        low=min(rate, low / n) if known else 0.0,
        high=max(rate, high / n) if known else max(rate, posterior.high),
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
    weights = np.zeros(len(posterior.rates))
    rates = posterior.rates.copy()
    of_groups = components.weights.sum(axis=(1, 2))
    kinds, of_kinds, shares = groups_of(posterior.noise)
    suspects, others = components.flagged.wrong, components.others.wrong
    moved = components.of_flagged * suspects + components.of_others * others
    shifted = moved[: len(kinds)].sum(axis=1) / of_groups[: len(kinds)]
    plain = (suspects + others)[:, len(components.shifts) // 2]
    in_common = of_groups[len(kinds) :].sum()
    for g, share in enumerate(shares):
        members = share > 0
        weights[members] = (of_groups[g] + in_common * of_kinds[g]) * share[members]
        rates[members] *= shifted[g] / plain[g] if plain[g] > 0 else 1.0
    noise = posterior.noise._replace(weights=weights / weights.sum())
    return posterior._replace(noise=noise, rates=rates.clip(0, 1))


def weigh_groups(noise: NoisePosterior) -> tuple[tuple[str, ...], np.ndarray]:
    """Names of at most ten groups of hypotheses, and what the audit believes of them.

    No noise and boundary noise are always among them, even if the audit rules them out: a person
    may find that it was wrong to. The last three are all hypotheses together, ``p_wrong`` itself,
    as none of them may be right and the mean of all but for a shift; the same with half the
    log-odds; and wrong labels anywhere, whatever the columns say. What the last two weigh is said
    where components are gathered.
    """
    kinds, weights, _ = groups_of(noise)
    return beside_all(kinds, weights)


def beside_all(kinds: Sequence[str], weights: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    """Groups, and beside them all of them together, these blunted, and wrong labels anywhere."""
    return (*kinds, ALL, BLUNT, UNRELATED), np.r_[(1 - ALTOGETHER) * weights, ALTOGETHER, 0.0, 0.0]


def group_hypotheses(posterior: Posterior, logs: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The probability that each label is wrong under each group of hypotheses, (n, kinds).

    Without verdicts the mean over the groups is ``p_wrong``, see :func:`weigh_groups`.

    Parameters
    ----------
    posterior : Posterior
        Of the labels.
    logs : array of shape (K, n)
        Logarithms of the pooled probabilities of the labels, as given to ``posterior_of``.
    codes : array of shape (n,)
        The labels.
    """
    p = group_probabilities(posterior.noise, logs, codes)
    return match_p_wrong(p, weigh_groups(posterior.noise)[1], posterior.p_wrong)


def group_probabilities(noise: NoisePosterior, logs: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The same, but for what changed ``p_wrong`` besides the hypotheses."""
    _, weights, shares = groups_of(noise)
    p = np.zeros((len(codes), len(shares)), dtype=np.float32)
    for block in blocks(len(codes), CACHED, width=len(logs)):
        own = (codes[block], np.arange(len(codes[block])))
        calibrated = noise.calibration.apply(logs[:, block])
        for g, share in enumerate(shares[1:], start=1):  # without noise, no label is wrong
            for place in np.flatnonzero(share):
                given = noise.hypotheses[place].classes_given_labels(calibrated, codes[block])
                p[block, g] += share[place] * (1 - given[own])
    np.clip(p, 0, 1, out=p)
    return with_unforeseen(p, p @ weights)


def with_unforeseen(p: np.ndarray, together: np.ndarray) -> np.ndarray:
    """Probabilities under groups, under all of them ``together``, blunted, and anywhere."""
    p, together = (part.astype(np.float32, copy=False) for part in (p, together.clip(0, 1)))
    wrong = np.sqrt(together)
    blunted = wrong / (wrong + np.sqrt(1 - together))
    anywhere = np.full(len(p), ANYWHERE, dtype=np.float32)
    return np.column_stack([p, together, blunted, anywhere])


def groups_of(noise: NoisePosterior) -> tuple[list[str], np.ndarray, np.ndarray]:
    """No noise, then the other kinds, each at a high and a low rate where it has both.

    Returns the kinds of the groups, their weights, and the share of each hypothesis in each group,
    shape (groups, hypotheses).
    """
    kinds = np.array([kind_of(hypothesis) for hypothesis in noise.hypotheses])
    rates = np.array([hypothesis.rate for hypothesis in noise.hypotheses])
    heavy = np.isin(np.arange(len(kinds)), weightiest(noise)[0])
    heavy[-1] = True  # boundary noise
    heaviness = noise.weights + BARELY * noise.ranking + 1e-12
    names = [NONE]
    members = [kinds == NONE]
    for kind in dict.fromkeys(kinds[heavy & (kinds != NONE)].tolist()):
        own = heavy & (kinds == kind)
        # One group, or two where rates differ: above their mean and below.
        above = own & (rates > np.average(rates[own], weights=_shares(heaviness, own)[own]))
        parts = [above, own & ~above] if kind != BOUNDARY and above.any() else [own & ~above]
        names += [kind] * len(parts)
        members += parts
    weights = np.array([float(noise.weights[own].sum()) for own in members])
    shares = np.stack([_shares(heaviness, own) for own in members])
    return names, weights / sum(weights.tolist()), shares


def _shares(weights: np.ndarray, members: np.ndarray) -> np.ndarray:
    """The part of each member in the weight of all; 0 for others."""
    shares = np.zeros(len(weights))
    shares[members] = weights[members] / weights[members].sum()
    return shares


def match_p_wrong(p: np.ndarray, weights: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Move all groups alike so that their mean is as wanted, within none and certainty.

    Votes of equal rows and columns that tell nothing have changed it besides the hypotheses.
    """
    mean = p.astype(float) @ weights
    less = np.divide(wanted, mean, out=np.ones_like(mean), where=mean > wanted)
    more = np.divide(1 - wanted, 1 - mean, out=np.ones_like(mean), where=mean < wanted)
    moved = (1 - (1 - p * less[:, None]) * more[:, None]).astype(np.float32)
    moved[:, -1] = p[:, -1]  # what has nothing to do with the columns
    return moved
