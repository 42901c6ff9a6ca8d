"""AdaBoost with base classifiers, for two classes and more (SAMME)."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy.special import softmax

from ..._kernels import kernels
from ..._validation import check_choice, check_fraction
from ..._warn import warn_user
from ._base import BoostedClassifier
from ._base_learners import BaseLearner, constant_base
from ._decision import FittedBase, Term, advantage

PERFECT = 1e-12  # an error this small is none


class AdaBoostRound(NamedTuple):
    """A base estimator, its weight in the decision (alpha) and weighted error (epsilon)."""

    base: FittedBase
    alpha: float
    error: float


class DiscreteAdaBoostClassifier(BoostedClassifier):
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
    estimator_weights_, estimator_errors_ : arrays of shape (n_estimators_,)
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
        n_classes = len(self.classes_)
        rounds = list(self._rounds(learner, codes, weights))
        if not rounds:
            warn_user(
                "The first base estimator is no better than guessing; "
                "predicting the commonest class.",
            )
            counts = np.bincount(codes, weights, n_classes)
            commonest = constant_base(int(counts.argmax()), codes)
            rounds = [AdaBoostRound(commonest, 1.0, 1 - float(counts.max()))]
        self.estimator_weights_ = np.array([alpha for _, alpha, _ in rounds])
        self.estimator_errors_ = np.array([error for _, _, error in rounds])
        # Two classes need one column, in which they pull against each other.
        table = np.array([[-1.0], [1.0]]) if n_classes == 2 else np.eye(n_classes)
        return [Term(r.base.estimator, r.alpha * table, t, r.alpha) for t, r in enumerate(rounds)]

    def _rounds(
        self, learner: BaseLearner, codes: np.ndarray, weights: np.ndarray
    ) -> Iterator[AdaBoostRound]:
        rate = check_fraction("learning_rate", self.learning_rate, low=1e-6, high=10)
        n_classes = len(self.classes_)
        # Weights are kept as logarithms: products over hundreds of rounds overflow.
        twin, logarithms = kernels("trees"), np.log(weights)
        for t in range(self.n_estimators):
            base = learner.classify(codes, n_classes, weights)
            error = twin.misfit(base.outputs, codes, weights)
            # Up to rounding: a digit below guessing, alphas of nearly 0 would fill all rounds.
            if error >= (1 - 1 / n_classes) * (1 - PERFECT):
                return
            if error <= PERFECT:
                if self.on_perfect == "keep":
                    yield AdaBoostRound(base, rate * samme_weight(PERFECT, n_classes), error)
                elif t == 0:  # the printed rule would leave an ensemble of nobody
                    yield AdaBoostRound(base, 1.0, error)
                return
            alpha = rate * samme_weight(error, n_classes)
            yield AdaBoostRound(base, alpha, error)
            # With two classes alpha is half of SAMME's, and right rows lose what wrong ones gain.
            step = 2 * alpha if n_classes == 2 else alpha
            weights = twin.reweigh(logarithms, base.outputs, codes, step)

    def _weigh(self, decision: np.ndarray, codes: np.ndarray, stage: int) -> np.ndarray:
        if decision.shape[1] == 1:
            in_favour = advantage(decision, codes)
        else:
            in_favour = np.take_along_axis(decision, codes[:, None], axis=1)[:, 0]
        # exp(-margin) over its largest value, lest it overflow.
        return np.exp(in_favour.min() - in_favour)[:, None]

    def _probabilities(self, decision: np.ndarray) -> np.ndarray:
        if decision.shape[1] == 1:
            return super()._probabilities(decision)
        # What SAMME's loss aims at: after one round, one minus its error for the class it gives.
        return softmax(decision, axis=1)


def samme_weight(error: float, n_classes: int) -> float:
    """alpha: the weight of a base estimator with this weighted error in the decision."""
    odds = np.log((1 - error) / error)
    return float(0.5 * odds if n_classes == 2 else odds + np.log(n_classes - 1))
