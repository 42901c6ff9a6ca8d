"""Metrics for probabilities that a label is wrong."""

from typing import Any

import numpy as np

from .._validation import check_count, check_mask, check_row_scores


def expected_calibration_error(flipped: Any, p_wrong: Any, *, n_bins: int = 10) -> float:
    """Mean distance, over the rows, between predicted and observed fraction of wrong labels.

    Both are taken in bins of equal width. Lower is better; it says nothing about the ranking of the
    rows, so look at :func:`sklearn.metrics.brier_score_loss` or an average precision as well.
    :func:`sklearn.calibration.calibration_curve` gives the bins themselves.

    Parameters
    ----------
    flipped : array-like of bool of shape (n,)
        Where the labels are wrong.
    p_wrong : array-like of shape (n,)
        Probability that each label is wrong.
    n_bins : int, default=10
        Number of bins between 0 and 1. A bin holds its lower end; 1 belongs to the last.

    Returns
    -------
    float between 0 and 1

    Examples
    --------
    >>> from errata.metrics import expected_calibration_error
    >>> round(expected_calibration_error([0, 0, 1, 0], [0.1, 0.1, 0.9, 0.9], n_bins=2), 3)
    0.25
    """
    flipped = check_mask("flipped", flipped)
    p = check_row_scores("p_wrong", p_wrong, len(flipped), probability=True)
    n_bins = check_count("n_bins", n_bins)
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    # The sum of p - flipped in a bin is its count times predicted minus observed fraction.
    gaps = np.bincount(bins, p - flipped, minlength=n_bins)
    return float(np.abs(gaps).sum() / len(p))
