"""LogitBoost and GentleBoost: Newton steps, each a weighted regression tree."""

from typing import Any

import numpy as np
from scipy.special import expit, softmax

from ..._validation import check_fraction
from ._base import (
    BaseLearner,
    BoostedClassifier,
    Steps,
    Term,
    boost_one_vs_rest,
    measure_agreement,
)


class LogitBoostClassifier(BoostedClassifier):
    """LogitBoost: additive logistic regression, gentler with wrong labels than AdaBoost.

    Each round fits a regression tree to the Newton step of the logistic loss, which grows linearly
    and not exponentially with how wrong a row is. For K classes every round fits K trees. Costs
    O(T D n d) for T rounds of trees of depth D on n rows of d features, times K for K > 2.

    Parameters
    ----------
    estimator : regressor with ``sample_weight``, optional
        The base estimator; small compiled trees when not given.
    n_estimators : int, default=300
        Number of rounds.
    max_depth : int, default=1
        Depth of the trees, at most 12; 1 are stumps.
    learning_rate : float, default=1
        Shrinks the contribution of each round.
    z_max : float, default=4
        Steps of single rows are cut to this size; between 2 and 4 by the authors' advice. It also
        takes the pull from rows that are hopelessly wrong: their weight vanishes, and the step no
        longer makes up for it. Without it (say 1e6) the loss falls faster and noise does more harm.
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
        (1 - m) / 2, m being the margin averaged over all rounds. A score from 0 to 1, not a
        probability.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the class decided on for those, the label itself elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    start_weights_ : array of shape (n,)
        The distribution that boosting started from.
    n_estimators_ : int
        Number of rounds.

    References
    ----------
    .. [1] Friedman, Hastie and Tibshirani. Additive logistic regression: a statistical view of
       boosting. Annals of Statistics 28, 2000.

    Examples
    --------
    >>> from errata.ensemble import LogitBoostClassifier
    >>> X = [[0], [1], [2], [3], [4], [5], [6], [7], [8], [9]]
    >>> y = [1, 1, 1, 0, 0, 0, 1, 1, 1, 0]
    >>> LogitBoostClassifier(n_estimators=1).fit(X, y).decision_function([[0], [9]]).round(6)
    array([ 1.      , -0.142857])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 300,
        max_depth: int = 1,
        learning_rate: float = 1.0,
        z_max: float = 4.0,
        hardness: Any = None,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.z_max = z_max
        self.hardness = hardness
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def _boost(self, learner: BaseLearner, codes: np.ndarray, weights: np.ndarray) -> list[Term]:
        rate = check_fraction("learning_rate", self.learning_rate, low=1e-6, high=10)
        z_max = check_fraction("z_max", self.z_max, low=1e-6, high=1e6)
        n_classes = len(self.classes_)
        directions = _make_class_directions(n_classes) * rate
        positive = codes == 1 if n_classes == 2 else codes[:, None] == np.arange(n_classes)
        positive = positive.reshape(len(codes), -1)
        decision = np.zeros(positive.shape)
        terms = []
        for t in range(self.n_estimators):
            p, rest = _split_class_and_rest(decision)
            curvature = _compute_curvature(p, rest)
            # (y - p) / (p (1 - p)), written so that nothing underflows.
            with np.errstate(divide="ignore", over="ignore"):
                step = np.where(positive, 1 / p, -1 / rest).clip(-z_max, z_max)
            for k, direction in enumerate(directions):
                base = learner.regress(step[:, k], weights * curvature[:, k])
                terms.append(base.as_term(direction[None], t))
                decision += base.outputs[:, None] * direction
        return terms

    def _weigh(self, decision: np.ndarray, codes: np.ndarray, stage: int) -> np.ndarray:
        return _compute_curvature(*_split_class_and_rest(decision))

    def _probabilities(self, decision: np.ndarray) -> np.ndarray:
        p, rest = _split_class_and_rest(decision)
        return p if p.shape[1] > 1 else np.column_stack([rest[:, 0], p[:, 0]])


def _make_class_directions(n_classes: int) -> np.ndarray:
    """The direction in which the tree of each class moves the decision; they sum to zero."""
    if n_classes == 2:
        return np.array([[0.5]])  # the decision is half the log-odds
    # Algorithm 6 of the paper: F_j += (K - 1) / K (f_j - mean of all f).
    centred = np.eye(n_classes) - 1 / n_classes
    return (n_classes - 1) / n_classes * centred


def _split_class_and_rest(decision: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each class and of all others; 1 - p would lose its digits where a row is almost sure."""
    if decision.shape[1] == 1:
        return expit(2 * decision), expit(-2 * decision)
    p = softmax(decision, axis=1)
    return p, p @ (1 - np.eye(p.shape[1]))


