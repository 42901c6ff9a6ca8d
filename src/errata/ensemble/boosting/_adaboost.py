"""AdaBoost, and the loop of its relatives: fit, weigh by the error, give wrong rows more weight.

MadaBoost, AveBoost2 and ORBoost have AdaBoost's votes, on weights that are held back.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.special import softmax

from ..._kernels import kernels
from ..._validation import check_choice, check_fraction
from ..._warn import warn_user
from ._base import (
    BaseLearner,
    BoostedClassifier,
    FittedBase,
    Term,
    compute_advantage,
    make_constant_base,
)

PERFECT = 1e-12  # an error this small is none


# A base estimator, its weight in the decision (alpha) and weighted error (epsilon)
Round = tuple[FittedBase, float, float]

NO_ERROR = 1e-10  # the error that a base estimator without any counts with


class Distribution:
    """Weights of rows that sum to one, as AdaBoost moves them."""

    def __init__(self, start: np.ndarray, codes: np.ndarray) -> None:
        self.start = start
        self.codes = codes
        with np.errstate(divide="ignore"):  # no weight stays none
            # Weights are kept as logarithms: products over hundreds of rounds overflow.
            self.logarithms = np.log(start)

    def after(self, outputs: np.ndarray, step: float) -> np.ndarray | None:
        """The weights once the logarithms of wrong rows have grown by ``step``; None to stop."""
        return self._grow_weights(outputs, step)

    def _grow_weights(self, outputs: np.ndarray, step: float) -> np.ndarray:
        return kernels("trees").reweigh(self.logarithms, outputs, self.codes, step)


class ReweightingBooster(BoostedClassifier):
    """A booster whose base classifiers vote, and whose rows gain weight where these are wrong.

    A subclass says how much a vote counts (``_alpha``), up to which error it is worth having
    (``_largest_error``), what becomes of a vote without error (``_perfect``), and, if it is not
    AdaBoost's, how the weights move (``_distribution``).
    """

    def _boost(self, learner: BaseLearner, codes: np.ndarray, weights: np.ndarray) -> list[Term]:
        n_classes = len(self.classes_)
        rounds = list(self._rounds(learner, self._distribution(weights, codes)))
        if not rounds:
            warn_user(
                "The first base estimator is no better than guessing; "
                "predicting the commonest class.",
            )
            counts = np.bincount(codes, weights, n_classes)
            commonest = make_constant_base(int(counts.argmax()), codes)
            rounds = [(commonest, 1.0, 1 - float(counts.max()))]
        self.estimator_weights_ = np.array([alpha for _, alpha, _ in rounds])
        self.estimator_errors_ = np.array([error for _, _, error in rounds])
        # Two classes need one column, in which they pull against each other.
        table = np.array([[-1.0], [1.0]]) if n_classes == 2 else np.eye(n_classes)
        return [
            Term(base.estimator, alpha * table, t, alpha)
            for t, (base, alpha, _) in enumerate(rounds)
        ]

    def _rounds(self, learner: BaseLearner, distribution: Distribution) -> Iterator[Round]:
        codes = distribution.codes
        n_classes = len(self.classes_)
        misfit = kernels("trees").sum_misfit
        weights = distribution.start
        for t in range(self.n_estimators):
            base = learner.classify(codes, n_classes, weights)
            error = misfit(base.outputs, codes, weights)
            # Up to rounding: a digit below guessing, alphas of nearly 0 would fill all rounds.
            if error >= self._largest_error() * (1 - PERFECT):
                if t == 0 and error < (1 - 1 / n_classes) * (1 - PERFECT):
                    yield self._only_vote(base, error)
                return
            if error <= PERFECT:
                yield from self._perfect(base, error, t)
                return
            alpha = self._alpha(error, t)
            yield base, alpha, error
            moved = distribution.after(base.outputs, self._step(alpha))
            if moved is None:
                return
            weights = moved

    def _distribution(self, start: np.ndarray, codes: np.ndarray) -> Distribution:
        return Distribution(start, codes)

    def _alpha(self, error: float, t: int) -> float:
        """Weight in the decision of the base estimator of round ``t``, the first being 0."""
        return compute_samme_weight(error, len(self.classes_))

    def _largest_error(self) -> float:
        """A base estimator with this error is worth nothing."""
        return 1 - 1 / len(self.classes_)

    def _perfect(self, base: FittedBase, error: float, t: int) -> Iterator[Round]:
        """The last round, if any, once a base estimator makes no error."""
        raise NotImplementedError

    def _step(self, alpha: float) -> float:
        # With two classes alpha is half of SAMME's, and right rows lose what wrong ones gain.
        return 2 * alpha if len(self.classes_) == 2 else alpha

    def _only_vote(self, base: FittedBase, error: float) -> Round:
        warn_user(
            f"The first base estimator has a weighted error of {error:.2f}, too much to boost; it "
            "stays the only one. Deeper trees (max_depth) may do better."
        )
        return base, 1.0, error


def compute_samme_weight(error: float, n_classes: int) -> float:
    """alpha: the weight of a base estimator with this weighted error in the decision."""
    odds = np.log((1 - error) / error)
    return float(0.5 * odds if n_classes == 2 else odds + np.log(n_classes - 1))


class DiscreteAdaBoostClassifier(ReweightingBooster):
    """AdaBoost: each base estimator is fitted to weights that grow where earlier ones were wrong.

    The classical booster, and the one that wrong labels harm most: in the end their rows weigh more
    than all others. That makes it a good detector of them, see
    :class:`errata.filters.MarginPeeler`, and a poor classifier unless they are peeled off. For more
    than two classes it is SAMME. With T rounds of trees of depth D on n rows of d features, fitting
    costs O(T D n d) after one sort, and deciding on a row O(T D).

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; small compiled trees when not given, which are a hundred times faster.
    n_estimators : int, default=300
        Number of rounds at most; a base estimator without any error on the weighted rows, or no
        better than guessing, is the end.
    max_depth : int, default=1
        Depth of the trees, at most 12; 1 are stumps.
    learning_rate : float, default=1
        Shrinks the contribution of each round.
    criterion : "gini" or "error", default="gini"
        What a cut of a tree makes as small as possible: the Gini impurity of the sides, or the
        weight of the rows on the wrong side.
    on_perfect : "drop" or "keep", default="drop"
        What to do with a base estimator that makes no error, after which boosting stops: drop it,
        as the algorithm is printed (the first is kept), or keep it, with the weight of an error
        of 1e-12.
    hardness : "kdn", detector or callable, optional
        Start from weights that fall with the hardness of a row (:func:`selection_probabilities`):
        the fraction of disagreeing neighbours (scale the features), the ``suspicion_`` of any
        detector of errata, or ``hardness(X, y)``, in [0, 1]. All rows start with the same weight
        when not given, as in the paper. On twelve small data sets it gains 1 to 4 points with
        AdaBoost and GentleBoost, the more the more labels are wrong.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (a negative average margin) when neither
        this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Seeds an ``estimator`` and a ``hardness`` that draw; the compiled trees do not.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        (1 - m) / 2, m being the margin averaged over all rounds: the last ones have
        memorised even wrong labels. A score from 0 to 1, not a probability.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the class decided on for those, the label itself elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    start_weights_ : array of shape (n,)
        The distribution that boosting started from.
    n_estimators_ : int
        Number of rounds kept.
    estimator_weights_, estimator_errors_ : arrays of shape ``(n_estimators_,)``
        Weight of each base estimator in the decision (alpha), and its weighted error (epsilon).

    References
    ----------
    .. [1] Freund and Schapire. A decision-theoretic generalization of on-line learning and an
       application to boosting. Journal of Computer and System Sciences 55, 1997.
    .. [2] Zhu, Zou, Rosset and Hastie. Multi-class AdaBoost. Statistics and Its Interface 2, 2009.

    Examples
    --------
    >>> from errata.ensemble import DiscreteAdaBoostClassifier
    >>> X = [[0], [1], [2], [3], [4], [5], [6], [7], [8], [9]]
    >>> y = [1, 1, 1, 0, 0, 0, 1, 1, 1, 0]
    >>> booster = DiscreteAdaBoostClassifier(n_estimators=3, criterion="error").fit(X, y)
    >>> booster.estimator_errors_.round(3)
    array([0.3  , 0.214, 0.182])
    >>> booster.margins(X, y).min().round(6)
    np.float64(0.175997)
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 300,
        max_depth: int = 1,
        learning_rate: float = 1.0,
        criterion: str = "gini",
        on_perfect: str = "drop",
        hardness: Any = None,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.criterion = criterion
        self.on_perfect = on_perfect
        self.hardness = hardness
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def _boost(self, learner: BaseLearner, codes: np.ndarray, weights: np.ndarray) -> list[Term]:
        check_choice("on_perfect", self.on_perfect, ("drop", "keep"))
        check_fraction("learning_rate", self.learning_rate, low=1e-6, high=10)
        return super()._boost(learner, codes, weights)

    def _alpha(self, error: float, t: int) -> float:
        return self.learning_rate * super()._alpha(error, t)

    def _perfect(self, base: FittedBase, error: float, t: int) -> Iterator[Round]:
        if self.on_perfect == "keep":
            yield base, self._alpha(PERFECT, t), error
        elif t == 0:  # the printed rule would leave an ensemble of nobody
            yield base, 1.0, error

    def _weigh(self, decision: np.ndarray, codes: np.ndarray, stage: int) -> np.ndarray:
        if decision.shape[1] == 1:
            in_favour = compute_advantage(decision, codes)
        else:
            in_favour = np.take_along_axis(decision, codes[:, None], axis=1)[:, 0]
        # exp(-margin) over its largest value, lest it overflow.
        return np.exp(in_favour.min() - in_favour)[:, None]

    def _probabilities(self, decision: np.ndarray) -> np.ndarray:
        if decision.shape[1] == 1:
            return super()._probabilities(decision)
        # What SAMME's loss aims at: after one round, one minus its error for the class it gives.
        return softmax(decision, axis=1)


