"""Ranks: who comes first on each data set, and on average."""

from typing import Any

import numpy as np
from scipy.stats import rankdata

from .._validation import check_score_table
from ._scores import without_rounding_error


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
    scores = without_rounding_error(scores, size)
    return rankdata(-scores if higher_is_better else scores, axis=1)
