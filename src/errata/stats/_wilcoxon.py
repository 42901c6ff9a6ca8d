"""Wilcoxon's test, which tells which pairs of methods differ, corrected by Holm."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from .._validation import check_count, check_score_table, check_significance
from ._ranks import get_method_names, remove_rounding_error

LARGEST_EXACT = 50  # differing data sets; beyond, Wilcoxon's test uses the normal distribution


class WilcoxonHolmResult(NamedTuple):
    """What :func:`wilcoxon_holm` found, as symmetric tables with one row and column per method.

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