def _compute_curvature(p: np.ndarray, rest: np.ndarray) -> np.ndarray:
    # The floor of the paper: rows that are almost sure keep a weight that can be divided by.
    return np.maximum(p * rest, 2 * np.finfo(float).eps)


class GentleBoostClassifier(BoostedClassifier):
    """GentleBoost: each round adds the weighted mean label of a leaf, a number between -1 and 1.

    It lowers AdaBoost's exponential loss by steps that stay small where AdaBoost's explode, and is
    a little less harmed by wrong labels. More than two classes are boosted one against the rest,
    an extension of the paper. Costs O(T D n d) for T rounds of trees of depth D on n rows of d
    features, times K for K > 2 classes.

    Parameters
    ----------
    estimator : regressor with ``sample_weight``, optional
        The base estimator; small compiled trees when not given.
    n_estimators : int, default=300
        Number of rounds.
    max_depth : int, default=1
        Depth of the trees, at most 12; 1 are stumps.
    learning_rate : float, default=1
        Shrinks the contribution of each round.
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
        (1 - m) / 2, m being the margin averaged over all rounds. A score from 0 to 1, not a
        probability.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the class decided on for those, the label itself elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.
    start_weights_ : array of shape (n,)
        The distribution that boosting started from.
    n_estimators_ : int
        Number of rounds.

    References
    ----------
    .. [1] Friedman, Hastie and Tibshirani. Additive logistic regression: a statistical view of
       boosting. Annals of Statistics 28, 2000.

    Examples
    --------
    >>> from errata.ensemble import GentleBoostClassifier
    >>> X = [[0], [1], [2], [3], [4], [5], [6], [7], [8], [9]]
    >>> y = [1, 1, 1, 0, 0, 0, 1, 1, 1, 0]
    >>> GentleBoostClassifier(n_estimators=1).fit(X, y).decision_function([[0], [9]]).round(6)
    array([ 1.      , -0.142857])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 300,
        max_depth: int = 1,
        learning_rate: float = 1.0,
        hardness: Any = None,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.hardness = hardness
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def _boost(self, learner: BaseLearner, codes: np.ndarray, weights: np.ndarray) -> list[Term]:
        rate = check_fraction("learning_rate", self.learning_rate, low=1e-6, high=10)

        def boost(y: np.ndarray) -> Steps:
            logarithms = np.log(weights)
            steps: Steps = []
            for _ in range(self.n_estimators):
                # Less the largest, or the weights of hopeless rows overflow after many rounds.
                distribution = np.exp(logarithms - logarithms.max())
                # A leaf's mean of y is P(+1) - P(-1). (Martinez and Gray print half a logarithm in
                # front of it, equation 6, which negative differences do not have.)
                base = learner.regress(y, distribution / distribution.sum())
                steps.append((base, np.array([rate])))
                logarithms = logarithms - rate * y * base.outputs
            return steps

        return boost_one_vs_rest(boost, codes, len(self.classes_))

    def _weigh(self, decision: np.ndarray, codes: np.ndarray, stage: int) -> np.ndarray:
        agreement = measure_agreement(decision, codes)
        return np.exp(agreement.min(axis=0) - agreement)
