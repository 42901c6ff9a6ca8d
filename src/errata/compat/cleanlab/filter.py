"""Which labels are wrong."""

from typing import Any

import numpy as np

from ..._validation import check_choice
from ...auditing import Audit
from ...tables._digest import count_before
from ._inputs import audit_labels, check_labels, check_method, warn_unused
from .count import (
    calibrate_confident_joint,
    compute_confident_joint,
    confident_issues,
    is_contradicted,
)
from .rank import get_label_quality_scores, order_label_issues

__all__ = ["find_label_issues", "find_predicted_neq_given"]

RULES = (
    "prune_by_noise_rate",
    "prune_by_class",
    "both",
    "confident_learning",
    "predicted_neq_given",
    "low_normalized_margin",
    "low_self_confidence",
)


def find_label_issues(
    labels: Any,
    pred_probs: Any,
    *,
    return_indices_ranked_by: str | None = None,
    rank_by_kwargs: dict | None = None,
    filter_by: str | None = None,
    frac_noise: float = 1.0,
    num_to_remove_per_class: Any = None,
    min_examples_per_class: int = 1,
    confident_joint: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    multi_label: bool = False,
    method: str = "posterior",
) -> np.ndarray:
    """Find the labels that are probably wrong.

    Parameters
    ----------
    labels : array-like of shape (n,), or list of lists
        Integers from 0 to K - 1; with ``multi_label`` a list of them for each row.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probabilities of the classes.
    return_indices_ranked_by : str, optional
        A score of :func:`errata.compat.cleanlab.rank.get_label_quality_scores`: return indices,
        the worst first, instead of a mask. With ``method="posterior"`` it is the posterior that
        ranks, whichever is named.
    rank_by_kwargs : dict, optional
        Further arguments of that score.
    filter_by : str, optional
        The rule of ``method="confident_learning"``: ``"prune_by_noise_rate"`` (the default),
        ``"prune_by_class"``, ``"both"``, ``"confident_learning"``, ``"predicted_neq_given"``,
        ``"low_normalized_margin"`` or ``"low_self_confidence"``.
    frac_noise : float, default=1.0
        Flag only this fraction, the worst ones; for the posterior and the first three rules.
    num_to_remove_per_class : sequence of int of length K, optional
        How many rows of each label to flag; for the posterior and ``"prune_by_class"``.
    min_examples_per_class : int, default=1
        So many rows of each label are never flagged; for the posterior and the first three rules.
    confident_joint : array-like of shape (K, K), optional
        For the first three rules, see
        :func:`errata.compat.cleanlab.count.compute_confident_joint`.
    n_jobs, verbose
        Accepted; there is nothing to run in parallel or to print.
    multi_label : bool, default=False
        See :func:`errata.compat.cleanlab.multilabel_classification.filter.find_label_issues`.
    method : {"posterior", "confident_learning"}, default="posterior"
        Whether errata's audit decides, or the rules of Northcutt et al. (2021).

    Returns
    -------
    array of bool of shape (n,), or array of int

    Notes
    -----
    With ``method="confident_learning"`` the rows are those of cleanlab 2.9 unless scores tie at
    the last row to be flagged, or remainders where counts are rounded.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.compat.cleanlab.filter import find_label_issues
    >>> labels = np.repeat([0, 1], 50)
    >>> pred_probs = np.where(labels[:, None] == [0, 1], 0.95, 0.05)
    >>> labels[3] = 1
    >>> find_label_issues(labels, pred_probs, return_indices_ranked_by="self_confidence")
    array([3])
    """
    check_method(method)
    if multi_label:
        from .multilabel_classification.filter import find_label_issues as find_rows

        return find_rows(
            labels,
            pred_probs,
            return_indices_ranked_by=return_indices_ranked_by,
            rank_by_kwargs=rank_by_kwargs,
            filter_by=filter_by,
            frac_noise=frac_noise,
            num_to_remove_per_class=num_to_remove_per_class,
            min_examples_per_class=min_examples_per_class,
            confident_joint=confident_joint,
            method=method,
        )
    if filter_by is not None:
        check_choice("filter_by", filter_by, RULES)
    y, proba = check_labels(labels, pred_probs)
    if method == "posterior":
        warn_unused(filter_by=filter_by, confident_joint=confident_joint)
        rows = rank_flagged(
            audit_labels(y, proba),
            y,
            frac_noise=frac_noise,
            num_to_remove_per_class=num_to_remove_per_class,
            min_examples_per_class=min_examples_per_class,
        )
        return rows if return_indices_ranked_by is not None else mask_of(rows, len(y))
    flagged = _find_by_rule(
        y,
        proba,
        filter_by or "prune_by_noise_rate",
        frac_noise,
        num_to_remove_per_class,
        min_examples_per_class,
        confident_joint,
    )
    if return_indices_ranked_by is None:
        return flagged
    return order_label_issues(
        flagged, y, proba, rank_by=return_indices_ranked_by, rank_by_kwargs=rank_by_kwargs
    )


