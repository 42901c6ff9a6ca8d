"""Hardness from class sizes: rows of rare classes are harder to learn, whatever they look like."""

from typing import Any

import numpy as np

from .._validation import check_labels
from ._measure import NO_LINE, HardnessMeasure


class _SizeMeasure(HardnessMeasure):
    """A measure that knows nothing but how many rows each class has."""

    _native = NO_LINE

    def __init__(
        self, *, threshold: float | None = None, contamination: float | None = None
    ) -> None:
        self.threshold = threshold
        self.contamination = contamination


class MinorityValue(_SizeMeasure):
    """Call the rows of small classes hard, by comparison with the largest class (MV hardness).

    A learner sees little of a rare class and gets it wrong more often. Use it beside the other
    measures, to tell rows that are hard because they are rare from rows that are hard because they
    do not fit. Do not use it to look for wrong labels: it gives all rows of a class the same value,
    and never looks at the features. Costs O(n).

    Parameters
    ----------
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. Without it or ``contamination`` nothing
        is flagged, as being rare is no reason to doubt a label.
    contamination : float, optional
        Flag this share of the rows, those of the rarest classes first.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        One minus the ratio of the size of the row's class to that of the largest, in [0, 1).
    flagged_ : array of bool of shape (n,)
        The suspects; none unless asked for.
    suggested_ : array of shape (n,)
        The labels: class sizes give no reason to prefer another.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    minority_value : the same as a function of the labels alone.
    ClassBalance : compares with a class of average size instead.

    Notes
    -----
    In the paper [1]_ the ratio itself is the measure and a low one is hard; here, as everywhere in
    errata, high is hard.

    References
    ----------
    .. [1] Smith, Martinez and Giraud-Carrier. An instance level analysis of data complexity.
       Machine Learning 95, 2014.

    Examples
    --------
    >>> from errata.hardness import MinorityValue
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0]]
    >>> MinorityValue().fit(X, ["ham", "ham", "ham", "ham", "spam"]).suspicion_
    array([0.  , 0.  , 0.  , 0.  , 0.75])
    """

    def _judge(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return minority_value(codes), codes


class ClassBalance(_SizeMeasure):
    """Call the rows of small classes hard, by comparison with balanced classes (CB hardness).

    Says whether a class has more (below 0.5) or fewer rows (above) than if all were of one size.
    For what it is good, and for what it is not, see :class:`MinorityValue`; costs O(n).

    Parameters
    ----------
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. Without it or ``contamination`` nothing
        is flagged, as being rare is no reason to doubt a label.
    contamination : float, optional
        Flag this share of the rows, those of the rarest classes first.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        ``(1 - CB) / 2``, where CB is the share of the rows in the row's class less 1 / n_classes;
        in (0, 1), and 0.5 where classes are balanced.
    flagged_ : array of bool of shape (n,)
        The suspects; none unless asked for.
    suggested_ : array of shape (n,)
        The labels: class sizes give no reason to prefer another.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    class_balance : the same as a function of the labels alone.

    Notes
    -----
    In the paper [1]_ CB itself is the measure and a low one is hard; here, as everywhere in errata,
    high is hard, and the values are moved into the unit interval.

    References
    ----------
    .. [1] Smith, Martinez and Giraud-Carrier. An instance level analysis of data complexity.
       Machine Learning 95, 2014.

    Examples
    --------
    Three quarters of the rows against the half that would be fair, CB = ±0.25:

    >>> from errata.hardness import ClassBalance
    >>> X = [[0.0], [0.1], [0.2], [5.0]]
    >>> ClassBalance().fit(X, ["ham", "ham", "ham", "spam"]).suspicion_
    array([0.375, 0.375, 0.375, 0.625])
    """

    def _judge(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return class_balance(codes), codes


def minority_value(y: Any) -> np.ndarray:
    """One minus the size of each row's class over that of the largest class (MV), high is hard.

    Parameters
    ----------
    y : array-like of shape (n,)
        The labels.

    Returns
    -------
    array of shape (n,), with values in [0, 1)

    Examples
    --------
    >>> minority_value(["ham", "ham", "ham", "ham", "spam"])
    array([0.  , 0.  , 0.  , 0.  , 0.75])
    """
    _, codes = check_labels(y)
    sizes = np.bincount(codes)
    return 1 - sizes[codes] / sizes.max()


def class_balance(y: Any) -> np.ndarray:
    """How much rarer each row's class is than fair (CB): 0.5 when balanced, high is hard.

    Parameters
    ----------
    y : array-like of shape (n,)
        The labels.

    Returns
    -------
    array of shape (n,), with values in (0, 1); see :class:`ClassBalance` for the formula

    Examples
    --------
    >>> class_balance([0, 0, 0, 1])
    array([0.375, 0.375, 0.375, 0.625])
    """
    _, codes = check_labels(y)
    sizes = np.bincount(codes)
    balance = sizes[codes] / len(codes) - 1 / len(sizes)
    return (1 - balance) / 2
