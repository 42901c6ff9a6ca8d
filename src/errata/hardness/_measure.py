"""What the measures of hardness share, and those that follow from classes alone."""

from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator
from sklearn.preprocessing import StandardScaler

from .._detector import DetectorMixin, split_own_and_best_other
from .._validation import check_fraction, check_labelled

NO_THRESHOLD = np.inf  # for measures that rank rows but flag none unless told to
CERTAIN = np.nextafter(1.0, 0.0)  # for those that flag only what is as hard as can be, 1


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
        suspicion, suggested = self._judge(X, codes)
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
