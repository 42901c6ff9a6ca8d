"""How good each label is: 1 is right, 0 is wrong."""

from typing import Any

import numpy as np
from scipy.special import entr

from ..._detector import split_own_and_best_other
from ..._validation import check_choice
from ._inputs import audit_labels, check_labels
from .count import get_confident_thresholds

__all__ = [
    "get_label_quality_scores",
    "get_label_quality_ensemble_scores",
    "get_self_confidence_for_each_label",
    "get_normalized_margin_for_each_label",
    "get_confidence_weighted_entropy_for_each_label",
    "order_label_issues",
    "find_top_issues",
]

LOWEST = 1e-6


def get_label_quality_scores(
    labels: Any, pred_probs: Any, *, method: str = "posterior", adjust_pred_probs: bool = False
) -> np.ndarray:
    """Score each label between 0 (wrong) and 1 (right).

    Parameters
    ----------
    labels : array-like of shape (n,)
        Integers from 0 to K - 1.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probabilities of the classes.
    method : {"posterior", "self_confidence", "normalized_margin", "confidence_weighted_entropy"}
        The probability that the label is right, by errata's posterior (the default), or one of the
        scores of Kuan and Mueller (2022).
    adjust_pred_probs : bool, default=False
        Subtract the threshold of each class first, so that rare classes are not suspected more.
        The posterior knows how frequent labels are, and takes no notice.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> from errata.compat.cleanlab.rank import get_label_quality_scores
    >>> pred_probs = [[0.9, 0.1], [0.2, 0.8]]
    >>> get_label_quality_scores([0, 0], pred_probs, method="normalized_margin")
    array([0.9, 0.2])
    """
    y, proba = check_labels(labels, pred_probs)
    if method == "posterior":
        return 1 - audit_labels(y, proba).p_wrong
    check_choice("method", method, ("posterior", *SCORES))
    if adjust_pred_probs:
        if method == "confidence_weighted_entropy":
            raise ValueError(
                "adjust_pred_probs=True does not go with method='confidence_weighted_entropy'."
            )
        thresholds = get_confident_thresholds(y, proba)
        proba = proba - thresholds + thresholds.max()
        proba /= proba.sum(axis=1, keepdims=True)
    return SCORES[method](y, proba)


def get_self_confidence_for_each_label(labels: Any, pred_probs: Any) -> np.ndarray:
    """Probability of the label.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Integers from 0 to K - 1.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probabilities of the classes.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> from errata.compat.cleanlab.rank import get_self_confidence_for_each_label
    >>> get_self_confidence_for_each_label([0, 0], [[0.9, 0.1], [0.2, 0.8]])
    array([0.9, 0.2])
    """
    y, proba = check_labels(labels, pred_probs)
    return proba[np.arange(len(y)), y]


def get_normalized_margin_for_each_label(labels: Any, pred_probs: Any) -> np.ndarray:
    """Probability of the label less that of the best other class, moved to 0 to 1.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Integers from 0 to K - 1.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probabilities of the classes.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> from errata.compat.cleanlab.rank import get_normalized_margin_for_each_label
    >>> get_normalized_margin_for_each_label([0, 0], [[0.5, 0.3, 0.2], [0.2, 0.7, 0.1]])
    array([0.6 , 0.25])
    """
    y, proba = check_labels(labels, pred_probs)
    own, other = split_own_and_best_other(proba, y)
    return (own - other + 1) / 2


def get_confidence_weighted_entropy_for_each_label(labels: Any, pred_probs: Any) -> np.ndarray:
    """Entropy of the probabilities over that of the label, moved to 0 to 1.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Integers from 0 to K - 1.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probabilities of the classes.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> from errata.compat.cleanlab.rank import get_confidence_weighted_entropy_for_each_label
    >>> get_confidence_weighted_entropy_for_each_label([0, 0], [[0.5, 0.5], [0.2, 0.8]]).round(3)
    array([0.549, 0.423])
    """
    y, proba = check_labels(labels, pred_probs)
    entropy = entr(proba).sum(axis=1) / np.log(proba.shape[1])
    own = np.maximum(proba[np.arange(len(y)), y], LOWEST)
    ratio = np.maximum(entropy / own, LOWEST)
    return np.log1p(ratio) / ratio


SCORES = {
    "self_confidence": get_self_confidence_for_each_label,
    "normalized_margin": get_normalized_margin_for_each_label,
    "confidence_weighted_entropy": get_confidence_weighted_entropy_for_each_label,
}


