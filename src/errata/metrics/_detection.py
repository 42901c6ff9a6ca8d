"""Metrics for detectors, for probabilities that labels are wrong, and for estimates of noise."""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils import check_consistent_length, check_random_state

from .._validation import check_count, check_fraction, check_mask, check_row_scores
from .._warn import warn_user
from ..exceptions import NoiseWarning
from ..noise import NoiseModel


def precision_at_k(flipped: Any, suspicion: Any, k: int | None = None) -> float:
    """Fraction of wrong labels among the ``k`` most suspicious rows.

    The metric to watch when somebody looks at the top of the list and no further. (For the whole
    list take :func:`sklearn.metrics.average_precision_score`, which needs no ``k``.)

    Parameters
    ----------
    flipped : array-like of bool of shape (n,)
        Where the labels are wrong.
    suspicion : array-like of shape (n,)
        Higher = more likely mislabelled.
    k : int, optional
        Length of the list; the number of wrong labels when not given. Rows that tie for the last
        places count with the fraction of them that fits.

    Returns
    -------
    float
        nan without ``k`` when no label is wrong.

    Examples
    --------
    >>> from errata.metrics import precision_at_k
    >>> precision_at_k([True, False, True, False], [0.9, 0.8, 0.7, 0.1], k=3)
    0.6666666666666666
    """
    flipped = check_mask("flipped", flipped)
    suspicion = check_row_scores("suspicion", suspicion, len(flipped))
    if k is None and not flipped.any():
        return float("nan")
    k = check_count("k", flipped.sum() if k is None else k, high=len(suspicion))
    # Ties at the end of the list enter in part, so that the order of the rows does not matter.
    last = np.sort(suspicion)[-k]
    above = suspicion > last
    at = suspicion == last
    fits = (k - above.sum()) / at.sum()
    return float((flipped[above].sum() + fits * flipped[at].sum()) / k)


def filter_report(flipped: Any, flagged: Any, y: Any = None) -> dict[str, Any]:
    """The errors of a filter, in the terms of the filter literature.

    Parameters
    ----------
    flipped : array-like of bool of shape (n,)
        Where the labels are wrong.
    flagged : array-like of bool of shape (n,)
        The rows a filter removes.
    y : array-like of shape (n,), optional
        The labels; adds the same report for each of them under ``per_class``, as rare classes
        suffer first and averages hide it.

    Returns
    -------
    dict
        ``er1`` (fraction of the right labels removed), ``er2`` (fraction of the wrong labels
        kept), ``nep`` (noise elimination precision: fraction of the removed that was wrong; the
        precision of the flags), ``recall`` (1 - er2), ``f1``, ``residual_noise`` (fraction of
        wrong labels among the kept), ``removed`` and ``removed_right`` (removed rows, and removed
        rows whose label was right, as fractions of **all** rows). nan where a fraction has nothing
        to refer to.

    Notes
    -----
    ``removed_right`` is the false positive rate of Martinez and Gray (2015): the tables of their
    paper agree with themselves only if it is divided by all rows. The usual one is ``er1``.

    Examples
    --------
    >>> from errata.metrics import filter_report
    >>> flipped = [1] * 5 + [0] * 15
    >>> flagged = [1] * 4 + [0] + [1] * 2 + [0] * 13
    >>> report = filter_report(flipped, flagged)
    >>> {name: round(value, 3) for name, value in report.items()}
    {'er1': 0.133, 'er2': 0.2, 'nep': 0.667, 'recall': 0.8, 'f1': 0.727, 'residual_noise': 0.071,
     'removed': 0.3, 'removed_right': 0.1}
    """
    flipped = check_mask("flipped", flipped)
    flagged = check_mask("flagged", flagged, len(flipped))
    report: dict[str, Any] = _filter_rates(flagged, flipped)
    if y is not None:
        labels = np.asarray(y)
        if labels.shape != flagged.shape:
            raise ValueError(f"y has shape {labels.shape}, flagged {flagged.shape}.")
        report["per_class"] = {
            label: _filter_rates(flagged[labels == label], flipped[labels == label])
            for label in np.unique(labels).tolist()
        }
    return report


