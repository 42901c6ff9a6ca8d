"""Labels by several annotators: a consensus, how good it is, and how good each annotator is."""

from typing import Any

import numpy as np

from ..._validation import check_choice
from ...auditing import audit_votes

__all__ = ["get_label_quality_multiannotator", "get_majority_vote_label"]

LOWEST_WEIGHT = 1e-6


def get_label_quality_multiannotator(
    labels_multiannotator: Any,
    pred_probs: Any,
    *,
    consensus_method: Any = "best_quality",
    quality_method: str | None = None,
    calibrate_probs: bool = False,
    return_detailed_quality: bool = True,
    return_annotator_stats: bool = True,
    return_weights: bool = False,
    verbose: bool = True,
    label_quality_score_kwargs: dict | None = None,
) -> dict[str, Any]:
    """Consensus of several annotators, its quality, and theirs.

    Parameters
    ----------
    labels_multiannotator : pandas.DataFrame or array of shape (n, m)
        Integers from 0 to K - 1, NaN where an annotator gave no label.
    pred_probs : array-like of shape (n, K)
        Out-of-sample probabilities of the classes.
    consensus_method : {"best_quality", "majority_vote"} or list of them
        The label of highest quality, or that of the majority; further ones of a list become
        further columns.
    quality_method : {"posterior", "crowdlab", "agreement"}, optional
        By default errata's posterior (:func:`errata.audit_votes`), the method of Goh et al.
        (2022), or the fraction of annotators who agree.
    calibrate_probs : bool, default=False
        Accepted; the posterior calibrates by itself, the others do not.
    return_detailed_quality, return_annotator_stats, return_weights : bool
        What to return besides ``label_quality``. There are weights for ``"crowdlab"`` only.
    verbose : bool, default=True
        Accepted; nothing is printed.
    label_quality_score_kwargs : dict, optional
        Accepted; no other score is offered.

    Returns
    -------
    dict of pandas.DataFrame
        ``label_quality``, ``detailed_label_quality``, ``annotator_stats``; ``model_weight`` and
        ``annotator_weight`` with ``return_weights``.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.compat.cleanlab.multiannotator import get_label_quality_multiannotator
    >>> labels = np.array([[0, 0, np.nan], [1, 1, 0], [1, np.nan, 1]])
    >>> pred_probs = np.array([[0.8, 0.2], [0.3, 0.7], [0.4, 0.6]])
    >>> result = get_label_quality_multiannotator(labels, pred_probs, quality_method="crowdlab")
    >>> result["label_quality"]["consensus_label"].tolist()
    [0, 1, 1]
    """
    import pandas

    votes, annotators = _read_votes(labels_multiannotator)
    proba = np.asarray(pred_probs, dtype=float)
    if proba.ndim != 2 or len(proba) != len(votes):
        raise ValueError(
            f"pred_probs must have the shape ({len(votes)}, K), but its shape is {proba.shape}."
        )
    methods = [consensus_method] if isinstance(consensus_method, str) else list(consensus_method)
    quality = quality_method or "posterior"
    for method in methods:
        check_choice("consensus_method", method, ("best_quality", "majority_vote"))
    check_choice("quality_method", quality, ("posterior", "crowdlab", "agreement"))
    columns: dict[str, np.ndarray] = {}
    for i, method in enumerate(methods):
        consensus, by_class, weights = _find_consensus(votes, proba, method, quality)
        suffix = f"_{method}" if i else ""
        columns[f"consensus_label{suffix}"] = consensus
        columns[f"consensus_quality_score{suffix}"] = by_class[np.arange(len(votes)), consensus]
        agreement = _agreement(votes, consensus)
        columns[f"annotator_agreement{suffix}"] = agreement
        if i == 0:
            columns["num_annotations"] = (~np.isnan(votes)).sum(axis=1)
            first = (consensus, by_class, weights)
    result: dict[str, Any] = {
        "label_quality": pandas.DataFrame(columns, index=_index(labels_multiannotator))
    }
    consensus, by_class, weights = first
    gave = ~np.isnan(votes)
    given = np.where(gave, votes, 0).astype(int)
    detailed = np.where(gave, np.take_along_axis(by_class, given, axis=1), np.nan)
    if return_detailed_quality:
        result["detailed_label_quality"] = pandas.DataFrame(
            detailed,
            columns=[f"quality_annotator_{name}" for name in annotators],
            index=_index(labels_multiannotator),
        )
    if return_annotator_stats:
        share = 0.0 if quality == "agreement" else 1.0
        if weights is not None:
            model_weight, annotator_weight = weights
            of_annotators = annotator_weight.mean() * gave.sum(axis=1).mean()
            share = model_weight / (model_weight + of_annotators)
        stats = _describe_annotators(votes, consensus, detailed, share, proba.shape[1])
        table = pandas.DataFrame(stats, index=annotators)
        result["annotator_stats"] = table.sort_values("annotator_quality", kind="stable")
    if return_weights:
        result["model_weight"] = None if weights is None else weights[0]
        result["annotator_weight"] = None if weights is None else weights[1]
    return result


