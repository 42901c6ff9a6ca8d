"""Means over folds with intervals, and which differences are within chance."""

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from ..stats import average_ranks
from ..stats._wilcoxon import holm

COVERAGE = 0.95


class Standing(NamedTuple):
    """How the competitors stand by one score, an entry for each in every field."""

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray
    rank: np.ndarray  # mean over the folds, 1 = best
    p_value: np.ndarray  # that the best is no better, corrected for so many comparisons
    best: int

    @property
    def within_chance(self) -> np.ndarray:
        """Who may be as good as the best, the best itself included."""
        return self.p_value > 1 - COVERAGE


def standing(scores: np.ndarray, test_fraction: float) -> Standing:
    """Standing by a table of scores, a row for each fold and a column for each competitor.

    Training sets of folds share most of their rows, so that the spread of scores over folds is
    smaller than that of a mean over fresh data. Nadeau and Bengio (2003) add the ratio of test
    to training rows to the 1 / J of J independent scores.

    Parameters
    ----------
    scores : array of shape (J, competitors)
        Higher is better.
    test_fraction : float
        Of the rows, those in a test fold.
    """
    n_folds = len(scores)
    inflation = 1 / n_folds + test_fraction / (1 - test_fraction)
    reach = student.ppf((1 + COVERAGE) / 2, max(n_folds - 1, 1))
    mean = scores.mean(axis=0)
    error = np.sqrt(inflation * scores.var(axis=0, ddof=1))
    best = int(mean.argmax())
    behind = scores[:, [best]] - np.delete(scores, best, axis=1)
    return Standing(
        mean=mean,
        low=np.maximum(mean - reach * error, 0),
        high=np.minimum(mean + reach * error, 1),
        rank=average_ranks(scores),
        p_value=np.insert(holm(_p_values(behind, inflation)), best, 1.0),
        best=best,
    )


def _p_values(behind: np.ndarray, inflation: float) -> np.ndarray:
    """Two-sided p-values of mean differences, one for each column."""
    mean, spread = behind.mean(axis=0), np.sqrt(inflation * behind.var(axis=0, ddof=1))
    # Where two competitors differ by the same on every fold, there is no spread to compare with.
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(mean == 0, 0.0, np.abs(mean) / spread)
    return 2 * student.sf(statistic, len(behind) - 1)
