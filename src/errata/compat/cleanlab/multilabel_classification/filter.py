"""Which rows with several labels have one that is missing or wrongly set."""

from typing import Any

import numpy as np

from .. import filter as one_label
from .._inputs import audit_cells, check_method, one_hot, stack_complement, warn_unused
from ..rank import get_label_quality_scores as score_pairs
from .rank import get_label_quality_scores

__all__ = ["find_label_issues", "find_multilabel_issues_per_class"]


def find_label_issues(
    labels: Any,
    pred_probs: Any,
    return_indices_ranked_by: str | None = None,
    rank_by_kwargs: dict | None = None,
    filter_by: str | None = None,
    frac_noise: float = 1.0,
    num_to_remove_per_class: Any = None,
    min_examples_per_class: int = 1,
    confident_joint: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    low_memory: bool = False,
    method: str = "posterior",
) -> np.ndarray:
    """Find the rows of which some label is probably missing or wrongly set.

    Parameters
    ----------
    labels : list of lists of int
        The labels of each row, from 0 to K - 1.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probability of each label, in columns that need not sum to one.
    return_indices_ranked_by : str, optional
        A score of
        :func:`errata.compat.cleanlab.multilabel_classification.rank.get_label_quality_scores`:
        return indices, the worst first, instead of a mask.
    rank_by_kwargs, n_jobs, verbose, low_memory
        Accepted; see :func:`errata.compat.cleanlab.filter.find_label_issues`.
    filter_by, frac_noise, num_to_remove_per_class, min_examples_per_class, confident_joint
        For ``"confident_learning"``, of each label on its own.
    method : {"posterior", "confident_learning"}, default="posterior"
        Whether :func:`errata.audit_multilabel` decides, or the rules of Northcutt et al. (2021).

    Returns
    -------
    array of bool of shape (n,), or array of int

    Examples
    --------
    >>> import numpy as np
    >>> from errata.compat.cleanlab.multilabel_classification.filter import find_label_issues
    >>> labels = [[0, 1], [1], [0], []] * 25
    >>> pred_probs = np.array([[0.9, 0.9], [0.1, 0.9], [0.9, 0.1], [0.1, 0.1]] * 25)
    >>> labels[3] = [1]
    >>> np.flatnonzero(find_label_issues(labels, pred_probs))
    array([3])
    """
    check_method(method)
    if method == "posterior":
        warn_unused(
            filter_by=filter_by,
            num_to_remove_per_class=num_to_remove_per_class,
            confident_joint=confident_joint,
        )
        proba = np.asarray(pred_probs, dtype=float)
        result = audit_cells(one_hot(labels, proba.shape[1]), proba)
        if return_indices_ranked_by is None:
            return result.flagged
        ranked = np.argsort(-result.suspicion, kind="stable")
        return ranked[result.flagged[ranked]]
    cells = find_multilabel_issues_per_class(
        labels,
        pred_probs,
        filter_by=filter_by,
        frac_noise=frac_noise,
        num_to_remove_per_class=num_to_remove_per_class,
        min_examples_per_class=min_examples_per_class,
        confident_joint=confident_joint,
        method=method,
    )
    flagged = cells.any(axis=1)
    if return_indices_ranked_by is None:
        return flagged
    scores = get_label_quality_scores(labels, pred_probs, method=return_indices_ranked_by)
    rows = np.flatnonzero(flagged)
    return rows[np.argsort(scores[rows], kind="stable")]


def find_multilabel_issues_per_class(
    labels: Any,
    pred_probs: Any,
    return_indices_ranked_by: str | None = None,
    rank_by_kwargs: dict | None = None,
    filter_by: str | None = None,
    frac_noise: float = 1.0,
    num_to_remove_per_class: Any = None,
    min_examples_per_class: int = 1,
    confident_joint: Any = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    low_memory: bool = False,
    method: str = "posterior",
) -> Any:
    """Find the labels that are probably missing or wrongly set, each on its own.

    Parameters
    ----------
    labels, pred_probs, filter_by, frac_noise, min_examples_per_class, confident_joint, method
        See :func:`find_label_issues`.
    num_to_remove_per_class : sequence of pairs of int of length K, optional
        How many rows without and with each label to flag.
    return_indices_ranked_by : str, optional
        Return three lists instead, one entry a label: indices of the flagged rows, the worst
        first; 0 or 1 for each row; the probabilities of 0 and 1.
    rank_by_kwargs, n_jobs, verbose, low_memory
        Accepted; see :func:`errata.compat.cleanlab.filter.find_label_issues`.

    Returns
    -------
    array of bool of shape (n, K), or tuple of three lists

    Examples
    --------
    >>> import numpy as np
    >>> from errata.compat.cleanlab.multilabel_classification.filter import (
    ...     find_multilabel_issues_per_class,
    ... )
    >>> labels = [[0, 1], [1], [0], []] * 25
    >>> pred_probs = np.array([[0.9, 0.9], [0.1, 0.9], [0.9, 0.1], [0.1, 0.1]] * 25)
    >>> labels[3] = [1]
    >>> np.argwhere(find_multilabel_issues_per_class(labels, pred_probs))
    array([[3, 1]])
    """
    check_method(method)
    proba = np.asarray(pred_probs, dtype=float)
    member = one_hot(labels, proba.shape[1])
    if method == "posterior":
        warn_unused(
            filter_by=filter_by,
            num_to_remove_per_class=num_to_remove_per_class,
            confident_joint=confident_joint,
        )
        result = audit_cells(member, proba)
        cells = result.flagged_cells
        quality = 1 - result.p_wrong_cells
    else:
        columns = [
            one_label.find_label_issues(
                member[:, k],
                stack_complement(proba[:, k]),
                filter_by=filter_by,
                frac_noise=frac_noise,
                num_to_remove_per_class=(
                    None if num_to_remove_per_class is None else num_to_remove_per_class[k]
                ),
                min_examples_per_class=min_examples_per_class,
                confident_joint=None if confident_joint is None else confident_joint[k],
                method=method,
            )
            for k in range(proba.shape[1])
        ]
        cells = np.column_stack(columns)
        if return_indices_ranked_by is not None:
            scores = [
                score_pairs(
                    member[:, k], stack_complement(proba[:, k]), method=return_indices_ranked_by
                )
                for k in range(proba.shape[1])
            ]
            quality = np.column_stack(scores)
    if return_indices_ranked_by is None:
        return cells
    ranked = [
        rows[np.argsort(quality[rows, k], kind="stable")]
        for k, rows in enumerate(np.flatnonzero(column) for column in cells.T)
    ]
    return ranked, list(member.T), [stack_complement(column) for column in proba.T]
