"""Few rounds of AdaBoost: distrust labels they get wrong, or rows they spend weight on."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import softmax

from ..._detector import find_favourite_other, flag
from ..._validation import check_count, check_labelled
from ...ensemble import DiscreteAdaBoostClassifier
from ...ensemble.boosting._adaboost import PERFECT
from ...ensemble.boosting._base_learners import make_base_learner
from .._base import Verdict
from ._base import CommitteeFilter

NATIVE_FRACTION = 0.05  # of the rows are flagged at most when no rule is given
MAX_DEPTH = 2  # of the compiled trees


class BoostFilter(CommitteeFilter):
    """AdaBoost is the committee; a subclass says in ``_suspect`` what its rounds give away."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 15,
        threshold: float | None = None,
        contamination: float | None = None,
        min_per_class: int = 2,
        max_fraction: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.threshold = threshold
        self.contamination = contamination
        self.min_per_class = min_per_class
        self.max_fraction = max_fraction
        self.random_state = random_state

    def _suspect(self, wrong: np.ndarray, total: float) -> np.ndarray:
        raise NotImplementedError

    def _members(self, sparse: bool = False) -> Sequence[Any]:
        return [self._booster()]

    def _check_labelled(self, X: Any, y: Any) -> tuple[np.ndarray, np.ndarray]:
        return check_labelled(self, X, y, min_classes=2, dtype=float, ensure_min_samples=2)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_count("n_estimators", self.n_estimators)

    def _judge(
        self, X: Any, codes: np.ndarray, random: Any, fit_params: Any, groups: Any
    ) -> Verdict:
        n = len(codes)
        learner = make_base_learner(
            self.estimator,
            X,
            max_depth=MAX_DEPTH,
            by_error=False,
            random=random,
            fit_params=fit_params[0] if fit_params else {},
        )
        booster = self._booster()
        booster.classes_ = self.classes_  # the loop needs to know how many there are
        rounds = booster._rounds(learner, booster._distribution(np.full(n, 1 / n), codes))
        # The step is by how much the logarithms of weights grow: SAMME's a, also for two classes.
        steps = [
            (base.outputs, booster._step(alpha)) for base, alpha, error in rounds if error > PERFECT
        ]
        total, wrong, towards = add_rounds(steps, codes, len(self.classes_))
        # Where no round tells rows apart, as on data without errors, none is suspicious.
        suspicion = self._suspect(wrong, total) if total else np.zeros(n)
        native = flag(suspicion, contamination=NATIVE_FRACTION) & (wrong > 0)
        return suspicion, find_favourite_other(towards, codes), native

    def _booster(self) -> DiscreteAdaBoostClassifier:
        return DiscreteAdaBoostClassifier(
            self.estimator, n_estimators=self.n_estimators, max_depth=MAX_DEPTH
        )


def add_rounds(
    rounds: Sequence[tuple[np.ndarray, float]], codes: np.ndarray, n_classes: int
) -> tuple[float, np.ndarray, np.ndarray]:
    """Sums of the weights of all rounds, of those wrong about a row, and of those for a class."""
    rows = np.arange(len(codes))
    total = 0.0
    wrong = np.zeros(len(codes))
    towards = np.zeros((len(codes), n_classes))
    for predicted, a in rounds:
        total += a
        # Not total minus towards[codes], which rounding would leave a little above 0.
        wrong += np.where(predicted != codes, a, 0.0)
        towards[rows, predicted] += a
    return total, wrong, towards


