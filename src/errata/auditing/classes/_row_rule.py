"""How the rows of a table are judged by what was learnt: the same rule for every block of them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..._kernels import kernels
from ..._kernels._judged_rows import Hypotheses
from .._calibration import Calibration
from .._settings import (
    LEAST_UNMIXED,
    MOST_OF_THE_WEIGHT,
    MOST_WITHOUT_SKILL,
    UNEVEN,
    WORTH_COMPILING,
    WORTH_COMPILING_OF_MANY,
)
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
    hypotheses: Hypotheses  # the weightiest
    places: np.ndarray  # of these among all
    n_hypotheses: int  # those that are too light included
    surprise: float  # its part in the suspicion
    highest: float  # p_wrong that may be claimed


def row_rule(noise: NoisePosterior, skill: Skill) -> RowRule:
    """The rule that follows from what is known of the noise, and of the columns.

    Suspicion is a place between the log-odds of a wrong label and those of any other label. The
    first know the noise, but only as well as it could be learnt; the second know none. Together
    they rank better than either over many data sets and kinds of noise. It is the middle when all
    classes are wrong as often; the more they differ, the less plain surprise can tell.
    """
    heavy = weightiest(noise)
    return RowRule(
        calibration=noise.calibration,
        hypotheses=_stacked(heavy),
        places=np.array([part.place for part in heavy]),
        n_hypotheses=len(noise.hypotheses),
        surprise=float(np.exp(-((noise.unevenness / UNEVEN) ** 2)) / 2),
        highest=1.0 if skill.enough else MOST_WITHOUT_SKILL,
    )


def _stacked(heavy: Sequence[Weighted]) -> Hypotheses:
    """Hypotheses as arrays. Under boundary noise a label tells nothing more: models know it."""
    found, weights = [part.hypothesis for part in heavy], np.array([part.weight for part in heavy])
    boundary = np.array([h.kind == BOUNDARY for h in found])
    undone = np.array([h.inverse is not None for h in found])
    k = len(found[0].offsets)
    return Hypotheses(
        slopes=np.array([h.slope for h in found]),
        offsets=np.array([h.offsets for h in found]),
        transitions=np.array(
            [np.ones((k, k)) if h.kind == BOUNDARY else h.transition for h in found]
        ),
        inverses=np.array([h.inverse for h in found if h.inverse is not None]).reshape(-1, k, k),
        inverse_of=np.where(undone, np.cumsum(undone) - 1, -1),
        weights=weights,
        ranking=np.array([part.ranking for part in heavy]),
        elsewhere=weights * ~boundary / max(weights[~boundary].sum(), 1e-12),
        least_unmixed=LEAST_UNMIXED,
    )


class Vote(NamedTuple):
    """How far equal rows with different labels raise p_wrong."""

    weight: float  # of the vote, against what models say
    p_wrong: np.ndarray  # (n,), by the vote; NaN where equal rows do not differ


class RowsPosterior(NamedTuple):
    """Some rows as in :class:`Posterior`, and what is summed over them."""

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
    *,
    of_many: bool = False,
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
    of_many : bool, default=False
        Whether other blocks of rows follow.
    """
    worth = logs.size >= (WORTH_COMPILING_OF_MANY if of_many else WORTH_COMPILING)
    judged = kernels("judged_rows", compiled=worth).judge_rows(
        np.ascontiguousarray(logs),
        np.ascontiguousarray(codes, dtype=np.int64),
        rule.calibration.map.astype(logs.dtype),
        rule.hypotheses.astype(logs.dtype),
        highest=rule.highest,
        surprise=rule.surprise,
        vote=np.full(len(codes), np.nan) if vote is None else vote.p_wrong,
        vote_weight=0.0 if vote is None else vote.weight,
        known=np.zeros(len(codes), dtype=bool) if known is None else known,
    )
    right = np.zeros(rule.n_hypotheses)
    right[rule.places] = judged.right
    return RowsPosterior(*judged._replace(right=right))


def merged_rows(blocks_of_rows: Iterable[RowsPosterior], n: int) -> RowsPosterior:
    """The ``n`` rows of all blocks under each other, sums added up.

    A block is let go before the next comes, so that rows are held once.
    """
    columns: list[np.ndarray] = []
    sums: list[np.ndarray] = []
    done = 0
    for *per_row, joint, right in blocks_of_rows:
        columns = columns or [np.empty(n, dtype=column.dtype) for column in per_row]
        for column, part in zip(columns, per_row, strict=True):
            column[done : done + len(part)] = part
        done += len(per_row[0])
        sums = [sums[0] + joint, sums[1] + right] if sums else [joint, right]
    return RowsPosterior._make([*columns, *sums])


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
