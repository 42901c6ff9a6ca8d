"""Metrics for probabilities that a label is wrong: large where it is, small where it is not."""

from typing import Any, NamedTuple

import numpy as np

from .._validation import check_count
from ._checks import check_mask, check_scores


class ReliabilityCurve(NamedTuple):
    """What was promised and what came true, bin by bin; empty bins are left out."""

    predicted: np.ndarray
    observed: np.ndarray
    counts: np.ndarray


def brier_score(p_wrong: Any, flipped: Any) -> float:
    """Mean squared distance between the probability and what happened; lower is better.

    Parameters
    ----------
    p_wrong : array-like of shape (n,)
        Probability that each label is wrong.
    flipped : array-like of bool of shape (n,)
        Where the labels are wrong.

    Examples
    --------
    >>> brier_score([1.0, 0.5, 0.0], [True, False, False])
    0.08333333333333333
    """
    p = check_scores("p_wrong", p_wrong, probability=True)
    return float(np.mean((p - check_mask("flipped", flipped, len(p))) ** 2))


def reliability_curve(p_wrong: Any, flipped: Any, *, n_bins: int = 10) -> ReliabilityCurve:
    """Mean probability and share of wrong labels in bins of equal width.

    Parameters
    ----------
    p_wrong, flipped
        As for :func:`brier_score`.
    n_bins : int, default=10
        Number of bins between 0 and 1; 1 belongs to the last.

    Examples
    --------
    >>> curve = reliability_curve([0.1, 0.1, 0.9, 0.9], [False, False, True, False], n_bins=2)
    >>> curve.predicted, curve.observed
    (array([0.1, 0.9]), array([0. , 0.5]))
    """
    p = check_scores("p_wrong", p_wrong, probability=True)
    flipped = check_mask("flipped", flipped, len(p))
    n_bins = check_count("n_bins", n_bins)
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    counts = np.bincount(bins, minlength=n_bins)
    filled = counts > 0
    predicted = np.bincount(bins, p, n_bins)[filled] / counts[filled]
    observed = np.bincount(bins, flipped, n_bins)[filled] / counts[filled]
    return ReliabilityCurve(predicted, observed, counts[filled])


def expected_calibration_error(p_wrong: Any, flipped: Any, *, n_bins: int = 10) -> float:
    """Mean distance between promised and observed share of wrong labels, over the rows.

    Parameters
    ----------
    p_wrong, flipped, n_bins
        As for :func:`reliability_curve`.

    Examples
    --------
    >>> round(expected_calibration_error([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 0], n_bins=2), 3)
    0.25
    """
    curve = reliability_curve(p_wrong, flipped, n_bins=n_bins)
    return float(np.average(np.abs(curve.predicted - curve.observed), weights=curve.counts))
