"""The self-check: plant errors in a copy of the labels, audit that copy, and look for them.

It says how well the audit works on this very table, and puts ``p_wrong`` right where it claims far
too much or too little.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from ._judge import Judgement, log_odds

PLANTED = 0.1  # share of the rows
FEWEST, SMALL = 20, 500  # errors planted at least; rows below which it is done twice
UNIFORM = 0.1  # part of the planted errors that ignores the noise model
POINTS = 200  # ranks at which precision and recall are kept
SLOPE_SPREAD, SHIFT_SPREAD = 0.25, 0.5  # how far a calibration may lightly go
SLACK = 0.5  # of log-odds: so far off may planted errors be because they are not real ones


class SelfCheck(NamedTuple):
    """What became of the planted errors."""

    planted: int
    top: int  # so many of the most suspicious rows...
    found: int  # ... hold so many of the planted errors
    average_precision: float
    suggested_right: float  # share of the planted errors whose class was suggested
    repeats: int
    rank: np.ndarray
    precision: np.ndarray
    recall: np.ndarray
    slope: float  # of the calibration of log-odds
    shift: float

    def calibrated(self, p: np.ndarray) -> np.ndarray:
        """Probabilities as the planted errors say they should be, as far as these are believed."""
        return expit(self.slope * log_odds(p) + self.shift)


class _Run(NamedTuple):
    planted: np.ndarray
    eligible: np.ndarray
    p_wrong: np.ndarray
    suspicion: np.ndarray
    right: np.ndarray


def self_check(
    codes: np.ndarray,
    first: Judgement,
    audit_again: Callable[[np.ndarray, int], Judgement],
    random: np.random.Generator,
) -> SelfCheck | None:
    """Plant errors and look for them; None where there are too few rows to plant any.

    Rows that were suspected before anything was planted are left out of the count: they may be
    wrong themselves.
    """
    eligible = first.p_wrong < 0.5
    trusted = np.flatnonzero(eligible)
    count = min(max(FEWEST, round(PLANTED * len(codes))), len(trusted) // 2)
    if count < 2:
        return None
    runs = []
    for _ in range(2 if len(codes) < SMALL else 1):
        rows = rows_to_plant(codes, trusted, count, random)
        labels = codes.copy()
        labels[rows] = wrong_labels(codes[rows], first.readings.transition, random)
        again = audit_again(labels, int(random.integers(2**31 - 1)))
        planted = np.zeros(len(codes), dtype=bool)
        planted[rows] = True
        right = (again.other == codes)[rows]
        runs.append(_Run(planted, eligible, again.p_wrong, again.suspicion, right))
    return _summed_up(runs, first.p_wrong)


def rows_to_plant(
    codes: np.ndarray, trusted: np.ndarray, count: int, random: np.random.Generator
) -> np.ndarray:
    """As many of the trusted rows, or fewer where more than half of a class would change."""
    rows = random.permutation(trusted)
    by_class = np.argsort(codes[rows], kind="stable")
    sizes = np.bincount(codes[rows])
    before = np.empty(len(rows), dtype=int)  # rows of the same class that come earlier
    before[by_class] = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rows[before < (np.bincount(codes) // 2)[codes[rows]]][:count]


def wrong_labels(
    codes: np.ndarray, transition: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """A wrong label for each row, drawn from the noise model with a little uniform noise."""
    n_classes = len(transition)
    wrong = transition.copy()
    np.fill_diagonal(wrong, 0)
    total = wrong.sum(axis=1, keepdims=True)
    uniform = (1 - np.eye(n_classes)) / (n_classes - 1)
    wrong = np.divide(wrong, total, out=uniform.copy(), where=total > 0)
    reach = np.cumsum((1 - UNIFORM) * wrong + UNIFORM * uniform, axis=1)
    drawn = (random.random((len(codes), 1)) > reach[codes]).sum(axis=1)
    last = n_classes - 1 - (codes == n_classes - 1)  # rounding may leave the last sum below one
    return np.minimum(drawn, last)


def _summed_up(runs: list[_Run], before: np.ndarray) -> SelfCheck:
    curves = [_curve(run) for run in runs]
    planted = int(runs[0].planted.sum())
    top = min(int(np.ceil(1.1 * planted)), len(curves[0]))
    found = np.mean([curve[top - 1] for curve in curves])
    length = min(len(curve) for curve in curves)
    hits = np.mean([curve[:length] for curve in curves], axis=0)
    rank = np.unique(np.geomspace(1, length, POINTS).round().astype(int))
    slope, shift = _calibration(runs, before)
    return SelfCheck(
        planted=planted,
        top=top,
        found=round(float(found)),
        average_precision=float(np.mean([_average_precision(c, planted) for c in curves])),
        suggested_right=float(np.mean([run.right.mean() for run in runs])),
        repeats=len(runs),
        rank=rank,
        precision=hits[rank - 1] / rank,
        recall=hits[rank - 1] / planted,
        slope=slope,
        shift=shift,
    )


def _curve(run: _Run) -> np.ndarray:
    """How many planted errors are among the first rows, for every length of the list."""
    rows = np.flatnonzero(run.eligible)
    order = rows[np.argsort(-run.suspicion[rows], kind="stable")]
    return np.cumsum(run.planted[order])


def _average_precision(hits: np.ndarray, planted: int) -> float:
    new = np.diff(hits, prepend=0) > 0
    return float((hits[new] / (np.flatnonzero(new) + 1)).sum() / planted)


def _calibration(runs: list[_Run], before: np.ndarray) -> tuple[float, float]:
    """Slope and shift of the log-odds; one and zero where the planted errors confirm them.

    A planted row is wrong, any other with the probability it had before. Planted errors are not
    real ones, so only what goes beyond a slack is believed.
    """
    x = np.concatenate([log_odds(r.p_wrong) for r in runs])
    wrong = np.concatenate([np.where(r.planted, 1.0, before) for r in runs])

    def loss(theta: np.ndarray) -> tuple[float, np.ndarray]:
        slope, shift = theta
        score = slope * x + shift
        pull = expit(score) - wrong
        far = np.array([(slope - 1) / SLOPE_SPREAD**2, shift / SHIFT_SPREAD**2])
        value = np.sum(np.logaddexp(0, score) - wrong * score)
        value += ((slope - 1) / SLOPE_SPREAD) ** 2 / 2 + (shift / SHIFT_SPREAD) ** 2 / 2
        return float(value), np.array([pull @ x, pull.sum()]) + far

    found = minimize(loss, [1.0, 0.0], jac=True, method="L-BFGS-B", bounds=[(0.2, 3), (-3, 3)])
    slope, shift = (float(value) for value in found.x)
    doubt = before * (1 - before) + 1e-12  # a sure label stays one, whatever its log-odds become
    moved = (slope - 1) * log_odds(before) + shift
    believed = 1 - SLACK / max(np.sqrt(np.average(moved**2, weights=doubt)), SLACK)
    return 1 + believed * (slope - 1), believed * shift
