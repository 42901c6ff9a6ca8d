"""Hardness from class sizes: rows of rare classes are harder to learn, whatever they look like."""

from typing import Any

import numpy as np

from ._measure import NO_THRESHOLD, HardnessMeasure


class _SizeMeasure(HardnessMeasure):
    """A measure that knows nothing but how many rows each class has."""

    _native = NO_THRESHOLD
    _missing = True  # features are never looked at

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
        is flagged, as being rare is not a reason to doubt a label.
    contamination : float, optional
        Flag this fraction of the rows, those of the rarest classes first.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        One minus the ratio of the size of the row's class to that of the largest, in [0, 1).
    flagged_ : array of bool of shape (n,)
        Which rows are flagged; none unless asked for.
    suggested_ : array of shape (n,)
        The labels: class sizes give no reason to prefer another.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
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
        is flagged, as being rare is not a reason to doubt a label.
    contamination : float, optional
        Flag this fraction of the rows, those of the rarest classes first.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        ``(1 - CB) / 2``, where CB is the fraction of the rows that are in the row's class less 1 /
        n_classes; in (0, 1), and 0.5 where classes are balanced.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged; none unless asked for.
    suggested_ : array of shape (n,)
        The labels: class sizes give no reason to prefer another.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

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


def minority_value(codes: np.ndarray) -> np.ndarray:
    """One minus the size of each row's class over that of the largest class (MV)."""
    sizes = np.bincount(codes)
    return 1 - sizes[codes] / sizes.max()


def class_balance(codes: np.ndarray) -> np.ndarray:
    """(1 - CB) / 2: 0.5 when classes are balanced, more for the rows of rare ones."""
    sizes = np.bincount(codes)
    balance = sizes[codes] / len(codes) - 1 / len(sizes)
    return (1 - balance) / 2