class TemperedBooster(ReweightingBooster):
    """AdaBoost whose weights cannot grow for ever on rows that stay wrong."""

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        max_depth: int | None = None,
        hardness: Any = None,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.hardness = hardness
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def _tree_depth(self) -> int:
        if self.max_depth is None:  # a stump names two classes at most
            return 1 if len(self.classes_) == 2 else 2
        return super()._tree_depth()

    def _perfect(self, base: FittedBase, error: float, t: int) -> Iterator[Round]:
        yield base, compute_samme_weight(NO_ERROR, len(self.classes_)), error

    def _iterate_weights(
        self, X: np.ndarray, codes: np.ndarray, start: np.ndarray
    ) -> Iterator[np.ndarray]:
        distribution = self._distribution(start / start.sum(), codes)
        weights: np.ndarray | None = distribution.start
        for outputs, alpha in zip(self._staged_codes(X).T, self.estimator_weights_, strict=True):
            if weights is None:  # other rows than in fit: a class of theirs would be lost
                return
            yield weights
            weights = distribution.after(outputs, self._step(alpha))

    def _probabilities(self, decision: np.ndarray) -> np.ndarray:
        if decision.shape[1] > 1:
            return decision / self._reach()
        second = (1 + decision[:, 0] / self._reach()) / 2
        return np.column_stack([1 - second, second])


