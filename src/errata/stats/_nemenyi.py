"""Nemenyi's test, which tells which average ranks lie too far apart for chance."""

from typing import Any

import numpy as np
from scipy import stats

from .._validation import check_count, check_score_table, check_significance
from ._ranks import rank_methods


def critical_difference(n_methods: int, n_datasets: int, *, significance: float = 0.05) -> float:
    """How far apart two average ranks must lie to differ significantly (Nemenyi).

    Parameters
    ----------
    n_methods : int
        Number of methods compared; more of them make the test more cautious.
    n_datasets : int
        Number of data sets; the difference shrinks with their square root.
    significance : float, default=0.05
        Probability of finding any difference among methods that are all alike.

    Returns
    -------
    float

    Notes
    -----
    CD = q_α √(k (k + 1) / (6 N)), where q_α is the quantile of the Studentized range for k groups
    and infinite degrees of freedom, divided by √2 (section 3.2.2 of [1]_). The 6 belongs there:
    without it the difference is 2.4 times too large.

    References
    ----------
    .. [1] Demšar. Statistical comparisons of classifiers over multiple data sets. Journal of
       Machine Learning Research 7, 2006.

    Examples
    --------
    >>> from errata.stats import critical_difference
    >>> round(critical_difference(n_methods=4, n_datasets=14), 2)
    1.25
    """
    k = check_count("n_methods", n_methods, low=2)
    n = check_count("n_datasets", n_datasets, low=2)
    q = stats.studentized_range.isf(
        check_significance("significance", significance), k, np.inf
    ) / np.sqrt(2)
    return float(q * _rank_error(k, n))


def _rank_error(k: int, n: int) -> float:
    """Standard error of the difference between two average ranks of methods that are alike."""
    return float(np.sqrt(k * (k + 1) / (6 * n)))


def nemenyi_test(scores: Any) -> np.ndarray:
    """Test every method against every other by their average ranks (Nemenyi).

    Run it when :func:`friedman_test` has found a difference. Two methods with a p-value of at most
    0.05 lie at least :func:`critical_difference` apart. It is cautious, and its verdict on
    two methods depends on which others are in the table; :func:`wilcoxon_holm` is sharper.

    Parameters
    ----------
    scores : array-like or dataframe of shape (n_datasets, n_methods)
        One row per data set, one column per method. Whether higher is better does not matter here.

    Returns
    -------
    array of shape (n_methods, n_methods)
        The p-values, already corrected for the number of methods; 1 on the diagonal.

    Examples
    --------
    >>> from errata.stats import nemenyi_test
    >>> nemenyi_test([[3, 2, 1]] * 6).round(3)
    array([[1.   , 0.193, 0.002],
           [0.193, 1.   , 0.193],
           [0.002, 0.193, 1.   ]])
    """
    table = check_score_table(scores, min_datasets=2)
    n, k = table.shape
    ranks = rank_methods(table).mean(axis=0)
    distance = np.abs(ranks[:, None] - ranks) / _rank_error(k, n)
    return np.clip(stats.studentized_range.sf(distance * np.sqrt(2), k, np.inf), 0, 1)
