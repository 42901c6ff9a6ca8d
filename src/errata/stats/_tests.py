"""Tests of whether classifiers differ: by their ranks on many data sets, and Wilcoxon's."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from scipy.stats import rankdata

from .._validation import check_count, check_score_table, check_significance

LARGEST_EXACT = 50  # differing data sets; beyond, Wilcoxon's test uses the normal distribution


def average_ranks(scores: Any, *, higher_is_better: bool = True) -> np.ndarray:
    """Average rank of each method over the data sets; 1 is best.

    On each data set the best method gets rank 1, the next rank 2, and so on; methods with equal
    scores share the average of their ranks. Ranks make data sets commensurable: one point of
    accuracy on an easy problem and one on a hard problem are no longer added up.

    Parameters
    ----------
    scores : array-like or dataframe of shape (n_datasets, n_methods)
        One row per data set, one column per method.
    higher_is_better : bool, default=True
        False for errors and losses.

    Returns
    -------
    array of shape (n_methods,)
        The numbers lie between 1 and n_methods and sum to n_methods (n_methods + 1) / 2.

    Examples
    --------
    >>> from errata.stats import average_ranks
    >>> accuracy = [[0.90, 0.80, 0.85], [0.70, 0.60, 0.70]]
    >>> average_ranks(accuracy)
    array([1.25, 3.  , 1.75])
    """
    return rank_methods(check_score_table(scores), higher_is_better).mean(axis=0)


def rank_methods(scores: np.ndarray, higher_is_better: bool = True) -> np.ndarray:
    """Rank the methods on each data set of a checked table; ties share their average rank."""
    size = np.abs(scores).max(axis=1, keepdims=True)
    scores = remove_rounding_error(scores, size)
    return rankdata(-scores if higher_is_better else scores, axis=1)


def remove_rounding_error(values: np.ndarray, scale: Any) -> np.ndarray:
    """Values relative to the scores' size, to twelve decimals: what is beyond is not data.

    To a reader 0.1 + 0.2 equals 0.3, and 0.90 - 0.85 equals 0.75 - 0.70; in floating point they
    differ, and which comes out larger is chance.
    """
    return np.round(values / np.where(scale > 0, scale, 1.0), 12)


def get_method_names(scores: Any, names: Sequence[str] | None, n_methods: int) -> list[str]:
    """Return ``names``, else the columns of a dataframe, else "method 0", "method 1", ..."""
    if names is None:
        names = getattr(scores, "columns", None)
    if names is None:
        return [f"method {j}" for j in range(n_methods)]
    names = [str(name) for name in names]
    if len(names) != n_methods or len(set(names)) != n_methods:
        raise ValueError(
            f"names must hold {n_methods} different names, one per method, but it is {names}."
        )
    return names


class FriedmanResult(NamedTuple):
    """The result of :func:`friedman_test`.

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
    w = _compute_concordance(ranks, correct_ties)
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