class CappedDistribution(Distribution):
    """A row's weight, before all are made to sum to one, never exceeds its start."""

    def __init__(self, start: np.ndarray, codes: np.ndarray) -> None:
        super().__init__(start, codes)
        self.logarithms = np.zeros(len(start))  # of the growth alone
        self.reach = 0.0

    def after(self, outputs: np.ndarray, step: float) -> np.ndarray:
        """The capped weights."""
        self._grow_weights(outputs, step)
        self.reach += step
        growth = np.minimum(self.logarithms - self.reach / 2, 0)
        weights = self.start * np.exp(growth - growth.max())  # lest all of them underflow
        return weights / weights.sum()


class MadaBoostClassifier(TemperedBooster):
    """MadaBoost: AdaBoost whose weights are capped at their start.

    Reach for it instead of AdaBoost when some labels are wrong at random. A row that stays wrong
    counts as much as a row not yet decided on, and no more; rows that are right lose weight as in
    AdaBoost. It gives nothing up, so that many wrong labels still win in the end, and helps little
    where wrong labels flow from one class to another. Costs O(T D n d) for T rounds of trees of
    depth D on n rows of d features, as AdaBoost.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; small compiled trees when not given.
    n_estimators : int, default=50
        Number of rounds at most; a base estimator no better than guessing is left out and ends
        them, one without error (counted as 1e-10) is kept and ends them, too.
    max_depth : int, optional
        Depth of the trees, at most 12; when not given, 1 (stumps) for two classes and 2 for more.
    hardness : "kdn", detector or callable, optional
        Start from weights that fall with the hardness of a row (:func:`selection_probabilities`):
        the fraction of disagreeing neighbours (scale the features), the ``suspicion_`` of any
        detector of errata, or ``hardness(X, y)``, in [0, 1]. All rows start with the same weight
        when not given.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (a negative average margin) when neither
        this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Seeds an ``estimator`` and a ``hardness`` that draw; the compiled trees do not.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        (1 - m) / 2, m being the margin averaged over all rounds: the last ones may have memorised
        even wrong labels. A score from 0 to 1, not a probability.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the class decided on for those, the label itself elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    start_weights_ : array of shape (n,)
        The distribution that boosting started from.
    n_estimators_ : int
        Number of rounds kept.
    estimator_weights_, estimator_errors_ : arrays of shape ``(n_estimators_,)``
        Weight of each base estimator in the decision (alpha; for two classes half of SAMME's, as
        in :class:`DiscreteAdaBoostClassifier`), and its weighted error (epsilon).

    Notes
    -----
    With w0 the start weights, a_t = log((1 - e) / e) + log(K - 1) for a weighted error e, and
    L_i the sum over rounds of a_t / 2 where the base estimator is wrong on row i and -a_t / 2 where
    it is right, the next weights are w0_i min(1, exp L_i), made to sum to one. The paper [1]_ has
    two classes; K > 2 by SAMME is ours. ``predict_proba`` gives the fractions of the votes.

    References
    ----------
    .. [1] Domingo and Watanabe. MadaBoost: a modification of AdaBoost. COLT 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.ensemble import MadaBoostClassifier
    >>> X = np.arange(10.0)[:, None]
    >>> y = [0, 0, 1, 0, 0, 1, 1, 1, 1, 1]                    # the third is wrong
    >>> booster = MadaBoostClassifier(n_estimators=5).fit(X, y)
    >>> weights = list(booster.staged_data_weights(X, y))
    >>> (weights[1] / weights[1].max()).round(2)              # wrong: as at the start, 1
    array([0.33, 0.33, 1.  , 0.33, 0.33, 0.33, 0.33, 0.33, 0.33, 0.33])
    >>> int(booster.suspicion_.argmax())
    2
    """

    def _distribution(self, start: np.ndarray, codes: np.ndarray) -> Distribution:
        return CappedDistribution(start, codes)


