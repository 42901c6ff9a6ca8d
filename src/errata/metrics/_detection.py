"""Metrics for detectors: rankings (suspicion) and decisions (flags) against the planted errors."""

from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from .._validation import check_count
from ._checks import check_mask, check_scores, ratio


def detection_average_precision(suspicion: Any, flipped: Any) -> float:
    """Average precision of the ranking: the mean precision at each wrong label found.

    The metric to watch when errors are few, as it looks at the top of the list. Chance level is the
    share of wrong labels; nan when there is none.

    Parameters
    ----------
    suspicion : array-like of shape (n,)
        Higher = more likely mislabelled.
    flipped : array-like of bool of shape (n,)
        Where the labels are wrong.

    Examples
    --------
    >>> detection_average_precision([0.9, 0.8, 0.1], [True, False, True])
    0.8333333333333333
    """
    suspicion = check_scores("suspicion", suspicion)
    flipped = check_mask("flipped", flipped, len(suspicion))
    return float(average_precision_score(flipped, suspicion)) if flipped.any() else float("nan")


def detection_auroc(suspicion: Any, flipped: Any) -> float:
    """Probability that a wrong label is more suspicious than a right one (ties count half).

    Chance level is 0.5; nan when all labels are right or all are wrong.

    Parameters
    ----------
    suspicion, flipped
        As for :func:`detection_average_precision`.

    Examples
    --------
    >>> detection_auroc([0.9, 0.8, 0.1], [True, False, True])
    0.5
    """
    suspicion = check_scores("suspicion", suspicion)
    flipped = check_mask("flipped", flipped, len(suspicion))
    if flipped.all() or not flipped.any():
        return float("nan")
    return float(roc_auc_score(flipped, suspicion))


def precision_at_k(suspicion: Any, flipped: Any, k: int | None = None) -> float:
    """Share of wrong labels among the ``k`` most suspicious rows.

    Parameters
    ----------
    suspicion, flipped
        As for :func:`detection_average_precision`.
    k : int, optional
        Length of the list; the number of wrong labels when not given. Rows that tie for the last
        places count with the share of them that fits.

    Examples
    --------
    >>> precision_at_k([0.9, 0.8, 0.7, 0.1], [True, False, True, False], k=3)
    0.6666666666666666
    """
    suspicion = check_scores("suspicion", suspicion)
    flipped = check_mask("flipped", flipped, len(suspicion))
    if k is None and not flipped.any():
        return float("nan")
    k = check_count("k", flipped.sum() if k is None else k, high=len(suspicion))
    last = np.sort(suspicion)[-k]
    above, at = suspicion > last, suspicion == last
    share = (k - above.sum()) / at.sum()
    return float((flipped[above].sum() + share * flipped[at].sum()) / k)


def filter_report(flagged: Any, flipped: Any, y: Any = None) -> dict[str, Any]:
    """The errors of a filter, in the terms of the filter literature.

    Parameters
    ----------
    flagged : array-like of bool of shape (n,)
        The rows a filter removes.
    flipped : array-like of bool of shape (n,)
        Where the labels are wrong.
    y : array-like of shape (n,), optional
        The labels; adds the same report for each of them under ``per_class``, as rare classes
        suffer first and averages hide it.

    Returns
    -------
    dict
        ``er1`` (share of the right labels removed), ``er2`` (share of the wrong labels kept),
        ``nep`` (noise elimination precision: share of the removed that was wrong; the precision of
        the flags), ``recall`` (1 - er2), ``f1``, ``residual_noise`` (share of wrong labels among
        the kept) and ``removed``. nan where a share has nothing to refer to.

    Examples
    --------
    >>> flipped = [1] * 5 + [0] * 15
    >>> flagged = [1] * 4 + [0] + [1] * 2 + [0] * 13
    >>> report = filter_report(flagged, flipped)
    >>> {name: round(value, 3) for name, value in report.items()}
    {'er1': 0.133, 'er2': 0.2, 'nep': 0.667, 'recall': 0.8, 'f1': 0.727, 'residual_noise': 0.071,
     'removed': 0.3}
    """
    flagged = check_mask("flagged", flagged)
    flipped = check_mask("flipped", flipped, len(flagged))
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


def peeling_report(flagged: Any, flipped: Any) -> dict[str, float]:
    """Detection and false positives as Martinez and Gray (2015) count them.

    Parameters
    ----------
    flagged, flipped
        As for :func:`filter_report`.

    Returns
    -------
    dict
        ``detected`` (share of the wrong labels peeled), ``fpr_mg`` (right labels peeled, as a share
        of **all** rows: the reading under which the paper's tables agree with themselves), ``fpr``
        (the same as a share of the right labels), ``precision`` and ``f1``.

    Examples
    --------
    >>> peeling_report([1, 1, 0, 0, 0], [1, 0, 1, 0, 0])
    {'detected': 0.5, 'fpr_mg': 0.2, 'fpr': 0.3333333333333333, 'precision': 0.5, 'f1': 0.5}
    """
    report = filter_report(flagged, flipped)
    flagged, flipped = check_mask("flagged", flagged), check_mask("flipped", flipped)
    return {
        "detected": report["recall"],
        "fpr_mg": ratio((flagged & ~flipped).sum(), len(flagged)),
        "fpr": report["er1"],
        "precision": report["nep"],
        "f1": report["f1"],
    }


def _filter_rates(flagged: np.ndarray, flipped: np.ndarray) -> dict[str, float]:
    hits = (flagged & flipped).sum()
    missed = (flipped & ~flagged).sum()
    return {
        "er1": ratio((flagged & ~flipped).sum(), (~flipped).sum()),
        "er2": ratio(missed, flipped.sum()),
        "nep": ratio(hits, flagged.sum()),
        "recall": ratio(hits, flipped.sum()),
        "f1": ratio(2 * hits, flagged.sum() + flipped.sum()),
        "residual_noise": ratio(missed, (~flagged).sum()),
        "removed": float(flagged.mean()),
    }
