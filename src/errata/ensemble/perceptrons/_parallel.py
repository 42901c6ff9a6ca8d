"""Parallel perceptrons: a vote of those that learn to keep a margin, for classes and numbers."""

from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_consistent_length, check_random_state

from ..._detector import DetectorMixin
from ..._kernels import kernels
from ..._validation import (
    check_count,
    check_data,
    check_fraction,
    check_known_labels,
    check_labelled,
    check_row_weights,
    check_rows,
)

CATEGORIES = np.array(["borderline", "safe", "noisy"])  # by code: 0, 1 and -1
NOISY = expit(1.0)  # suspicion of a row as far against its label as the margin


class ParallelPerceptronClassifier(DetectorMixin, ClassifierMixin, BaseEstimator):
    """A vote of a few perceptrons, trained by batches, that knows which rows it is sure of.

    Each perceptron that is wrong about a wrongly classified row is moved towards it; each that is
    right by less than the margin is moved to be more so, and the margin adapts. Rows on which most
    perceptrons clear the margin are safe or, against their label, noisy. More than two classes are
    learnt one against the rest. Scale the features first. Costs O(epochs n H d) for H perceptrons,
    in compiled code.

    Parameters
    ----------
    n_perceptrons : int, default=3
        An odd number.
    learning_rate : float, default=0.001
        Length of a step; it shrinks by a tenth whenever the error rises.
    margin : float, default=0.05
        The margin to start from.
    max_iter : int, default=250
        Number of epochs; there is no early stop.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.731, which noisy rows exceed, when neither this
        nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Draws the weights to start from.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_perceptrons, d) and (n_perceptrons,)
        The perceptrons, each of length one with its intercept; for K > 2 classes, K such arrays.
    margin_ : float, or array of shape (n_classes,) for more than two classes
        The margin learnt.
    loss_curve_ : array of shape (max_iter,), or (n_classes, max_iter)
        Four times the weighted error before each epoch.
    n_iter_ : int
        Number of epochs.
    activations_ : array of shape (n, n_perceptrons)
        How far each perceptron is on the side of the row's label.
    category_ : array of str of shape (n,)
        "safe", "borderline" or "noisy".
    suspicion_ : array of shape (n,)
        1 / (1 + exp(m / margin)), m being the median of the row's activations. A score in (0, 1),
        not a probability.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the best other class for those, the label itself elsewhere.
    classes_ : array of shape (n_classes,)
        The distinct labels.

    References
    ----------
    .. [1] Auer, Burgsteiner and Maass. Reducing communication for distributed learning in neural
       networks. ICANN 2002.
    .. [2] Cantador and Dorronsoro. Boosting parallel perceptrons for label noise reduction in
       classification problems. IWINAC 2005.

    Examples
    --------
    >>> from errata.datasets import make_twonorm
    >>> from errata.ensemble import ParallelPerceptronClassifier
    >>> X, y = make_twonorm(300, random_state=0)
    >>> model = ParallelPerceptronClassifier(random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.95, float((model.category_ == "safe").mean()) > 0.7
    (True, True)
    """

    def __init__(
        self,
        n_perceptrons: int = 3,
        *,
        learning_rate: float = 1e-3,
        margin: float = 0.05,
        max_iter: int = 250,
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_perceptrons = n_perceptrons
        self.learning_rate = learning_rate
        self.margin = margin
        self.max_iter = max_iter
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the labels ``y`` and sort the rows into categories."""
        X, codes = check_labelled(self, X, y, min_classes=2, dtype=float, order="C")
        return self._fit_codes(
            X, codes, check_row_weights("sample_weight", sample_weight, len(codes))
        )

    def _fit_codes(
        self, X: np.ndarray, codes: np.ndarray, sample_weight: np.ndarray | None = None
    ) -> Self:
        """Learn rows and labels that have passed the checks; ``classes_`` is set."""
        weights = np.ones(len(codes)) if sample_weight is None else sample_weight
        self._check_parameters()
        self._train(X, codes, weights)
        self.n_iter_ = self.max_iter
        self.activations_ = self._agreement(X, codes)
        margins = self._relative_margins(X, codes)
        self.category_ = CATEGORIES[categorise(margins)]
        self._conclude(expit(-margins), codes, self._best_other(X, codes), native=NOISY)
        return self

    def _check_parameters(self) -> None:
        check_parameters(self)
        if self.n_perceptrons % 2 == 0:
            raise ValueError(
                f"n_perceptrons={self.n_perceptrons} could vote in a tie; pass an odd number."
            )

    def _train(self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> None:
        """Learn each class against the rest; with two, the second against the first."""
        start = draw_start(self, X.shape[1], check_random_state(self.random_state))
        positives = range(len(self.classes_)) if len(self.classes_) > 2 else [1]
        # Vote and target are -1 or 1: the error is 0 or 2, so any tolerance below 2 would do.
        fits = [
            train(self, X, np.where(codes == k, 1.0, -1.0), weights, start, rho=0, epsilon=0.5)
            for k in positives
        ]
        self._coefficients, self._margins, losses = map(np.array, zip(*fits, strict=True))
        of_class = 0 if len(fits) == 1 else slice(None)
        coefficients = self._coefficients[of_class]
        self.coef_ = coefficients[..., :-1]
        self.intercept_ = coefficients[..., -1]
        self.margin_ = self._margins[of_class]
        self.loss_curve_ = losses[of_class]

    def decision_function(self, X: Any) -> np.ndarray:
        """Votes for each class less votes against it, (n, K); for two classes, the second's (n,).

        The activations of the perceptrons add less than one vote, to tell equals apart.
        """
        scores = self._scores(self._check_rows(X))
        return scores[:, 1] if scores.shape[1] == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The class that most perceptrons vote for; of equals, that of the larger activations."""
        X = self._check_rows(X)
        return self.classes_[self._decide(X)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The decision, scaled to sum to one; good for ranking, not probabilities."""
        scores = self._scores(self._check_rows(X))
        positive = scores + self.n_perceptrons + 0.5  # all votes against and half a one: 0
        return positive / positive.sum(axis=1, keepdims=True)

    def activation_margins(self, X: Any, y: Any) -> np.ndarray:
        """Median activation in favour of the labels ``y``, over the margin learnt.

        Above 1 a majority of the perceptrons clears the margin, and the row is safe; below -1 they
        do so against the label, and it is noisy.
        """
        X = self._check_rows(X)
        codes = check_known_labels(y, self.classes_)
        check_consistent_length(X, codes)
        return self._relative_margins(X, codes)

    def _activations(self, X: np.ndarray) -> np.ndarray:
        """Of each perceptron for each class: (n, class, perceptron)."""
        return np.einsum("nd,mhd->nmh", np.column_stack([X, np.ones(len(X))]), self._coefficients)

    def _agreement(self, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Activations of the perceptrons for the label, positive if in favour of it."""
        activations = self._activations(X)
        if activations.shape[1] == 1:
            return activations[:, 0] * np.where(codes == 1, 1.0, -1.0)[:, None]
        return activations[np.arange(len(codes)), codes]

    def _relative_margins(self, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Median activation over the margin: above 1 where a majority clears it."""
        # As their number is odd, the median clears the margin where a majority does. (The paper
        # prints |H/2| for the majority, and means the ceiling.)
        margin = self._margins[0] if len(self._margins) == 1 else self._margins[codes]
        return np.median(self._agreement(X, codes), axis=1) / margin

    def _scores(self, X: np.ndarray) -> np.ndarray:
        """Votes for each class, ties broken by the activations: (n, K)."""
        activations = self._activations(X)
        votes = np.where(activations > 0, 1.0, -1.0).sum(axis=2)  # zero is against, as in training
        scores = votes + expit(activations.sum(axis=2)) - 0.5  # half a vote at most
        return np.column_stack([-scores, scores]) if scores.shape[1] == 1 else scores

    def _decide(self, X: np.ndarray) -> np.ndarray:
        return self._scores(X).argmax(axis=1)

    def _best_other(self, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
        scores = self._scores(X)
        scores[np.arange(len(codes)), codes] = -np.inf
        return scores.argmax(axis=1)

    def _check_rows(self, X: Any) -> np.ndarray:
        return check_rows(self, X, dtype=float)


def categorise(relative_margins: np.ndarray) -> np.ndarray:
    """1 for safe rows, -1 for noisy ones, 0 for those on the border."""
    return np.where(relative_margins > 1, 1, np.where(relative_margins < -1, -1, 0))


class ParallelPerceptronRegressor(RegressorMixin, BaseEstimator):
    """A vote of perceptrons that approximates a function (the p-delta rule).

    The fraction of perceptrons that vote 1 is the output, scaled to the range of the target: with H
    perceptrons it takes H + 1 values. A simple model: on most tables it does not beat linear
    regression, but it can follow a curve. Scale the features first. Costs O(epochs n H d), in
    compiled code.

    Parameters
    ----------
    n_perceptrons : int, default=101
        More give a finer output.
    epsilon : float, default=0.05
        Errors up to here cost nothing, as in the epsilon-insensitive loss; as a fraction of the
        half range of the target.
    learning_rate : float, default=0.03
        Length of a step, divided by the number of perceptrons; it shrinks by a tenth whenever the
        error rises.
    margin : float, default=0.05
        The margin to start from.
    max_iter : int, default=500
        Number of epochs.
    random_state : int, RandomState or None, default=None
        Draws the weights to start from.

    Attributes
    ----------
    coef_, intercept_ : arrays of shape (n_perceptrons, d) and (n_perceptrons,)
        The perceptrons, each of length one with its intercept.
    margin_ : float
        The margin learnt.
    loss_curve_ : array of shape (max_iter,)
        Mean squared error of the rows beyond epsilon before each epoch, in half ranges.
    n_iter_ : int
        Number of epochs.

    References
    ----------
    .. [1] Auer, Burgsteiner and Maass. A learning rule for very simple universal approximators
       consisting of a single layer of perceptrons. Neural Networks 21, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.ensemble import ParallelPerceptronRegressor
    >>> X = np.linspace(-1, 1, 100)[:, None]
    >>> model = ParallelPerceptronRegressor(random_state=0).fit(X, X[:, 0] ** 2)
    >>> model.score(X, X[:, 0] ** 2) > 0.6
    True
    """

    def __init__(
        self,
        n_perceptrons: int = 101,
        *,
        epsilon: float = 0.05,
        learning_rate: float = 0.03,
        margin: float = 0.05,
        max_iter: int = 500,
        random_state: Any = None,
    ) -> None:
        self.n_perceptrons = n_perceptrons
        self.epsilon = epsilon
        self.learning_rate = learning_rate
        self.margin = margin
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Approximate the targets ``y``."""
        X, y = check_data(self, X, y, dtype=float, order="C", y_numeric=True)
        weights = check_row_weights("sample_weight", sample_weight, len(y))
        check_parameters(self)
        epsilon = check_fraction("epsilon", self.epsilon)
        # Rows of no weight must not stretch the range that the output is scaled to.
        X = X[weights > 0]
        y = y[weights > 0]
        weights = weights[weights > 0]
        self._middle = (y.max() + y.min()) / 2
        half = (y.max() - y.min()) / 2
        self._half = half or 1.0  # a constant target has no range to divide by
        targets = (y - self._middle) / self._half
        start = draw_start(self, X.shape[1], check_random_state(self.random_state))
        coefficients, self.margin_, self.loss_curve_ = train(
            self, X, targets, weights, start, rho=self.n_perceptrons, epsilon=epsilon
        )
        self.coef_ = coefficients[:, :-1]
        self.intercept_ = coefficients[:, -1]
        self.n_iter_ = self.max_iter
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The vote, scaled to the range of the target."""
        X = check_rows(self, X, dtype=float)
        votes = np.where(X @ self.coef_.T + self.intercept_ > 0, 1.0, -1.0).mean(axis=1)
        return self._middle + self._half * votes


def check_parameters(model: Any) -> None:
    """Check what classifier and regressor have in common."""
    check_count("n_perceptrons", model.n_perceptrons)
    check_count("max_iter", model.max_iter)
    # Bounds that stop slips (zero, a sign, infinity) and no choice that anybody would make.
    check_fraction("learning_rate", model.learning_rate, low=1e-12, high=1e6)
    check_fraction("margin", model.margin, low=1e-12, high=1e6)


def draw_start(model: Any, n_features: int, random: np.random.RandomState) -> np.ndarray:
    """Perceptrons to start from, and others to replace those that vanish; all of length one."""
    draws = random.normal(size=(2, model.n_perceptrons, n_features + 1))
    return draws / np.linalg.norm(draws, axis=2, keepdims=True)


def train(
    model: Any,
    X: np.ndarray,
    targets: np.ndarray,
    weights: np.ndarray,
    start: np.ndarray,
    *,
    rho: int,
    epsilon: float,
) -> tuple[np.ndarray, float, np.ndarray]:
    """Coefficients (perceptron, feature and intercept), the margin learnt and the losses.

    ``rho`` is 0 for classes, where the sign of the vote counts, and the number of perceptrons for
    numbers, where the vote is divided by it.
    """
    X = np.column_stack([X, np.ones(len(X))])
    coefficients, margin, losses = kernels("perceptrons").train_parallel(
        X,
        targets,
        weights,
        start[0],
        float(model.margin),
        model.learning_rate / (rho or 1),
        model.max_iter,
        rho,
        epsilon,
        # For numbers all perceptrons keep the margin (Auer et al.), for classes only those that
        # vote for the label (Cantador and Dorronsoro).
        rho > 0,
        start[1],
    )
    return coefficients, float(margin), losses
