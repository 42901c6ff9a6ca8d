"""AdaBoost, and the loop of its relatives: fit, weigh by the error, give wrong rows more weight."""

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
