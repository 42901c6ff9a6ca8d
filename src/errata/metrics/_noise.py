"""Metrics for estimates of the noise itself, and error rates seen through wrong labels."""

from typing import Any

import numpy as np

from .._validation import check_count, check_fraction
from .._warn import warn_user
from ..exceptions import NoiseWarning
from ..noise import NoiseModel


def transition_error(true: Any, estimated: Any, *, prior: Any = None) -> float:
    """Fraction of labels that two transition matrices place differently (total variation).

    Parameters
    ----------
    true, estimated : NoiseModel or array-like of shape (K, K)
        Row c holds the label probabilities of class c.
    prior : array-like of shape (K,), optional
        Weights of the classes; all alike when not given (and not known to a model given as true).

    Returns
    -------
    float between 0 (equal) and 1 (no label in common)

    Examples
    --------
    >>> from errata.metrics import transition_error
    >>> round(transition_error([[0.9, 0.1], [0.1, 0.9]], [[0.8, 0.2], [0.1, 0.9]]), 3)
    0.05
    """
    truth, estimate = _as_model(true, prior), _as_model(estimated)
    if truth.transition.shape != estimate.transition.shape:
        raise ValueError(
            f"the matrices have shapes {truth.transition.shape} and {estimate.transition.shape}."
        )
    # Classes are weighted by the truth alone: an estimate does not choose which of its rows count.
    difference = _in_the_order_of(truth, estimate) - truth.transition
    by_class = 0.5 * np.abs(difference).sum(axis=1)
    return float(np.average(by_class, weights=truth.prior))


def correct_error_rate(error: float, noise: float, *, n_classes: int = 2) -> float:
    """A classifier's true error rate behind the one measured on wrong labels.

    Holds when classifier and labels err independently and towards all other classes alike:
    ``error = true + noise - true * noise * K / (K - 1)``.

    Parameters
    ----------
    error : float
        Fraction of predictions that differ from the labels.
    noise : float
        Fraction of wrong labels, below (K - 1) / K.
    n_classes : int, default=2
        Number of classes K.

    Examples
    --------
    >>> from errata.metrics import correct_error_rate
    >>> round(correct_error_rate(0.0644, 0.06), 4)
    0.005
    """
    k = check_count("n_classes", n_classes, low=2)
    error, noise = check_fraction("error", error), check_fraction("noise", noise)
    if noise >= (k - 1) / k:
        raise ValueError(
            f"noise={noise:g} leaves no information in the labels of {k} classes; "
            f"it must be below {(k - 1) / k:.3g}."
        )
    true = (error - noise) / (1 - noise * k / (k - 1))
    # Outside: the sample is small, or classifier and labels err on the same rows.
    # (By rounding alone, a rate of 0 or 1 may come out a little beyond, too.)
    if not -1e-9 <= true <= 1 + 1e-9:
        warn_user(
            f"an error of {error:g} does not fit labels with {noise:g} noise (the corrected rate "
            f"would be {true:.3g}); clipped to [0, 1].",
            NoiseWarning,
        )
    return min(max(true, 0.0), 1.0)


def error_rate_bounds(error: float, noise: float) -> tuple[float, float]:
    """Smallest and largest true error rate, whatever classifier and labels have in common.

    Parameters
    ----------
    error, noise : float
        As for :func:`correct_error_rate`.

    Examples
    --------
    >>> from errata.metrics import error_rate_bounds
    >>> low, high = error_rate_bounds(0.005, 0.06)
    >>> round(low, 3), round(high, 3)
    (0.055, 0.065)
    """
    error, noise = check_fraction("error", error), check_fraction("noise", noise)
    # Triangle inequality: the fraction of rows on which two labellings differ is a distance.
    return abs(error - noise), min(1.0, error + noise)


def _in_the_order_of(truth: NoiseModel, estimate: NoiseModel) -> np.ndarray:
    """The estimated matrix with its classes in the order of the true one, where both name them."""
    if estimate.classes is None or truth.classes is None:
        return estimate.transition
    found, wanted = estimate.classes.tolist(), truth.classes.tolist()
    if set(found) != set(wanted):
        raise ValueError(f"the models are of different classes: {wanted} and {found}.")
    order = [found.index(name) for name in wanted]
    return estimate.transition[np.ix_(order, order)]


def _as_model(matrix: Any, prior: Any = None) -> NoiseModel:
    if isinstance(matrix, NoiseModel):
        return matrix if prior is None else NoiseModel(matrix.transition, prior, matrix.classes)
    return NoiseModel(matrix, prior)