def rank_flagged(
    result: Audit,
    y: np.ndarray,
    *,
    frac_noise: float = 1.0,
    num_to_remove_per_class: Any = None,
    min_examples_per_class: int = 1,
) -> np.ndarray:
    """Rows that the audit flags, or so many of each label as were asked for, the worst first."""
    ranked = np.argsort(-result.suspicion, kind="stable")
    if num_to_remove_per_class is None:
        rows = ranked[result.flagged[ranked]]
    else:
        wanted = np.asarray(num_to_remove_per_class)
        rows = ranked[count_before(y[ranked]) < wanted[y[ranked]]]
    rows = rows[: int(np.ceil(frac_noise * len(rows)))]
    may_go = np.bincount(y) - min_examples_per_class
    return rows[count_before(y[rows]) < may_go[y[rows]]]


def mask_of(rows: np.ndarray, n: int) -> np.ndarray:
    """Booleans that are true at the indices."""
    mask = np.zeros(n, dtype=bool)
    mask[rows] = True
    return mask


def _find_by_rule(
    y: np.ndarray,
    proba: np.ndarray,
    rule: str,
    fraction: float,
    numbers: Any,
    least: int,
    confident_joint: Any,
) -> np.ndarray:
    """The rules of confident learning; a label that no class exceeds is never flagged."""
    if numbers is not None and rule != "prune_by_class":
        raise ValueError("num_to_remove_per_class needs filter_by='prune_by_class'.")
    if rule == "confident_learning":
        return confident_issues(y, proba)
    if rule == "predicted_neq_given":
        return is_contradicted(y, proba)
    flagged = np.zeros(len(y), dtype=bool)
    if rule.startswith("low_"):
        scores = get_label_quality_scores(y, proba, method=rule.removeprefix("low_"))
        number = confident_issues(y, proba).sum()
        flagged[np.argsort(scores, kind="stable")[:number]] = True
        return flagged
    if confident_joint is None:
        joint = compute_confident_joint(y, proba)
    else:
        joint = calibrate_confident_joint(confident_joint, y)
    sizes = joint.sum(axis=1)
    totals = np.minimum(sizes - joint.diagonal(), np.maximum(sizes - least, 0))
    # Counts beside the diagonal; all of a row shrink alike where they exceed its total.
    counts = joint.astype(float)
    np.fill_diagonal(counts, 0)
    used = counts > 0
    shares = (counts.sum(axis=1) - totals) / np.maximum(used.sum(axis=1), 1)
    cells = np.maximum(counts - shares[:, None] * used, 0)
    totals = np.ceil(np.round(totals * fraction, 6)).astype(int)
    cells = np.floor(np.round(cells * fraction, 6)).astype(int)
    if numbers is not None:
        totals = np.asarray(numbers)
    by_class = flagged.copy()
    by_noise_rate = flagged.copy()
    for label in np.flatnonzero(sizes > least):
        rows = np.flatnonzero(y == label)
        own = proba[rows, label]
        by_class[rows[np.argsort(own, kind="stable")[: totals[label]]]] = True
        for other in np.flatnonzero(cells[label]):
            margins = own - proba[rows, other]
            worst = np.argsort(margins, kind="stable")[: cells[label, other]]
            by_noise_rate[rows[worst]] = True
    if rule == "both":
        flagged = by_class & by_noise_rate
    else:
        flagged = by_class if rule == "prune_by_class" else by_noise_rate
    return flagged & is_contradicted(y, proba)


def find_predicted_neq_given(
    labels: Any, pred_probs: Any, *, multi_label: bool = False
) -> np.ndarray:
    """Rows whose most probable class is not their label.

    Parameters
    ----------
    labels : array-like of shape (n,), or list of lists
        Integers from 0 to K - 1; with ``multi_label`` a list of them for each row.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probabilities of the classes.
    multi_label : bool, default=False
        Whether a row may have several labels.

    Returns
    -------
    array of bool of shape (n,)

    Examples
    --------
    >>> from errata.compat.cleanlab.filter import find_predicted_neq_given
    >>> find_predicted_neq_given([0, 0], [[0.9, 0.1], [0.2, 0.8]])
    array([False,  True])
    """
    return find_label_issues(
        labels,
        pred_probs,
        filter_by="predicted_neq_given",
        multi_label=multi_label,
        method="confident_learning",
    )