def _read_votes(labels: Any) -> tuple[np.ndarray, list]:
    """Votes as numbers, and what the annotators are called."""
    votes = np.asarray(labels, dtype=float)
    if votes.ndim != 2:
        raise ValueError(
            "labels_multiannotator must have a row for each example, a column for each annotator."
        )
    unlabelled = np.flatnonzero(np.isnan(votes).all(axis=1))
    if len(unlabelled):
        raise ValueError(f"example {unlabelled[0]} has no label; leave such examples out.")
    annotators = list(labels.columns) if hasattr(labels, "columns") else list(range(votes.shape[1]))
    return votes, annotators


def _index(labels: Any) -> Any:
    return labels.index if hasattr(labels, "columns") else None


def _find_consensus(
    votes: np.ndarray, proba: np.ndarray, method: str, quality: str
) -> tuple[np.ndarray, np.ndarray, tuple | None]:
    """The consensus, the quality of every class in each example, and the weights of crowdlab."""
    majority = get_majority_vote_label(votes, proba)
    if quality == "posterior":
        classes = np.arange(proba.shape[1])
        result = audit_votes(votes, pred_proba=proba, classes=classes, random_state=0)
        by_class = np.asarray(result.proba)
        return (by_class.argmax(axis=1) if method == "best_quality" else majority), by_class, None
    if quality == "agreement":
        shares = [_agreement(votes, np.full(len(votes), c)) for c in range(proba.shape[1])]
        return majority, np.column_stack(shares), None
    by_class, weights = _weigh_votes(votes, proba, majority)
    if method == "majority_vote":
        return majority, by_class, weights
    best = by_class.argmax(axis=1)
    by_class, weights = _weigh_votes(votes, proba, best)
    return best, by_class, weights


def _agreement(votes: np.ndarray, consensus: np.ndarray) -> np.ndarray:
    """Fraction of the annotators of each example who gave its consensus."""
    return (votes == consensus[:, None]).sum(axis=1) / (~np.isnan(votes)).sum(axis=1)