class BoostEdgeFilter(BoostFilter):
    """Flag the rows that the rounds of a short AdaBoost get wrong, accurate rounds counting more.

    Wheway's use of the edge of a row, on few rounds: late ones struggle with good rows, too. Sure
    of what it flags and content with little: unless told otherwise, at most one row in twenty.
    Where noise is heavier, give ``contamination``, or take :class:`CrossValFilter`. Assumes errors
    that small trees cannot learn. Costs T rounds of AdaBoost, O(T n d) for the compiled trees after
    one sort of each of d features, and O(n K) memory for K classes.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; compiled trees of depth 2 when not given.
    n_estimators : int, default=15
        Rounds of AdaBoost; after many more it has memorised the wrong labels.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. When neither this nor ``contamination`` is given,
        a twentieth of the rows are flagged, the most suspicious, but none that every round gets
        right.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows.
    max_fraction : float, optional
        Never leave out more of the rows than this, the least suspicious being kept.
    random_state : int, RandomState or None, default=None
        Seeds an ``estimator`` that draws; the compiled trees do not.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        Fraction of the rounds that get a row wrong, each weighted as in the decision, from 0 to 1;
        0 everywhere if the first round makes no error, or is no better than guessing. A score, not
        a probability.
    flagged_ : array of bool of shape (n,)
        Which rows are flagged.
    suggested_ : array of shape (n,)
        The other class that the rounds like best where a row is flagged, its label elsewhere.
    sample_indices_ : array of int
        The rows that are left.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    n_features_in_ : int
        Number of features seen in ``fit``.

    See Also
    --------
    MarginPeeler : by the margin of the whole ensemble; flags more.
    MisclassificationPeeler : rounds weighted by the rows they get right.

    Notes
    -----
    Suspicion is the sum of a_t over the rounds t that are wrong about the row over the sum of all
    a_t = log((1 - e_t) / e_t) + log(K - 1), e_t being the weighted error of round t.

    References
    ----------
    .. [1] Wheway. Using boosting to detect noisy data. Advances in Artificial Intelligence,
       PRICAI 2000 Workshop Reader, 2001.

    Examples
    --------
    >>> from errata.datasets import make_twonorm
    >>> from errata.filters import BoostEdgeFilter
    >>> from errata.noise import flip_labels
    >>> X, y = make_twonorm(600, random_state=0)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> filter_ = BoostEdgeFilter().fit(X, labels)
    >>> int(filter_.flagged_.sum()), int(flipped[filter_.flagged_].sum())
    (30, 23)
    """

    def _suspect(self, wrong: np.ndarray, total: float) -> np.ndarray:
        return wrong / total


class BoostWeightFilter(BoostFilter):
    """Flag the rows that have the largest weights after a short AdaBoost.

    The boosting filter of Verbaeten and Van Assche. A row's weight grows whenever a round gets it
    wrong, so that the order of the rows is that of :class:`BoostEdgeFilter`, on another scale: that
    of the weights, on which one can say "three times the mean" (``threshold=0.75``). Assumes errors
    that small trees cannot learn. Costs T rounds of AdaBoost, O(T n d) for the compiled trees after
    one sort of each of d features, and O(n K) memory for K classes.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; compiled trees of depth 2 when not given.
    n_estimators : int, default=15
        Rounds of AdaBoost; after many more good rows have large weights, too.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it. When neither this nor ``contamination`` is given,
        a twentieth of the rows are flagged, the most suspicious, but none that every round gets
        right.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    min_per_class : int, default=2
        Never leave fewer rows of a class; warns when that keeps flagged rows.
    max_fraction : float, optional
        Never leave out more of the rows than this, the least suspicious being kept.
    random_state : int, RandomState or None, default=None
        Seeds an ``estimator`` that draws; the compiled trees do not.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        v / (1 + v), v being the weight of a row over the mean weight: 0.5 at the mean, towards 1
        above; 0 everywhere if the first round makes no error, or is no better than guessing. A
        score, not a probability.
    flagged_, suggested_, sample_indices_, classes_, n_features_in_
        As in :class:`BoostEdgeFilter`.

    See Also
    --------
    BoostEdgeFilter : the same order, as fractions of the rounds.
    WeightPeeler : by the mean weight over hundreds of rounds, with a test.

    Notes
    -----
    After a round with weighted error e, the weights of the rows that it gets wrong are multiplied
    by (K - 1) (1 - e) / e and all are divided by their sum.

    References
    ----------
    .. [1] Verbaeten and Van Assche. Ensemble methods for noise elimination in classification
       problems. Multiple Classifier Systems, 2003.

    Examples
    --------
    >>> from errata.datasets import make_twonorm
    >>> from errata.filters import BoostWeightFilter
    >>> from errata.noise import flip_labels
    >>> X, y = make_twonorm(600, random_state=0)
    >>> labels, flipped = flip_labels(y, 0.1, random_state=0)
    >>> filter_ = BoostWeightFilter(threshold=0.75).fit(X, labels)  # three times the mean weight
    >>> int(filter_.flagged_.sum()), int(flipped[filter_.flagged_].sum())
    (37, 28)
    """

    def _suspect(self, wrong: np.ndarray, total: float) -> np.ndarray:
        relative = len(wrong) * softmax(wrong)  # the weights start equal
        return relative / (1 + relative)
