"""Hardness from local sets: how many of its own label surround a row before the first enemy."""

from typing import Any

import numpy as np

from ._enemies import LocalSets, local_sets
from ._measure import CERTAIN, NO_THRESHOLD, HardnessMeasure


class LocalSetMeasure(HardnessMeasure):
    """A measure drawn from the local sets."""

    def __init__(
        self,
        *,
        metric: Any = "euclidean",
        threshold: float | None = None,
        contamination: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.metric = metric
        self.threshold = threshold
        self.contamination = contamination
        self.n_jobs = n_jobs

    def _judge(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        sets = local_sets(X, codes, metric=self.metric, n_jobs=self.n_jobs)
        n_friends = np.bincount(codes)[codes] - 1
        return self._hardness(sets, n_friends), codes[sets.enemy]

    @staticmethod
    def _hardness(sets: LocalSets, n_friends: np.ndarray) -> np.ndarray:
        raise NotImplementedError


class LocalSetCardinality(LocalSetMeasure):
    """Suspect the rows with few of their own label before the first of another (LSC hardness).

    Deep inside a class the local set is large, near a border it is small, and around a wrong label
    it is empty. Use it to see how far each row is from the border, counted in rows, so that dense
    and sparse classes compare. One wrong label empties the local sets of all its neighbours, so for
    finding wrong labels prefer :class:`LocalSetSmoother`. The row itself never counts. Scale the
    features first. Costs O(n² d) time, memory O(n) and a chunk.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. With neither this nor ``contamination``, the rows
        with an empty local set are flagged: their nearest neighbour is an enemy.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    n_jobs : int, optional
        Number of threads, -1 for all.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        One minus the fraction of the other rows with the same label that are in the local set, in
        [0, 1]; 1 for a row alone in its class. A score, not a probability.
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
    Leyva et al. [1]_ count the row itself in its local set, and a low number is hard; Arruda et al.
    [2]_ divide by the size of the class and subtract from one, as here, but for the row itself.

    References
    ----------
    .. [1] Leyva, González and Pérez. A set of complexity measures designed for applying
       meta-learning to instance selection. IEEE Transactions on Knowledge and Data Engineering 27,
       2015.
    .. [2] Arruda, Prudêncio and Lorena. Measuring instance hardness using data complexity measures.
       Brazilian Conference on Intelligent Systems, 2020.

    Examples
    --------
    Each class has three other rows. From 0 one can see two of them before the "b" at 2.5:

    >>> from errata.hardness import LocalSetCardinality
    >>> X = [[0.0], [1.0], [2.0], [4.0], [2.5], [7.0], [8.0], [9.0]]
    >>> y = ["a", "a", "a", "a", "b", "b", "b", "b"]
    >>> LocalSetCardinality().fit(X, y).suspicion_.round(2)
    array([0.33, 0.33, 1.  , 1.  , 1.  , 0.33, 0.33, 0.33])
    """

    _native = CERTAIN

    @staticmethod
    def _hardness(sets: LocalSets, n_friends: np.ndarray) -> np.ndarray:
        return 1 - ratio(sets.cardinality, n_friends)


class LocalSetRadius(LocalSetMeasure):
    """Call rows hard that lie close to another class for the extent of their own (LSR hardness).

    The radius of the local set, from the row to the nearest with another label, next to the
    distance to the farthest with its own. Use it to see how far each row is from the border in the
    units of the features. It knows distances only, not how many rows there are, so it ranks wrong
    labels worse than the other local-set measures. The row itself never counts. Scale the features
    first. Costs O(n² d) time, memory O(n) and a chunk.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        Any metric of :func:`sklearn.metrics.pairwise_distances`.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. Without it or ``contamination`` nothing
        is flagged: no distance is a reason by itself to doubt a label.
    contamination : float, optional
        Flag this fraction of the rows, the most suspicious first.
    n_jobs : int, optional
        Number of threads, -1 for all.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        One minus the ratio of the two distances, not below 0; 1 for a row with an enemy at the same
        place. A score, not a probability.
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
    .. [1] Arruda, Prudêncio and Lorena. Measuring instance hardness using data complexity measures.
       Brazilian Conference on Intelligent Systems, 2020.

    Examples
    --------
    The row at 2 has its enemy 2 away and its farthest friend as well, that at 4 has it no farther
    than 1, with its farthest friend 4 away:

    >>> from errata.hardness import LocalSetRadius
    >>> X = [[0.0], [2.0], [4.0], [5.0], [7.0]]
    >>> LocalSetRadius().fit(X, ["a", "a", "a", "b", "b"]).suspicion_
    array([0.  , 0.  , 0.75, 0.5 , 0.  ])
    """

    _native = NO_THRESHOLD

    @staticmethod
    def _hardness(sets: LocalSets, n_friends: np.ndarray) -> np.ndarray:
        return 1 - ratio(sets.radius, np.maximum(sets.radius, sets.extent))


def ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """``part / whole``, 0 where there is nothing to have a part of."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
