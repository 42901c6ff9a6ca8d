"""Hardness from local sets: the rows around a row, up to its nearest enemy."""

from typing import Any

import numpy as np
from joblib import Parallel, delayed

from .._blocks import blocks
from .._neighbors import measure_pairs
from ._measure import CERTAIN, NO_THRESHOLD, HardnessMeasure

CHUNK = 2**23  # distances held at once, by each thread: 64 MB


class LocalSets:
    """What surrounds each row before its nearest enemy, the nearest row with another label.

    The local set of a row holds the rows that are nearer to it than that; they all carry its label.
    Everything is found in one pass over all distances, O(n²) of them, of which each thread holds
    some at a time.
    """

    def __init__(
        self, X: Any, codes: np.ndarray, *, metric: Any = "euclidean", n_jobs: int | None = None
    ) -> None:
        n = len(codes)
        parts = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
            delayed(_find_sets_of_rows)(X, codes, np.arange(n)[batch], metric)
            for batch in blocks(n, CHUNK, width=n)
        )
        self.usefulness = np.zeros(n, dtype=np.intp)  # how many local sets hold the row
        rows = []
        for part, inside in parts:
            rows.append(part)
            self.usefulness += inside
        enemy, radius, extent, cardinality = map(np.concatenate, zip(*rows, strict=True))
        self.enemy = enemy  # index of the nearest; the smallest where several are equally near
        self.radius = radius  # distance to the nearest enemy
        self.extent = extent  # distance to the farthest row with the same label, 0 where none is
        self.cardinality = cardinality  # how many rows the local set holds
        self.harmfulness = np.bincount(enemy, minlength=n)  # how many have it as nearest enemy


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
        sets = LocalSets(X, codes, metric=self.metric, n_jobs=self.n_jobs)
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
        return 1 - divide(sets.cardinality, n_friends)


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
        return 1 - divide(sets.radius, np.maximum(sets.radius, sets.extent))


def divide(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """``part / whole``, 0 where there is nothing to have a part of."""
    return np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)


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
        return 1 - divide(sets.usefulness, n_friends)


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


def _find_sets_of_rows(
    X: Any, codes: np.ndarray, rows: np.ndarray, metric: Any
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Enemy, radius, extent and cardinality of some rows; how many of their sets hold each row."""
    distances = measure_pairs(X[rows], X, metric)
    friends = codes[rows, None] == codes
    to_enemies = np.where(friends, np.inf, distances)
    enemy = to_enemies.argmin(axis=1)
    radius = to_enemies[np.arange(len(rows)), enemy]
    inside = distances < radius[:, None]
    inside[np.arange(len(rows)), rows] = False
    extent = np.where(friends, distances, 0).max(axis=1)
    return (enemy, radius, extent, inside.sum(axis=1)), inside.sum(axis=0)