class AveBoostClassifier(TemperedBooster):
    """AveBoost2: each round's weights are the average of all that AdaBoost has proposed so far.

    The later a round, the less it moves the weights, so that wrong labels take long to gather any;
    the vote of a late round counts less by as much. Reach for it where labels are wrong at random
    and a few stumps do well on clean ones: elsewhere it is slow to learn, and below AdaBoost on the
    mean of ten sets with noise and without (``benchmarks/learning.py tempered``). With more than
    two classes the base estimator must be right on half the weight (see ``max_depth``). Costs
    O(T D n d) for T rounds of trees of depth D on n rows of d features, as AdaBoost.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; small compiled trees when not given.
    n_estimators : int, default=50
        Number of rounds at most; a base estimator that is wrong on half the weight is left
        out and ends them, one without error (counted as 1e-10) is kept and ends them, too.
    max_depth : int, optional
        Depth of the trees, at most 12; when not given, 1 (stumps) for two classes and 2 for more.
    hardness : "kdn", detector or callable, optional
        Start from weights that fall with the hardness of a row (:func:`selection_probabilities`):
        the fraction of disagreeing neighbours (scale the features), the ``suspicion_`` of any
        detector of errata, or ``hardness(X, y)``, in [0, 1]. All rows start with the same weight
        when not given.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 (a negative average margin) when neither
        this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Seeds an ``estimator`` and a ``hardness`` that draw; the compiled trees do not.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        (1 - m) / 2, m being the margin averaged over all rounds: the last ones may have memorised
        even wrong labels. A score from 0 to 1, not a probability.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the class decided on for those, the label itself elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    start_weights_ : array of shape (n,)
        The distribution that boosting started from.
    n_estimators_ : int
        Number of rounds kept.
    estimator_weights_, estimator_errors_ : arrays of shape ``(n_estimators_,)``
        Weight of each base estimator in the decision (alpha; for two classes half of SAMME's, as
        in :class:`DiscreteAdaBoostClassifier`), and its weighted error (epsilon).

    Notes
    -----
    With e the weighted error of round t (the first being 1), AdaBoost proposes v_i = w_i / (2 e)
    for wrong rows and w_i / (2 (1 - e)) for right ones, and the next weights are (t w + v) /
    (t + 1). The vote counts a_t = log((1 - e) / (e g)), g = (2 (1 - e) t + 1) / (2 e t + 1): just
    the logarithm of the factor by which wrong rows gain on right ones. So it is AdaBoost with
    smaller steps, and is computed as such. If the first base estimator is wrong on half the weight
    and still better than guessing, it stays alone, with a warning. ``predict_proba`` gives the
    fractions of the votes.

    References
    ----------
    .. [1] Oza. AveBoost2: boosting for noisy data. Multiple Classifier Systems, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from errata.ensemble import AveBoostClassifier, DiscreteAdaBoostClassifier
    >>> from errata.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> labels, flipped = flip_labels(y[:300], 0.3, random_state=0)
    >>> boosters = AveBoostClassifier(), DiscreteAdaBoostClassifier(n_estimators=50)
    >>> [round(b.fit(X[:300], labels).score(X[300:], y[300:]), 2) for b in boosters]
    [0.93, 0.87]
    """

    def _alpha(self, error: float, t: int) -> float:
        step = compute_averaged_step(error, t + 1)
        return step / 2 if len(self.classes_) == 2 else step

    def _largest_error(self) -> float:
        return 0.5


