"""Hardness from local sets: whether a row supports others of its label or stands in their way."""

import numpy as np

from ._enemies import LocalSets
from ._local_sets import LocalSetMeasure, ratio
from ._measure import CERTAIN, NO_THRESHOLD


class Usefulness(LocalSetMeasure):
    """Suspect the rows that are in few local sets (hardness by usefulness).

    A useful row is near many of its own label, nearer than any row of another; a row in nobody's
    local set supports nobody. Unlike :class:`LocalSetCardinality` it is not upset by one wrong
    label next door, as it asks all rows around. Outliers are of no use either, right or wrong. The
    row itself never counts. Scale the features first. Costs O(n² d) time, memory O(n) and a chunk.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. With neither this nor ``contamination``, the rows
        in nobody's local set are flagged.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    n_jobs : int, optional
        Number of threads, -1 for all.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        One minus the fraction of the other rows with the same label that have the row in their
        local set, in [0, 1]; 1 for a row alone in its class. A score, not a probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The label of the nearest enemy where a row is flagged, its own label elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    In the papers a low usefulness is hard [1]_, or it is subtracted from one [2]_, as here; the row
    itself is not counted.

    References
    ----------
    .. [1] Leyva, González and Pérez. A set of complexity measures designed for applying
       meta-learning to instance selection. IEEE Transactions on Knowledge and Data Engineering 27,
       2015.
    .. [2] Arruda, Prudêncio and Lorena. Measuring instance hardness using data complexity measures.
       Brazilian Conference on Intelligent Systems, 2020.

    Examples
    --------
    The "b" at 2.5 is of no use to the others, which have an "a" before it:

    >>> from errata.hardness import Usefulness
    >>> X = [[0.0], [1.0], [2.0], [4.0], [2.5], [7.0], [8.0], [9.0]]
    >>> y = ["a", "a", "a", "a", "b", "b", "b", "b"]
    >>> Usefulness().fit(X, y).suspicion_.round(2)
    array([0.67, 0.67, 0.33, 1.  , 1.  , 0.33, 0.33, 0.33])
    """

    _native = CERTAIN

    @staticmethod
    def _hardness(sets: LocalSets, n_friends: np.ndarray) -> np.ndarray:
        return 1 - ratio(sets.usefulness, n_friends)


class Harmfulness(LocalSetMeasure):
    """Suspect the rows that are the nearest enemy of many (hardness by harmfulness).

    A wrong label in the middle of a class is what all around it see first of another class. Use it
    to find the few rows that spoil the most. Of wrong labels close together only the outer ones do
    harm, and honest rows that stick out of their class do so too. The row itself never counts.
    Scale the features first. Costs O(n² d) time, memory O(n) and a chunk.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. Without it or ``contamination`` nothing
        is flagged: some row must be the nearest enemy. :class:`LocalSetSmoother` has a threshold.
    contamination : float, optional
        Flag this fraction of the rows, the most suspicious first.
    n_jobs : int, optional
        Number of threads, -1 for all.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Fraction of the rows with other labels that have the row as their nearest enemy, in [0, 1].
        A score, not a probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged; none unless asked for.
    suggested_ : array of shape (n,)
        The label of the nearest enemy where a row is flagged, its own label elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    References
    ----------
    .. [1] Leyva, González and Pérez. A set of complexity measures designed for applying
       meta-learning to instance selection. IEEE Transactions on Knowledge and Data Engineering 27,
       2015.
    .. [2] Arruda, Prudêncio and Lorena. Measuring instance hardness using data complexity measures.
       Brazilian Conference on Intelligent Systems, 2020.

    Examples
    --------
    The "b" at 2.5 is the nearest enemy of all four "a":

    >>> from errata.hardness import Harmfulness
    >>> X = [[0.0], [1.0], [2.0], [4.0], [2.5], [7.0], [8.0], [9.0]]
    >>> y = ["a", "a", "a", "a", "b", "b", "b", "b"]
    >>> Harmfulness().fit(X, y).suspicion_
    array([0.  , 0.  , 0.25, 0.75, 1.  , 0.  , 0.  , 0.  ])
    """

    _native = NO_THRESHOLD

    @staticmethod
    def _hardness(sets: LocalSets, n_friends: np.ndarray) -> np.ndarray:
        return sets.harmfulness / (len(n_friends) - 1 - n_friends)


class LocalSetSmoother(LocalSetMeasure):
    """Suspect the rows that do more harm than good (LSSm).

    Weighs how many rows have this one as their nearest enemy against how many have it in their
    local set. The local-set measure to reach for when looking for wrong labels: it has no parameter
    to choose, and as a ranking it is on a par with neighbours. Where wrong labels come in clumps
    they support each other. The row itself never counts. Scale the features first. Costs O(n² d)
    time, memory O(n) and a chunk.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (more harmful than useful, the rule of the
        paper) when neither this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    n_jobs : int, optional
        Number of threads, -1 for all.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        ``(h + 1) / (h + u + 2)`` with h the harmfulness and u the usefulness as counts, in (0, 1).
        A score, not a probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The label of the nearest enemy where a row is flagged, its own label elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    The smoother of the paper [1]_ drops the rows with h > u, which is where the suspicion exceeds
    0.5. The ranking is errata's: the fraction of harm, with one imaginary row on either side, so
    that 2 against 0 does not weigh as much as 20 against 0.

    References
    ----------
    .. [1] Leyva, González and Pérez. Three new instance selection methods based on local sets: a
       comparative study with several approaches from a bi-objective perspective. Pattern
       Recognition 48, 2015.

    Examples
    --------
    The "b" at 2.5 harms four and helps nobody, (4 + 1) / (4 + 0 + 2); the "a" at 4 behind it harms
    three "b" and helps nobody either:

    >>> from errata.hardness import LocalSetSmoother
    >>> X = [[0.0], [1.0], [2.0], [4.0], [2.5], [7.0], [8.0], [9.0]]
    >>> y = ["a", "a", "a", "a", "b", "b", "b", "b"]
    >>> LocalSetSmoother().fit(X, y).suspicion_.round(2)
    array([0.33, 0.33, 0.4 , 0.8 , 0.83, 0.25, 0.25, 0.25])
    """

    @staticmethod
    def _hardness(sets: LocalSets, n_friends: np.ndarray) -> np.ndarray:
        return (sets.harmfulness + 1) / (sets.harmfulness + sets.usefulness + 2)
