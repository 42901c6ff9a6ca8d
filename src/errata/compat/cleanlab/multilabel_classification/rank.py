"""How good the labels of each row are: 1 is right, 0 is wrong."""

from typing import Any

import numpy as np

from .._inputs import audit_cells, one_hot, stack_complement
from ..rank import get_label_quality_scores as score_pairs

__all__ = ["get_label_quality_scores", "get_label_quality_scores_per_class"]


def get_label_quality_scores(
    labels: Any,
    pred_probs: Any,
    *,
    method: str = "posterior",
    adjust_pred_probs: bool = False,
    aggregator_kwargs: dict | None = None,
) -> np.ndarray:
    """Score the labels of each row between 0 (one is wrong) and 1 (all are right).

    Parameters
    ----------
    labels : list of lists of int
        The labels of each row, from 0 to K - 1.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probability of each label.
    method : {"posterior", "self_confidence", "normalized_margin", "confidence_weighted_entropy"}
        The probability that all labels are right, by errata's posterior (the default), or a score
        of each label on its own, put together by an exponential moving average.
    adjust_pred_probs : bool, default=False
        See :func:`errata.compat.cleanlab.rank.get_label_quality_scores`.
    aggregator_kwargs : dict, optional
        ``{"method": "exponential_moving_average", "alpha": 0.8}`` is the default, in which the
        lowest score has the weight ``alpha``; a callable as ``"method"`` gets the scores of all
        labels, shape (n, K), and the other arguments.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> from errata.compat.cleanlab.multilabel_classification import get_label_quality_scores
    >>> pred_probs = [[0.1, 0.9, 0.1], [0.4, 0.1, 0.9]]
    >>> get_label_quality_scores([[1], [0, 2]], pred_probs, method="self_confidence")
    array([0.9, 0.5])
    """
    if method == "posterior":
        proba = np.asarray(pred_probs, dtype=float)
        return 1 - audit_cells(one_hot(labels, proba.shape[1]), proba).p_wrong
    scores = get_label_quality_scores_per_class(
        labels, pred_probs, method=method, adjust_pred_probs=adjust_pred_probs
    )
    options = dict(aggregator_kwargs or {})
    aggregate = options.pop("method", "exponential_moving_average")
    if callable(aggregate):
        return np.asarray(aggregate(scores, **options))
    if aggregate != "exponential_moving_average":
        raise ValueError(
            f"aggregator_kwargs['method']={aggregate!r} must be 'exponential_moving_average' or "
            "a function."
        )
    return _average_worst(scores, **options)


def _average_worst(scores: np.ndarray, alpha: float = 0.8) -> np.ndarray:
    """Exponential moving average from the best to the worst score."""
    falling = -np.sort(-scores, axis=1)
    average = falling[:, 0]
    for column in falling.T[1:]:
        average = alpha * column + (1 - alpha) * average
    return average


def get_label_quality_scores_per_class(
    labels: Any, pred_probs: Any, *, method: str = "posterior", adjust_pred_probs: bool = False
) -> np.ndarray:
    """Score each label of each row between 0 (wrong) and 1 (right).

    Parameters
    ----------
    labels, pred_probs, method, adjust_pred_probs
        See :func:`get_label_quality_scores`.

    Returns
    -------
    array of shape (n, K)

    Examples
    --------
    >>> from errata.compat.cleanlab.multilabel_classification import (
    ...     get_label_quality_scores_per_class,
    ... )
    >>> get_label_quality_scores_per_class([[1]], [[0.1, 0.9]], method="self_confidence")
    array([[0.9, 0.9]])
    """
    proba = np.asarray(pred_probs, dtype=float)
    member = one_hot(labels, proba.shape[1])
    if method == "posterior":
        return 1 - audit_cells(member, proba).p_wrong_cells
    columns = [
        score_pairs(
            member[:, k],
            stack_complement(proba[:, k]),
            method=method,
            adjust_pred_probs=adjust_pred_probs,
        )
        for k in range(proba.shape[1])
    ]
    return np.column_stack(columns)