def _compute_concordance(ranks: np.ndarray, correct_ties: bool) -> float:
    """Kendall's W: 0 when the data sets contradict each other, 1 when they agree."""
    n, k = ranks.shape
    # Sums, not means: half-integers add up without rounding, so agreement gives exactly 1.
    between = np.sum((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2)
    total = np.sum((ranks - (k + 1) / 2) ** 2) if correct_ties else n * k * (k**2 - 1) / 12
    return float(between / (n * total)) if total else 0.0


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


class WilcoxonHolmResult(NamedTuple):
    """The result of :func:`wilcoxon_holm`: symmetric tables, one row and column per method.

    Attributes
    ----------
    p_values : array of shape (n_methods, n_methods)
        The p-values after Holm's correction; NaN where two methods were not compared.
    p_raw : array of shape (n_methods, n_methods)
        The same before the correction.
    significant : array of bool of shape (n_methods, n_methods)
        Where the corrected p-value does not exceed ``significance``.

    Examples
    --------
    >>> from errata.stats import wilcoxon_holm
    >>> result = wilcoxon_holm([[0.1 * i, 0.2 * i, 0.1 * i] for i in range(1, 8)])
    >>> result.significant
    array([[False,  True, False],
           [ True, False,  True],
           [False,  True, False]])
    """

    p_values: np.ndarray
    p_raw: np.ndarray
    significant: np.ndarray


def wilcoxon_holm(
    scores: Any,
    *,
    control: int | str | None = None,
    names: Sequence[str] | None = None,
    significance: float = 0.05,
) -> WilcoxonHolmResult:
    """Test methods in pairs by Wilcoxon's signed ranks, corrected for their number by Holm.

    A pair is judged by its own two columns, so the verdict does not change when a third method
    enters the table, except for the correction; that makes it sharper than :func:`nemenyi_test`.
    It ranks the *sizes* of the differences and so takes them as comparable over the data sets
    (accuracies are; mean squared errors in different units are not). With two methods it is the
    plain Wilcoxon test. Needs 6 data sets or more to find anything at 0.05.

    Parameters
    ----------
    scores : array-like or dataframe of shape (n_datasets, n_methods)
        One row per data set, one column per method. Whether higher is better does not matter here.
    control : int or str, optional
        Compare this method, by column number or name, with each other one and leave the other
        pairs alone: k − 1 tests instead of k (k − 1) / 2, hence a milder correction.
    names : sequence of str, optional
        Names of the methods, for ``control``; the columns of a dataframe when left out.
    significance : float, default=0.05
        Probability of finding any difference among methods that are all alike.

    Returns
    -------
    WilcoxonHolmResult

    Notes
    -----
    Data sets on which two methods score the same are left out of their comparison; methods that
    score the same everywhere get p = 1. The p-values are exact, tied differences included, up to
    50 data sets; beyond, they come from the normal distribution, corrected for ties.

    References
    ----------
    .. [1] Holm. A simple sequentially rejective multiple test procedure. Scandinavian Journal of
       Statistics 6, 1979.
    .. [2] Benavoli, Corani and Mangili. Should we really use post-hoc tests based on mean-ranks?
       Journal of Machine Learning Research 17, 2016.

    Examples
    --------
    >>> from errata.stats import wilcoxon_holm
    >>> accuracy = [[70 + i, 71 + 2 * i, 70 + i % 3] for i in range(8)]
    >>> result = wilcoxon_holm(accuracy, names=["bagging", "peeling", "tree"])
    >>> result.p_values.round(3)
    array([[1.   , 0.023, 0.062],
           [0.023, 1.   , 0.023],
           [0.062, 0.023, 1.   ]])
    """
    table = check_score_table(scores, min_datasets=2)
    significance = check_significance("significance", significance)
    k = table.shape[1]
    pairs = list(combinations(range(k), 2))
    if control is not None:
        chosen = _find_control_column(control, get_method_names(scores, names, k))
        pairs = [pair for pair in pairs if chosen in pair]
    raw = np.array([_test_pair(table[:, i], table[:, j]) for i, j in pairs])
    adjusted = _fill_table(pairs, correct_by_holm(raw), k)
    return WilcoxonHolmResult(adjusted, _fill_table(pairs, raw, k), adjusted <= significance)


def _find_control_column(control: int | str, names: list[str]) -> int:
    if not isinstance(control, str):
        return check_count("control", control, low=0, high=len(names) - 1)
    if control not in names:
        raise ValueError(f"control={control!r} is not a method; choose from {', '.join(names)}.")
    return names.index(control)


def _test_pair(a: np.ndarray, b: np.ndarray) -> float:
    """Two-sided p-value of the signed ranks of a − b, data sets with a = b left out."""
    differences = remove_rounding_error(a - b, np.abs([a, b]).max())
    differences = differences[differences != 0]
    if len(differences) > LARGEST_EXACT:
        return float(stats.wilcoxon(differences).pvalue)
    return _test_signed_ranks_exactly(differences)


def _test_signed_ranks_exactly(differences: np.ndarray) -> float:
    """Two-sided p-value over all ways of giving signs to the ranks, tied ranks included."""
    # SciPy is exact without ties only, and with them its answer depends on its version (and in
    # old ones on the order of the pair). Twice an average rank is whole, so sums can be counted.
    ranks = (2 * stats.rankdata(np.abs(differences))).astype(int)
    ways = np.ones(1)  # ways[s]: in how many ways the positive ranks sum to s / 2
    for rank in ranks:
        ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
    positive = ranks[differences > 0].sum()
    extreme = min(positive, ranks.sum() - positive)
    return float(min(1.0, 2 * ways[: extreme + 1].sum() / 2.0 ** len(ranks)))


def correct_by_holm(p: np.ndarray) -> np.ndarray:
    """Holm's correction: the smallest p-value times their number, the next times one less, ..."""
    order = np.argsort(p)
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


def _fill_table(pairs: list[tuple[int, int]], p: np.ndarray, k: int) -> np.ndarray:
    table = np.full((k, k), np.nan)
    np.fill_diagonal(table, 1.0)
    rows, columns = np.transpose(pairs)
    table[rows, columns] = table[columns, rows] = p
    return table