def _weigh_votes(
    votes: np.ndarray, proba: np.ndarray, consensus: np.ndarray
) -> tuple[np.ndarray, tuple[float, np.ndarray]]:
    """Weighted mean of the model and of all votes (Goh et al. 2022, equations 2 to 6)."""
    k = proba.shape[1]
    gave = ~np.isnan(votes)
    sizes = gave.sum(axis=1)
    several = sizes > 1
    if not several.any():
        several = np.ones(len(votes), dtype=bool)
    agreement = _agreement(votes, consensus)[several].mean()
    same = np.zeros(votes.shape)  # how many others gave the label that the annotator gave
    for label in range(k):
        chose = votes == label
        same += chose * (chose.sum(axis=1, keepdims=True) - 1)
    others = (gave * (sizes[:, None] - 1)).sum(axis=0)
    with_others = np.divide(same.sum(axis=0), others, out=np.ones(len(others)), where=others > 0)
    commonest = np.bincount(consensus[several], minlength=k).max() / several.sum()
    baseline = max(1 - commonest, LOWEST_WEIGHT)  # error of always saying the same class
    annotator_weight = np.maximum(1 - (1 - with_others) / baseline, LOWEST_WEIGHT)
    model_error = np.mean(proba.argmax(axis=1)[several] != consensus[several])
    model_weight = max(1 - model_error / baseline, LOWEST_WEIGHT) * np.sqrt(sizes.mean())
    by_class = model_weight * proba
    for label in range(k):
        likelihood = np.where(votes == label, agreement, (1 - agreement) / (k - 1))
        by_class[:, label] += (likelihood * gave * annotator_weight).sum(axis=1)
    total = model_weight + (gave * annotator_weight).sum(axis=1)
    return by_class / total[:, None], (float(model_weight), annotator_weight)


def _describe_annotators(
    votes: np.ndarray,
    consensus: np.ndarray,
    detailed: np.ndarray,
    share: float,
    k: int,
) -> dict[str, np.ndarray]:
    """Quality of each annotator, agreement with the consensus, and the label most often wrong.

    The quality is that of the labels given, by ``share``, and the agreement where there are others.
    """
    gave = ~np.isnan(votes)
    sizes = gave.sum(axis=1)
    n_labelled = gave.sum(axis=0)
    agree = votes == consensus[:, None]
    agreement = agree.sum(axis=0) / np.maximum(n_labelled, 1)
    beside_others = gave & (sizes > 1)[:, None]
    n_beside = beside_others.sum(axis=0)
    agreement_beside = np.divide(
        (agree & beside_others).sum(axis=0), n_beside, out=agreement.copy(), where=n_beside > 0
    )
    quality = np.nansum(detailed, axis=0) / np.maximum(n_labelled, 1)
    quality = share * quality + (1 - share) * agreement_beside
    right = np.ones((k, votes.shape[1]))
    for label in range(k):
        chose = votes == label
        number = chose.sum(axis=0)
        np.divide((agree & chose).sum(axis=0), number, out=right[label], where=number > 0)
        right[label, number == 0] = 2
    return {
        "annotator_quality": quality,
        "agreement_with_consensus": agreement,
        "worst_class": right.argmin(axis=0),
        "num_examples_labeled": n_labelled,
    }


def get_majority_vote_label(
    labels_multiannotator: Any, pred_probs: Any = None, verbose: bool = True
) -> np.ndarray:
    """The label that most annotators gave.

    Parameters
    ----------
    labels_multiannotator : pandas.DataFrame or array of shape (n, m)
        Integers from 0 to K - 1, NaN where an annotator gave no label.
    pred_probs : array-like of shape (n, K), optional
        The most probable class wins a tie. Without them, or where they tie as well, the label that
        is more frequent among all, then the smaller one.
    verbose : bool, default=True
        Accepted; nothing is printed.

    Returns
    -------
    array of int of shape (n,)

    Examples
    --------
    >>> from errata.compat.cleanlab.multiannotator import get_majority_vote_label
    >>> get_majority_vote_label([[0, 0, 1], [1, 2, 2]])
    array([0, 2])
    """
    votes, _ = _read_votes(labels_multiannotator)
    k = int(np.nanmax(votes)) + 1 if pred_probs is None else np.shape(pred_probs)[1]
    counts = np.stack([(votes == label).sum(axis=1) for label in range(k)], axis=1)
    frequencies = counts.sum(axis=0) / counts.sum()
    tied = np.full(counts.shape, frequencies)
    if pred_probs is not None:
        tied = np.asarray(pred_probs) + 1e-9 * frequencies
    return np.where(counts == counts.max(axis=1, keepdims=True), tied, -1).argmax(axis=1)
