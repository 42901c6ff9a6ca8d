"""Metrics for detectors: rankings (suspicion) and decisions (flags) against the wrong labels."""

from typing import Any

import numpy as np

from .._validation import check_count, check_mask, check_row_scores


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
    above, at = suspicion > last, suspicion == last
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
    hits, missed = (flagged & flipped).sum(), (flipped & ~flagged).sum()
    false_alarms = (flagged & ~flipped).sum()
    return {
        "er1": _ratio(false_alarms, (~flipped).sum()),
        "er2": _ratio(missed, flipped.sum()),
        "nep": _ratio(hits, flagged.sum()),
        "recall": _ratio(hits, flipped.sum()),
        # 2 TP / (2 TP + FP + FN): nan only where nothing is flagged and nothing is wrong.
        "f1": _ratio(2 * hits, flagged.sum() + flipped.sum()),
        "residual_noise": _ratio(missed, (~flagged).sum()),
        "removed": _ratio(flagged.sum(), len(flagged)),
        "removed_right": _ratio(false_alarms, len(flagged)),
    }


def _ratio(part: float, whole: float) -> float:
    """``part / whole``, and nan (never zero) where there is nothing to divide."""
    return float(part / whole) if whole else float("nan")
