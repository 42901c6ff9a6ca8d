"""Friedman's test, which tells whether several methods differ at all."""

from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from .._validation import check_score_table
from ._ranks import rank_methods


class FriedmanResult(NamedTuple):
    """What :func:`friedman_test` found.

    Attributes
    ----------
    statistic, p_value : float
        Friedman's chi-square, and how likely one this large is when all methods are alike.
    f_statistic, f_p_value : float
        The statistic of Iman and Davenport, less conservative than the chi-square, and its p-value.
    average_ranks : array of shape (n_methods,)
        Average rank of each method; 1 is best.
    n_datasets, n_methods : int
        The shape of the table.

    Examples
    --------
    >>> from errata.stats import friedman_test
    >>> result = friedman_test([[3, 2, 1], [3, 1, 2], [3, 2, 1], [2, 3, 1]])
    >>> result.average_ranks
    array([1.25, 2.  , 2.75])
    >>> f"chi2 = {result.statistic:.2f}, p = {result.p_value:.3f}"
    'chi2 = 4.50, p = 0.105'
    """

    statistic: float
    p_value: float
    f_statistic: float
    f_p_value: float
    average_ranks: np.ndarray
    n_datasets: int
    n_methods: int


def friedman_test(
    scores: Any, *, higher_is_better: bool = True, correct_ties: bool = True
) -> FriedmanResult:
    """Test whether several methods, compared on several data sets, differ at all.

    The first thing to do with three or more methods; which of them differ is then for
    :func:`nemenyi_test` or :func:`wilcoxon_holm` to say. It looks at ranks only, so it needs no
    normal distribution and no common scale, and it takes the data sets as independent: several
    noise levels of one data set are not several data sets.

    Parameters
    ----------
    scores : array-like or dataframe of shape (n_datasets, n_methods)
        One row per data set (at least 2), one column per method (at least 3).
    higher_is_better : bool, default=True
        False for errors and losses; turns the average ranks around and nothing else.
    correct_ties : bool, default=True
        Allow for equal scores, as SciPy and R do. The formula in [1]_ does not; False gives its
        number, which is never larger.

    Returns
    -------
    FriedmanResult

    Notes
    -----
    With R_ij the rank of method j on data set i, W is Kendall's concordance,
    N Σ_j (mean_i R_ij − (k+1)/2)² / Σ_ij (R_ij − (k+1)/2)²; the chi-square is N (k − 1) W with
    k − 1 degrees of freedom, and F = (N − 1) W / (1 − W) with k − 1 and (k − 1)(N − 1). Without
    ties these are the formulas in section 3.2.2 of [1]_; without the correction for ties the
    denominator of W is what it would be if there were none. When all data sets agree F is
    infinite and its p-value 0; when all scores are tied both statistics are 0 and both p-values 1.

    References
    ----------
    .. [1] Demšar. Statistical comparisons of classifiers over multiple data sets. Journal of
       Machine Learning Research 7, 2006.
    .. [2] Iman and Davenport. Approximations of the critical region of the Friedman statistic.
       Communications in Statistics A9, 1980.

    Examples
    --------
    >>> from errata.stats import friedman_test
    >>> auc = [[0.76, 0.77, 0.80], [0.60, 0.59, 0.57], [0.88, 0.89, 0.90], [0.66, 0.67, 0.69]]
    >>> result = friedman_test(auc)
    >>> result.average_ranks
    array([2.5, 2. , 1.5])
    >>> f"F = {result.f_statistic:.2f}, p = {result.f_p_value:.2f}"
    'F = 1.00, p = 0.42'
    """
    table = check_score_table(scores, min_datasets=2)
    n, k = table.shape
    if k < 3:
        raise ValueError(
            "friedman_test compares at least 3 methods, but scores has 2; "
            "compare two methods with wilcoxon_holm."
        )
    ranks = rank_methods(table, higher_is_better)
    w = _concordance(ranks, correct_ties)
    chi2 = n * (k - 1) * w
    f = (n - 1) * w / (1 - w) if w < 1 else np.inf
    return FriedmanResult(
        statistic=float(chi2),
        p_value=float(stats.chi2.sf(chi2, k - 1)),
        f_statistic=float(f),
        f_p_value=float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        average_ranks=ranks.mean(axis=0),
        n_datasets=n,
        n_methods=k,
    )


def _concordance(ranks: np.ndarray, correct_ties: bool) -> float:
    """Kendall's W: 0 when the data sets contradict each other, 1 when they agree."""
    n, k = ranks.shape
    # Sums, not means: half-integers add up without rounding, so agreement gives exactly 1.
    between = np.sum((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2)
    total = np.sum((ranks - (k + 1) / 2) ** 2) if correct_ties else n * k * (k**2 - 1) / 12
    return float(between / (n * total)) if total else 0.0
