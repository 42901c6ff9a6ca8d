"""Weights of an ensemble by a linear program, the paper's alternative to boosting again."""

import copy
from typing import Any

from sklearn.utils import check_consistent_length

from ..._validation import check_known_labels
from ...ensemble import DiscreteAdaBoostClassifier
from ._linear_programs import distinct_estimators, margin_lines, widest_margin


def maximize_margin(
    booster: DiscreteAdaBoostClassifier, X: Any, y: Any
) -> DiscreteAdaBoostClassifier:
    """The same base estimators, weighted so that the least margin of these rows is widest.

    After linear program peeling, Martinez and Gray either boost again on the rows that are left or
    keep the detecting ensemble with the weights of the program; this is the latter. One linear
    program of n variables and at most T constraints.

    Parameters
    ----------
    booster : DiscreteAdaBoostClassifier
        A fitted one, for instance ``booster_`` of a :class:`LinearProgramPeeler`; left as it is.
    X, y : array-likes of shapes (n, d) and (n,)
        The rows whose least margin counts, for instance those that a peeler has left.

    Returns
    -------
    DiscreteAdaBoostClassifier
        With the base estimators that have a weight, which sum to one.

    References
    ----------
    .. [1] Martinez and Gray. Noise peeling methods to improve boosting algorithms. Computational
       Statistics and Data Analysis 93, 2016.

    Examples
    --------
    >>> from errata.datasets import make_twonorm
    >>> from errata.filters import LinearProgramPeeler, maximize_margin
    >>> from errata.noise import flip_labels
    >>> X, y = make_twonorm(100, random_state=0)
    >>> y_noisy, _ = flip_labels(y, 0.1, random_state=0)
    >>> peeler = LinearProgramPeeler(n_estimators=30, contamination=0.1)
    >>> X_left, y_left = peeler.fit_resample(X, y_noisy)
    >>> model = maximize_margin(peeler.booster_, X_left, y_left)
    >>> before, after = (b.margins(X_left, y_left).min() for b in (peeler.booster_, model))
    >>> bool(after > before)
    True
    """
    X, codes = booster._checked(X), check_known_labels(y, booster.classes_)
    check_consistent_length(X, codes)
    lines, _ = margin_lines(booster._staged_codes(X), codes)
    distinct, first = distinct_estimators(lines)
    alpha = widest_margin(distinct).alpha
    chosen, alpha = first[alpha > 0], alpha[alpha > 0]
    model = copy.copy(booster)  # shallow: what is replaced below belongs to the copy alone
    model._terms = [
        _reweighted(booster, place, weight, t)
        for t, (place, weight) in enumerate(zip(chosen, alpha, strict=True))
    ]
    model.estimator_weights_ = alpha
    model.estimator_errors_ = booster.estimator_errors_[chosen]
    model.n_estimators_ = len(chosen)
    return model


def _reweighted(booster: DiscreteAdaBoostClassifier, place: int, weight: float, t: int) -> Any:
    term = booster._terms[place]
    values = weight * (term.values / booster.estimator_weights_[place])
    return term._replace(values=values, round=t, reach=float(weight))