def _filter_rates(flagged: np.ndarray, flipped: np.ndarray) -> dict[str, float]:
    hits = (flagged & flipped).sum()
    missed = (flipped & ~flagged).sum()
    false_alarms = (flagged & ~flipped).sum()
    return {
        "er1": _divide(false_alarms, (~flipped).sum()),
        "er2": _divide(missed, flipped.sum()),
        "nep": _divide(hits, flagged.sum()),
        "recall": _divide(hits, flipped.sum()),
        # 2 TP / (2 TP + FP + FN): nan only where nothing is flagged and nothing is wrong.
        "f1": _divide(2 * hits, flagged.sum() + flipped.sum()),
        "residual_noise": _divide(missed, (~flagged).sum()),
        "removed": _divide(flagged.sum(), len(flagged)),
        "removed_right": _divide(false_alarms, len(flagged)),
    }


def reduction_by_chance(
    size: Callable[[Any, Any], float],
    X: Any,
    y: Any,
    kept: Any,
    *,
    n_repeats: int = 10,
    random_state: Any = None,
) -> float:
    """How much of the shrinking of a model after a filter comes of having fewer rows.

    A model of fewer rows is smaller, whichever rows are left out: a filter that makes trees smaller
    has shown something only where as many rows drawn at random do not. Costs ``n_repeats + 2``
    models.

    Parameters
    ----------
    size : callable
        ``size(X, y)`` fits a model and returns its size: nodes of a tree, rules, support vectors.
    X : array-like of shape (n, d)
        Features.
    y : array-like of shape (n,)
        Labels.
    kept : array-like of bool of shape (n,)
        The rows that the filter leaves.
    n_repeats : int, default=10
        How often as many rows are drawn.
    random_state : int, RandomState instance or None
        Seed.

    Returns
    -------
    float
        100 (s - s_random) / (s - s_filtered): near 100 the filter did no more than chance, near 0
        the smaller model is its doing. nan where the filter leaves the size as it was.

    References
    ----------
    .. [1] Oates and Jensen. The effects of training set size on decision tree complexity. ICML
       1997; equation 8 of Frénay and Verleysen's survey.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from errata.datasets import make_twonorm
    >>> from errata.metrics import reduction_by_chance
    >>> from errata.noise import flip_labels
    >>> X, y = make_twonorm(300, random_state=0)
    >>> labels, wrong = flip_labels(y, 0.2, random_state=0)
    >>> def leaves(X, y):
    ...     return DecisionTreeClassifier(random_state=0).fit(X, y).get_n_leaves()
    >>> print(f"{reduction_by_chance(leaves, X, labels, ~wrong, random_state=0):.0f} %")
    36 %
    """
    X = np.asarray(X)
    y = np.asarray(y)
    kept = check_mask("kept", kept)
    check_consistent_length(X, y, kept)
    check_count("n_repeats", n_repeats)
    random = check_random_state(random_state)
    whole = size(X, y)
    filtered = size(X[kept], y[kept])
    drawn = []
    for _ in range(n_repeats):
        rows = np.sort(random.permutation(len(y))[: kept.sum()])
        drawn.append(size(X[rows], y[rows]))
    return 100 * _divide(whole - float(np.mean(drawn)), whole - filtered)


def _divide(part: float, whole: float) -> float:
    """``part / whole``, and nan (never zero) where there is nothing to divide."""
    return float(part / whole) if whole else float("nan")


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
    truth = _make_model(true, prior)
    estimate = _make_model(estimated)
    if truth.transition.shape != estimate.transition.shape:
        raise ValueError(
            f"the matrices have shapes {truth.transition.shape} and {estimate.transition.shape}."
        )
    # Classes are weighted by the truth alone: an estimate does not choose which of its rows count.
    difference = _align_classes(truth, estimate) - truth.transition
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
    error = check_fraction("error", error)
    noise = check_fraction("noise", noise)
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
    error = check_fraction("error", error)
    noise = check_fraction("noise", noise)
    # Triangle inequality: the fraction of rows on which two labellings differ is a distance.
    return abs(error - noise), min(1.0, error + noise)


def _align_classes(truth: NoiseModel, estimate: NoiseModel) -> np.ndarray:
    """The estimated matrix with its classes in the order of the true one, where both name them."""
    if estimate.classes is None or truth.classes is None:
        return estimate.transition
    found = estimate.classes.tolist()
    wanted = truth.classes.tolist()
    if set(found) != set(wanted):
        raise ValueError(f"the models are of different classes: {wanted} and {found}.")
    order = [found.index(name) for name in wanted]
    return estimate.transition[np.ix_(order, order)]


def _make_model(matrix: Any, prior: Any = None) -> NoiseModel:
    if isinstance(matrix, NoiseModel):
        return matrix if prior is None else NoiseModel(matrix.transition, prior, matrix.classes)
    return NoiseModel(matrix, prior)