def compute_averaged_step(error: float, t: int) -> float:
    """Logarithm of the factor by which wrong rows gain on right ones in round t, from 1 on."""
    wrong = t + 1 / (2 * error)
    right = t + 1 / (2 * (1 - error))
    return float(np.log(wrong / right))


class DroppingDistribution(Distribution):
    """Rows whose weight exceeds ``cap`` times their start are dropped, for good."""

    def __init__(self, start: np.ndarray, codes: np.ndarray, cap: float) -> None:
        super().__init__(start, codes)
        self.cap = cap
        self.dropped = np.zeros(len(start), dtype=bool)

    def after(self, outputs: np.ndarray, step: float) -> np.ndarray | None:
        """The weights of what is left; None, and nothing is dropped, where a class would be."""
        weights = self._grow_weights(outputs, step)
        # Divided, as an infinite cap times a start of 0 would be no number.
        dropped = self.dropped | (weights / self.cap > self.start)
        weights = np.where(dropped, 0, weights)
        left, before = (np.bincount(self.codes, w) > 0 for w in (weights, self.start))
        if (before & ~left).any():
            return None
        self.dropped = dropped
        self.logarithms[dropped] = -np.inf
        return weights / weights.sum()


class ORBoostClassifier(TemperedBooster):
    """ORBoost: AdaBoost without the outliers that it finds on its way.

    Reach for it when a few labels are wrong: rows whose weight has grown to ``weight_cap`` times
    that of their start are dropped and never come back. Where classes overlap, honest rows near the
    border are dropped as well; choose ``weight_cap`` by validation, the more labels are wrong the
    smaller. Costs O(T D n d) for T rounds of trees of depth D on n rows of d features, as AdaBoost.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; small compiled trees when not given.
    n_estimators : int, default=50
        Number of rounds at most; a base estimator no better than guessing is left out and ends
        them, one without error (counted as 1e-10) is kept and ends them, too.
        They end as well when the last rows of a class would be dropped.
    weight_cap : float, default=10
        How many times its weight at the start a row may weigh, at least 1; infinity is AdaBoost.
    max_depth : int, optional
        Depth of the trees, at most 12; when not given, 1 (stumps) for two classes and 2 for more.
    hardness : "kdn", detector or callable, optional
        Start from weights that fall with the hardness of a row (:func:`selection_probabilities`):
        the fraction of disagreeing neighbours (scale the features), the ``suspicion_`` of any
        detector of errata, or ``hardness(X, y)``, in [0, 1]. All rows start with the same weight
        when not given.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; the dropped rows when neither this nor
        ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Seeds an ``estimator`` and a ``hardness`` that draw; the compiled trees do not.

    Attributes
    ----------
    dropped_ : array of bool of shape (n,)
        The rows that boosting went on without.
    suspicion_ : array of shape (n,)
        (1 - m) / 2, m being the margin averaged over all rounds: the last ones may have memorised
        even wrong labels. A score from 0 to 1, not a probability.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the class decided on for those, the label itself elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    start_weights_ : array of shape (n,)
        The distribution that boosting started from.
    n_estimators_ : int
        Number of rounds kept.
    estimator_weights_, estimator_errors_ : arrays of shape ``(n_estimators_,)``
        Weight of each base estimator in the decision (alpha; for two classes half of SAMME's, as
        in :class:`DiscreteAdaBoostClassifier`), and its weighted error (epsilon).

    Notes
    -----
    The steps are AdaBoost's (SAMME for more than two classes); after each, rows of weight w_i >
    ``weight_cap`` w0_i are dropped and the weights made to sum to one, w0 being those of the start:
    with the same weight for all n rows this is the paper's rule, w_i > ``weight_cap`` / n.
    ``predict_proba`` gives the fractions of the votes.

    References
    ----------
    .. [1] Karmaker and Kwek. A boosting approach to remove class label noise. International
       Journal of Hybrid Intelligent Systems 3, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.ensemble import ORBoostClassifier
    >>> X = np.arange(10.0)[:, None]
    >>> y = [0, 0, 1, 0, 0, 1, 1, 1, 1, 1]                    # the third is wrong
    >>> booster = ORBoostClassifier(weight_cap=4).fit(X, y)
    >>> np.flatnonzero(booster.dropped_), booster.suggested_[2], booster.predict(X[2:3])
    (array([2]), np.int64(0), array([0]))
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        weight_cap: float = 10.0,
        max_depth: int | None = None,
        hardness: Any = None,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            estimator,
            n_estimators=n_estimators,
            max_depth=max_depth,
            hardness=hardness,
            threshold=threshold,
            contamination=contamination,
            random_state=random_state,
        )
        self.weight_cap = weight_cap

    def _distribution(self, start: np.ndarray, codes: np.ndarray) -> DroppingDistribution:
        cap = check_fraction("weight_cap", self.weight_cap, low=1, high=np.inf)
        return DroppingDistribution(start, codes, cap)

    def _rounds(self, learner: BaseLearner, distribution: Any) -> Iterator[Round]:
        yield from super()._rounds(learner, distribution)
        self.dropped_ = np.zeros(len(self.start_weights_), dtype=bool)
        self.dropped_[self.start_weights_ > 0] = distribution.dropped

    def _conclude(
        self, suspicion: np.ndarray, codes: Any = None, suggested: Any = None, **rule: Any
    ) -> None:
        super()._conclude(suspicion, codes, suggested, **rule, native=self.dropped_.copy())