def get_label_quality_ensemble_scores(
    labels: Any,
    pred_probs_list: Any,
    *,
    method: str = "posterior",
    adjust_pred_probs: bool = False,
    weight_ensemble_members_by: str = "accuracy",
    custom_weights: Any = None,
    log_loss_search_T_values: Any = (1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 2e2),
    verbose: bool = True,
) -> np.ndarray:
    """Score each label by several models: the weighted mean of their scores.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Integers from 0 to K - 1.
    pred_probs_list : list of array-likes of shape (n, K)
        Out-of-sample probabilities of the classes by each model.
    method, adjust_pred_probs
        See :func:`get_label_quality_scores`.
    weight_ensemble_members_by : {"uniform", "accuracy", "log_loss_search", "custom"}
        Weigh all models alike, by how many labels they predict, or by ``exp(-t * log loss)`` with
        the ``t`` whose weighted mean of the probabilities has the lowest log loss.
    custom_weights : array-like of shape (n_models,), optional
        The weights for ``"custom"``.
    log_loss_search_T_values : tuple, default=(1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 2e2)
        Values of ``t`` to try.
    verbose : bool, default=True
        Accepted; nothing is printed.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> from errata.compat.cleanlab.rank import get_label_quality_ensemble_scores
    >>> models = [[[0.9, 0.1], [0.2, 0.8]], [[0.7, 0.3], [0.6, 0.4]]]
    >>> get_label_quality_ensemble_scores([0, 1], models, method="self_confidence")
    array([0.83333333, 0.66666667])
    """
    if len(pred_probs_list) == 0:
        raise ValueError("pred_probs_list is empty; pass the probabilities of each model.")
    checked = [check_labels(labels, pred_probs) for pred_probs in pred_probs_list]
    y = checked[0][0]
    models = [proba for _, proba in checked]
    scores = [
        get_label_quality_scores(y, proba, method=method, adjust_pred_probs=adjust_pred_probs)
        for proba in models
    ]
    if weight_ensemble_members_by == "uniform":
        weights = np.ones(len(models))
    elif weight_ensemble_members_by == "accuracy":
        weights = np.array([np.mean(proba.argmax(axis=1) == y) for proba in models])
    elif weight_ensemble_members_by == "log_loss_search":
        weights = _search_weights(y, models, log_loss_search_T_values)
    elif weight_ensemble_members_by == "custom":
        weights = np.asarray([] if custom_weights is None else custom_weights, dtype=float)
        if weights.shape != (len(models),):
            raise ValueError(
                f"custom_weights must hold a weight for each of the {len(models)} models."
            )
    else:
        raise ValueError(
            f"weight_ensemble_members_by={weight_ensemble_members_by!r} must be 'uniform', "
            "'accuracy', 'log_loss_search' or 'custom'."
        )
    return np.average(scores, axis=0, weights=weights)


def _search_weights(y: np.ndarray, models: list[np.ndarray], temperatures: Any) -> np.ndarray:
    """The weights whose mean of all models predicts the labels best."""
    losses = np.array([_log_loss(y, proba) for proba in models])
    candidates = [np.exp(-t * (losses - losses.min())) for t in temperatures]
    means = [np.average(models, axis=0, weights=weights) for weights in candidates]
    return candidates[int(np.argmin([_log_loss(y, proba) for proba in means]))]


def _log_loss(y: np.ndarray, proba: np.ndarray) -> float:
    proba = np.maximum(proba, LOWEST)
    own = proba[np.arange(len(y)), y] / proba.sum(axis=1)
    return float(-np.log(own).mean())


def order_label_issues(
    label_issues_mask: Any,
    labels: Any,
    pred_probs: Any,
    *,
    rank_by: str = "posterior",
    rank_by_kwargs: dict | None = None,
) -> np.ndarray:
    """Indices of the flagged rows, the worst first.

    Parameters
    ----------
    label_issues_mask : array-like of bool of shape (n,)
        Which rows are flagged.
    labels : array-like of shape (n,)
        Integers from 0 to K - 1.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probabilities of the classes.
    rank_by : str, default="posterior"
        The ``method`` of :func:`get_label_quality_scores`.
    rank_by_kwargs : dict, optional
        Its further arguments.

    Returns
    -------
    array of int

    Examples
    --------
    >>> from errata.compat.cleanlab.rank import order_label_issues
    >>> pred_probs = [[0.9, 0.1], [0.2, 0.8], [0.1, 0.9]]
    >>> order_label_issues([False, True, True], [0, 0, 0], pred_probs, rank_by="self_confidence")
    array([2, 1])
    """
    mask = np.asarray(label_issues_mask)
    if mask.dtype != bool or len(mask) != len(labels):
        raise ValueError(f"label_issues_mask must hold {len(labels)} booleans.")
    options = rank_by_kwargs or {}
    scores = get_label_quality_scores(labels, pred_probs, method=rank_by, **options)
    rows = np.flatnonzero(mask)
    return rows[np.argsort(scores[rows], kind="stable")]


def find_top_issues(quality_scores: Any, *, top: int = 10) -> np.ndarray:
    """Indices of the labels with the lowest scores.

    Parameters
    ----------
    quality_scores : array-like of shape (n,)
        See :func:`get_label_quality_scores`.
    top : int, default=10
        How many.

    Returns
    -------
    array of int

    Examples
    --------
    >>> from errata.compat.cleanlab.rank import find_top_issues
    >>> find_top_issues([0.9, 0.1, 0.4], top=2)
    array([1, 2])
    """
    return np.argsort(np.asarray(quality_scores), kind="stable")[:top]
