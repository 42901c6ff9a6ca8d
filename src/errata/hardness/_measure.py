"""The base of measures of hardness, and those from classes, neighbours and local sets.

A neighbour that carries another label is an enemy; the local set of a row are the rows around it,
up to its nearest enemy.
"""

from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array, check_consistent_length

from .._blocks import blocks
from .._detector import DetectorMixin, split_own_and_best_other
from .._neighbors import find_commonest, measure_pairs, nearest
from .._validation import bring_near_one, check_fraction, check_labelled, check_labels

NO_THRESHOLD = np.inf  # for measures that rank rows but flag none unless told to
CERTAIN = np.nextafter(1.0, 0.0)  # for those that flag only what is as hard as can be, 1

CHUNK = 2**23  # distances held at once, by each thread: 64 MB


class HardnessMeasure(DetectorMixin, BaseEstimator):
    """A detector whose suspicion is the hardness of a row.

    A measure says in ``_judge`` how hard each row is, from 0 to 1, and which class it would give.
    """

    _native = 0.5  # rows harder than this are flagged when the user sets no threshold
    _sparse = True  # whether sparse matrices are accepted
    _missing = False  # and missing values

    def fit(self, X: Any, y: Any) -> Self:
        """Measure how hard it is to reconcile each row of ``X`` with its label in ``y``."""
        X, codes = self._check_labelled(X, y)
        return self._fit_codes(X, codes)

    def _fit_codes(self, X: Any, codes: np.ndarray) -> Self:
        """Measure rows and labels that have passed the checks; ``classes_`` is set."""
        suspicion, suggested = self._judge(bring_near_one(X), codes)
        self._conclude(suspicion, codes, suggested, native=self._native)
        return self

    def _check_labelled(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        sparse = "csr" if self._sparse else False
        return check_labelled(self, X, y, min_classes=2, accept_sparse=sparse, ensure_min_samples=2)

    def _judge(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Hardness and suggested class of each row, the classes as codes."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        """Declare that labels are required, and what kinds of tables are accepted."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = self._sparse
        tags.input_tags.allow_nan = self._missing
        return tags


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
        return compute_minority_value(codes), codes


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
        return compute_class_balance(codes), codes


def compute_minority_value(codes: np.ndarray) -> np.ndarray:
    """One minus the size of each row's class over that of the largest class (MV)."""
    sizes = np.bincount(codes)
    return 1 - sizes[codes] / sizes.max()


def compute_class_balance(codes: np.ndarray) -> np.ndarray:
    """(1 - CB) / 2: 0.5 when classes are balanced, more for the rows of rare ones."""
    sizes = np.bincount(codes)
    balance = sizes[codes] / len(codes) - 1 / len(sizes)
    return (1 - balance) / 2


class _LikelihoodMeasure(HardnessMeasure):
    """A measure drawn from the likelihood of each row under each class."""

    _sparse = False

    def __init__(
        self,
        *,
        var_smoothing: float = 0.01,
        threshold: float | None = None,
        contamination: float | None = None,
    ) -> None:
        self.var_smoothing = var_smoothing
        self.threshold = threshold
        self.contamination = contamination

    def _judge(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        smoothing = check_fraction("var_smoothing", self.var_smoothing, low=1e-9)
        likelihoods = compute_class_likelihoods(X, codes, smoothing)
        return self._hardness(*split_own_and_best_other(likelihoods, codes)), likelihoods.argmax(
            axis=1
        )

    @staticmethod
    def _hardness(own: np.ndarray, other: np.ndarray) -> np.ndarray:
        raise NotImplementedError


class ClassLikelihood(_LikelihoodMeasure):
    """Suspect the rows that are unlikely members of the class on their label (CL hardness).

    Describes each class by the mean and variance of each feature, as naive Bayes does, and asks how
    likely the row is under its own class, as a fraction of the likelihoods under all. Quick, and
    good where a class is one cloud; blind where it is several, and overconfident where features
    repeat each other. The description of a class includes the row itself. Costs O(n d n_classes)
    time, O(n d) memory.

    Parameters
    ----------
    var_smoothing : float, default=0.01
        Added to the variances within each class, as a fraction of the variance of the feature over
        all rows; above 0. Going up makes features that hardly vary within a class less decisive.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (the other classes together are likelier) when
        neither this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        One minus the likelihood under the class on the label, as a fraction of that under all
        classes, in [0, 1]. A score: a probability only were the features independent and normal.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The class under which the row is likeliest where it is flagged, its own label elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    ClassLikelihoodDifference : the same for two classes, and sharper for more.

    Notes
    -----
    The paper [1]_ takes the product of P(x_j | label) over the features, without the prior of the
    class so as not to call all rows of rare classes hard, and a low value is hard; here, as
    everywhere in errata, high is hard. Densities have units, so they are divided by their sum over
    the classes; with that a row that fits no class is not hard by itself. Describing a class
    without the row to be judged would be easy, but ranks wrong labels lower: honest outliers, too,
    then appear impossible.

    References
    ----------
    .. [1] Smith, Martinez and Giraud-Carrier. An instance level analysis of data complexity.
       Machine Learning 95, 2014.

    Examples
    --------
    One of the small flowers is as large as the large ones, and one of those rather small:

    >>> from errata.hardness import ClassLikelihood
    >>> X = [[1.0], [1.1], [1.2], [1.3], [4.1], [4.0], [4.3], [4.6], [4.8], [2.5]]
    >>> y = ["small"] * 5 + ["large"] * 5
    >>> detector = ClassLikelihood().fit(X, y)
    >>> detector.suspicion_.round(2)
    array([0.  , 0.  , 0.  , 0.01, 0.91, 0.1 , 0.07, 0.05, 0.04, 0.76])
    >>> detector.suggested_[detector.flagged_]
    array(['large', 'small'], dtype='<U5')
    """

    @staticmethod
    def _hardness(own: np.ndarray, other: np.ndarray) -> np.ndarray:
        return 1 - own


class ClassLikelihoodDifference(_LikelihoodMeasure):
    """Suspect the rows that are likelier under another class than their label's (CLD hardness).

    Compares the likelihood of a row under its own class with that under the likeliest other one.
    For two classes it equals :class:`ClassLikelihood`, which says when to use it and when not; for
    more it does not mistake several weak rivals for a strong one. The description of a class
    includes the row itself. Costs O(n d n_classes) time, O(n d) memory.

    Parameters
    ----------
    var_smoothing : float, default=0.01
        Added to the variances within each class, as a fraction of the variance of the feature over
        all rows; above 0. Going up makes features that hardly vary within a class less decisive.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (another class is likelier) when neither this
        nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        ``(1 - CLD) / 2``, where CLD is the likelihood under the class on the label less the largest
        under another, each as a fraction of the sum over all classes; in [0, 1]. A score, not a
        probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The class under which the row is likeliest where it is flagged, its own label elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    Notes
    -----
    The paper [1]_ takes CLD itself, and a low value is hard; here, as everywhere in errata, high is
    hard, and the values are moved from [-1, 1] into the unit interval.

    References
    ----------
    .. [1] Smith, Martinez and Giraud-Carrier. An instance level analysis of data complexity.
       Machine Learning 95, 2014.

    Examples
    --------
    The row at 2 lies in the middle of three classes that overlap. Its own class "b" is the
    likeliest of them, though not likelier than the other two together:

    >>> from errata.hardness import ClassLikelihood, ClassLikelihoodDifference
    >>> X = [[0.2], [1.2], [2.2], [1.0], [2.0], [3.0], [1.8], [2.8], [3.8]]
    >>> y = ["a", "a", "a", "b", "b", "b", "c", "c", "c"]
    >>> measures = ClassLikelihood(), ClassLikelihoodDifference()
    >>> [round(float(measure.fit(X, y).suspicion_[4]), 2) for measure in measures]
    [0.55, 0.42]
    """

    @staticmethod
    def _hardness(own: np.ndarray, other: np.ndarray) -> np.ndarray:
        return (1 - (own - other)) / 2


def compute_class_likelihoods(X: np.ndarray, codes: np.ndarray, var_smoothing: float) -> np.ndarray:
    """Likelihood of each row under each class, (n, n_classes), as fractions that sum to one.

    Features are standardised, so that smoothing is the same fraction of the variance of each.
    """
    standardised = StandardScaler().fit_transform(np.ascontiguousarray(X, dtype=float))
    logs = np.empty((len(codes), codes.max() + 1))
    for c in range(logs.shape[1]):
        members = standardised[codes == c]
        variance = members.var(axis=0) + var_smoothing
        deviation = (standardised - members.mean(axis=0)) ** 2 / variance
        logs[:, c] = -(deviation + np.log(variance)).sum(axis=1) / 2
    return softmax(logs, axis=1)


class NeighborDisagreement(HardnessMeasure):
    """Suspect the rows whose nearest neighbours carry other labels (kDN hardness).

    Reach for it first: it has one parameter, learns no model and is right whenever rows of a class
    lie together. It assumes that distances mean something, so scale the features in front of it,
    and it doubts honest rows near a border between classes. The row itself never counts. Costs
    about n log n distances with up to eight features and n² with more, less with ``approximate``;
    memory O(n k).

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbours vote. More make the suspicion smoother, and blinder to small clusters.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`. With "nan_euclidean" values may
        be missing: two rows are compared by the features that both have.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (a majority of the neighbours) when neither
        this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    approximate : bool, default=False
        Allow 2 % of the neighbours to be merely near instead of nearest, see :func:`nearest`. Needs
        the ``scale`` extra, and pays from some 20,000 rows with ten features or more.
    n_jobs : int, optional
        Number of threads that search for neighbours, -1 for all.
    random_state : int, RandomState or None, default=None
        Used by an approximate search alone; fix it to get the same neighbours again.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Fraction of the neighbours with another label, in {0, 1/k, ..., 1}. A score, not a
        probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The commonest label among the neighbours where a row is flagged, its own label elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    References
    ----------
    .. [1] Smith, Martinez and Giraud-Carrier. An instance level analysis of data complexity.
       Machine Learning 95, 2014.
    .. [2] Walmsley. Um método de geração de pools de classificadores usando instance hardness.
       Universidade Federal de Pernambuco, 2017.

    Examples
    --------
    >>> from errata.hardness import NeighborDisagreement
    >>> X = [[0.0], [0.1], [0.25], [5.0], [5.1], [5.3]]
    >>> y = ["cat", "cat", "dog", "dog", "dog", "dog"]
    >>> detector = NeighborDisagreement(n_neighbors=2).fit(X, y)
    >>> detector.suspicion_
    array([0.5, 0.5, 1. , 0. , 0. , 0. ])
    >>> detector.suggested_[detector.flagged_]
    array(['cat'], dtype='<U3')
    """

    def __init__(
        self,
        *,
        n_neighbors: int = 5,
        metric: Any = "euclidean",
        threshold: float | None = None,
        contamination: float | None = None,
        approximate: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.threshold = threshold
        self.contamination = contamination
        self.approximate = approximate
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Declare that missing values are accepted where the metric knows them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.metric == "nan_euclidean"
        tags.input_tags.sparse = not tags.input_tags.allow_nan
        return tags

    def _judge(self, X: Any, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        neighbors = nearest(
            X,
            self.n_neighbors,
            metric=self.metric,
            approximate=self.approximate,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        return _measure_disagreement(neighbors, codes), find_commonest(codes[neighbors])


def k_disagreeing_neighbors(
    X: Any,
    y: Any,
    k: int = 5,
    *,
    metric: Any = "euclidean",
    approximate: bool = False,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> np.ndarray:
    """Fraction of the ``k`` nearest other rows that carry another label (kDN), one number per row.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, d)
        The features; scale them first.
    y : array-like of shape (n,)
        The labels.
    k : int, default=5
        Number of neighbours.
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`.
    approximate : bool, default=False
        Allow 2 % of the neighbours to be merely near instead of nearest, see :func:`nearest`.
    n_jobs : int, optional
        Number of threads, -1 for all.
    random_state : int, RandomState or None, default=None
        Used by an approximate search alone.

    Returns
    -------
    array of shape (n,), with values in {0, 1/k, ..., 1}

    Examples
    --------
    >>> k_disagreeing_neighbors([[0], [1], [2], [10], [11], [12]], [0, 0, 1, 1, 1, 0], k=2)
    array([0.5, 0.5, 1. , 0.5, 0.5, 1. ])
    """
    X = check_array(X, accept_sparse="csr")
    _, codes = check_labels(y)
    check_consistent_length(X, codes)
    if len(codes) == 1:
        return np.zeros(1)  # no neighbours, no disagreement
    neighbors = nearest(
        X, k, metric=metric, approximate=approximate, random_state=random_state, n_jobs=n_jobs
    )
    return _measure_disagreement(neighbors, codes)


def _measure_disagreement(neighbors: np.ndarray, codes: np.ndarray) -> np.ndarray:
    return (codes[neighbors] != codes[:, None]).mean(axis=1)


class LocalSets:
    """The rows around each row before its nearest enemy, the nearest row with another label.

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
