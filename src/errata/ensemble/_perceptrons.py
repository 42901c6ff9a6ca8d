"""Parallel perceptrons: a vote of those that learn to keep a margin, for classes and numbers.

Boosting turned round: keep the safe rows, let go of the noisy ones (Cantador and Dorronsoro).
"""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.metadata_routing import MetadataRouter

from .._detector import DetectorMixin, find_best_other
from .._kernels import kernels
from .._random import clone_with_seed
from .._routing import make_router, route_fit, take_params_of_rows
from .._validation import (
    check_choice,
    check_count,
    check_data,
    check_fraction,
    check_known_labels,
    check_labelled,
    check_row_weights,
    check_rows,
    fit_to_codes,
)
from .._warn import warn_user
from ._bagging import draw_bags, draw_by_weight, is_one_class, takes_missing
from .boosting._adaboost import compute_samme_weight

UPDATES = ("batch", "online")
ORDERS = 16  # permutations that epochs of online training take in turn
CATEGORIES = np.array(["borderline", "safe", "noisy"])  # by code: 0, 1 and -1
NOISY = expit(1.0)  # suspicion of a row as far against its label as the margin

RESTARTS = 5  # fits from other random starts to get a base estimator better than guessing


# A base estimator, its weight, and the margins of the training rows: above 1 safe, below -1 noisy
Round = tuple[Any, float, np.ndarray]


class ParallelPerceptronClassifier(DetectorMixin, ClassifierMixin, BaseEstimator):
    """A vote of a few perceptrons that knows which rows it is sure of.

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
    update : {"batch", "online"}, default="batch"
        Move once an epoch by the sum over all rows, or with every row, in an order that is drawn.
        Batches do not depend on the order of the rows, and a boosted vote is made of them [2]_.
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
        update: str = "batch",
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_perceptrons = n_perceptrons
        self.learning_rate = learning_rate
        self.margin = margin
        self.max_iter = max_iter
        self.update = update
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
        other = find_best_other(self._scores(X), codes)
        self._conclude(expit(-margins), codes, other, native=NOISY)
        return self

    def _check_parameters(self) -> None:
        check_parameters(self)
        check_choice("update", self.update, UPDATES)
        if self.n_perceptrons % 2 == 0:
            raise ValueError(
                f"n_perceptrons={self.n_perceptrons} could vote in a tie; pass an odd number."
            )

    def _train(self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> None:
        """Learn each class against the rest; with two, the second against the first."""
        random = check_random_state(self.random_state)
        start = draw_start(self, X.shape[1], random)
        orders = None
        if self.update == "online":
            orders = np.array([random.permutation(len(X)) for _ in range(ORDERS)])
        positives = range(len(self.classes_)) if len(self.classes_) > 2 else [1]
        # Vote and target are -1 or 1: the error is 0 or 2, so any tolerance below 2 would do.
        fits = [
            train(
                self,
                X,
                np.where(codes == k, 1.0, -1.0),
                weights,
                start,
                rho=0,
                epsilon=0.5,
                orders=orders,
            )
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
    orders: np.ndarray | None = None,
) -> tuple[np.ndarray, float, np.ndarray]:
    """Coefficients (perceptron, feature and intercept), the margin learnt and the losses.

    ``rho`` is 0 for classes, where the sign of the vote counts, and the number of perceptrons for
    numbers, where the vote is divided by it. With ``orders`` of the rows, training is online.
    """
    X = np.column_stack([X, np.ones(len(X))])
    loops = kernels("perceptrons")
    arguments = (
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
    if orders is None:
        coefficients, margin, losses = loops.train_parallel(*arguments)
    else:
        coefficients, margin, losses = loops.train_parallel_online(*arguments, orders)
    return coefficients, float(margin), losses


class NoiseReducingBoostClassifier(DetectorMixin, ClassifierMixin, BaseEstimator):
    """NR boosting: rows that a base estimator is safely right about gain weight, noisy lose it.

    Where AdaBoost turns to the rows that base estimators get wrong, this booster turns away from
    those that they are clearly against, and leaves the ones near the border alone. So it stays with
    what most rows say, and hardly minds wrong labels; on clean and difficult rows ordinary boosting
    is better. With several classes base estimators learn one against the rest, which a vote of a
    few hyperplanes may not manage; two classes are its field. Costs ``n_estimators`` fits of the
    base estimator.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The base estimator; a :class:`ParallelPerceptronClassifier` when not given. "nr" needs one
        with a method ``activation_margins(X, y)``: above 1 for safe rows, below -1 for noisy ones.
    n_estimators : int, default=10
        Number of base estimators, unless boosting stops before.
    mode : {"nr", "adaboost", "bagging"}, default="nr"
        NR boosting; ordinary boosting; or base estimators fitted to bootstrap samples whose votes
        count the same: the rivals in the paper.
    sampling : {"weights", "resample"}, default="weights"
        Whether base estimators get the weights of the rows, or rows drawn by their weights, two
        classes at least among them; boosting stops when a single class has all the weight.
    collapse : {"stop", "clip"}, default="stop"
        After some rounds all weight may lie on rows that are easily right, and a base estimator
        without error would decide alone. Stop before it, or go on as if its error were ``1 / (2
        n)``.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.731, that of rows as far on the wrong side as
        the margin, when neither this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Seeds the base estimators and draws rows.

    Attributes
    ----------
    estimators_ : list of classifiers
        The fitted base estimators; they predict positions in ``classes_``.
    estimator_weights_ : array of shape ``(n_estimators_,)``
        Weight of each vote (alpha).
    suspicion_ : array of shape (n,)
        Weighted mean over the base estimators of 1 / (1 + exp(m)), m being the margin; for those
        without margins, weighted fraction of the wrong ones. A score from 0 to 1.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the best other class for those, the label itself elsewhere.
    final_distribution_ : array of shape (n,)
        Weights of the rows after the last round.
    category_history_ : array of shape ``(n_estimators_, n)``
        1 for safe, 0 for borderline, -1 for noisy rows, by each base estimator.
    classes_ : array of shape (n_classes,)
        The distinct labels.

    References
    ----------
    .. [1] Cantador and Dorronsoro. Boosting parallel perceptrons for label noise reduction in
       classification problems. IWINAC 2005.

    Examples
    --------
    >>> from errata.datasets import make_twonorm
    >>> from errata.ensemble import NoiseReducingBoostClassifier
    >>> from errata.noise import flip_labels
    >>> X, y = make_twonorm(600, random_state=0)
    >>> noisy, _ = flip_labels(y[:300], 0.2, random_state=0)
    >>> def accuracy(mode):
    ...     model = NoiseReducingBoostClassifier(mode=mode, random_state=0)
    ...     return model.fit(X[:300], noisy).score(X[300:], y[300:])
    >>> accuracy("nr") > accuracy("adaboost") + 0.1
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        mode: str = "nr",
        sampling: str = "weights",
        collapse: str = "stop",
        threshold: float | None = None,
        contamination: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.mode = mode
        self.sampling = sampling
        self.collapse = collapse
        self.threshold = threshold
        self.contamination = contamination
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Boost on the labels ``y``; ``sample_weight`` is the distribution to start from.

        ``fit_params`` is metadata for ``estimator``, if metadata routing is enabled.
        """
        X, codes = check_labelled(self, X, y, min_classes=2, dtype=float, order="C")
        weights = check_row_weights("sample_weight", sample_weight, len(codes))
        return self._fit_codes(X, codes, weights, route_fit(self, fit_params))

    def _fit_codes(
        self,
        X: np.ndarray,
        codes: np.ndarray,
        sample_weight: np.ndarray | None = None,
        fit_params: dict[str, Any] | None = None,
    ) -> Self:
        """Boost on rows and labels that have passed the checks; ``classes_`` is set."""
        weights = np.ones(len(codes)) if sample_weight is None else sample_weight
        self._check_parameters()
        self.final_distribution_ = weights / weights.sum()
        if self.mode == "bagging" or self.sampling == "resample":
            self._check_classes_to_draw(codes[self.final_distribution_ > 0])
        run = self._bag if self.mode == "bagging" else self._boost
        rounds = run(X, codes, fit_params or {}, check_random_state(self.random_state))
        estimators, alphas, found = zip(*rounds, strict=True)
        self.estimators_ = list(estimators)
        self.estimator_weights_ = np.array(alphas)
        margins = np.array(found)
        self.category_history_ = categorise(margins)
        self._judge(X, codes, expit(-margins))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Fractions of the weighted votes: (n, K), or their difference (n,) for two classes."""
        fractions = self._vote_fractions(check_rows(self, X, dtype=float))
        return fractions[:, 1] - fractions[:, 0] if fractions.shape[1] == 2 else fractions

    def predict(self, X: Any) -> np.ndarray:
        """The class with most of the weighted votes."""
        fractions = self._vote_fractions(check_rows(self, X, dtype=float))
        return self.classes_[fractions.argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Fraction of the weighted votes for each class; not probabilities."""
        return self._vote_fractions(check_rows(self, X, dtype=float))

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata ``fit`` takes, and which it hands to ``estimator``."""
        return make_router(self, estimator=self._base())

    def __sklearn_tags__(self) -> Any:
        """Declare that missing values are accepted where the base estimator accepts them."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = takes_missing(self._base())
        return tags

    def _base(self) -> Any:
        return ParallelPerceptronClassifier() if self.estimator is None else self.estimator

    def _check_parameters(self) -> None:
        check_count("n_estimators", self.n_estimators)
        check_choice("mode", self.mode, ("nr", "adaboost", "bagging"))
        check_choice("sampling", self.sampling, ("weights", "resample"))
        check_choice("collapse", self.collapse, ("stop", "clip"))
        if self.mode == "nr" and not hasattr(self._base(), "activation_margins"):
            raise ValueError(
                "mode='nr' asks base estimators which rows are noisy, and "
                f"{type(self.estimator).__name__} has no method activation_margins(X, y); "
                "pass another estimator or mode."
            )

    def _check_classes_to_draw(self, codes: np.ndarray) -> None:
        if is_one_class(codes):
            raise ValueError(
                f"sample_weight leaves rows of one class only ({self.classes_[codes[0]]}), and a "
                "bag is to hold at least two; give rows of another class a weight above zero."
            )

    def _bag(
        self, X: np.ndarray, codes: np.ndarray, fit_params: dict[str, Any], random: Any
    ) -> Iterator[Round]:
        for _ in range(self.n_estimators):
            fitted = self._fit_bag(X, codes, fit_params, self.final_distribution_, random)
            yield fitted, 1.0, self._measure_margins(fitted, X, codes)

    def _boost(
        self, X: np.ndarray, codes: np.ndarray, fit_params: dict[str, Any], random: Any
    ) -> Iterator[Round]:
        # The paper does not say what to do as errors vanish. Half a row of the start is the rule
        # that came nearest to its accuracies, if not by much.
        n_classes = len(self.classes_)
        least_error = 1 / (2 * len(codes))
        for t in range(self.n_estimators):
            weights = self.final_distribution_
            if self.sampling == "resample" and is_one_class(codes[weights > 0]):
                return  # the others have lost all weight, down to the last digit
            for _ in range(RESTARTS):
                fitted = self._fit_base(X, codes, fit_params, weights, random)
                wrong = _predict_codes(fitted, X) != codes
                error = float(weights[wrong].sum())
                if error < 1 - 1 / n_classes:
                    break
            margins = self._measure_margins(fitted, X, codes)
            guesses = error >= 1 - 1 / n_classes
            if guesses or (error < least_error and self.collapse == "stop"):
                if t == 0:  # kept all the same, or nobody could predict
                    if guesses:
                        warn_user(
                            "No base estimator is better than guessing; keeping one that is not."
                        )
                    yield fitted, 1.0, margins
                return
            alpha = compute_samme_weight(max(error, least_error), n_classes)
            yield fitted, alpha, margins
            if self.mode == "nr":
                # The paper's -R(X) y h(X): R is -1 for safe and noisy rows, 0 for borderline ones.
                exponents = alpha * categorise(margins)
            else:
                # SAMME raises the wrong rows; with two classes alpha is half, and right ones fall.
                exponents = alpha * np.where(wrong, 1.0, -1.0 if n_classes == 2 else 0.0)
            weights = weights * np.exp(exponents)
            self.final_distribution_ = weights / weights.sum()

    def _fit_base(
        self,
        X: np.ndarray,
        codes: np.ndarray,
        fit_params: dict[str, Any],
        weights: np.ndarray,
        random: Any,
    ) -> Any:
        if self.sampling == "resample":
            return self._fit_bag(X, codes, fit_params, weights, random)
        fresh = clone_with_seed(self._base(), random)
        weights = weights * len(weights)  # one on average, which steps and leaf sizes take as given
        return fit_to_codes(fresh, X, codes, sample_weight=weights, **fit_params)

    def _fit_bag(
        self,
        X: np.ndarray,
        codes: np.ndarray,
        fit_params: dict[str, Any],
        weights: np.ndarray,
        random: Any,
    ) -> Any:
        """A base estimator fitted to rows drawn by weight, at least two classes among them."""
        draw = draw_by_weight(weights, random)
        n = len(weights)
        (bag,) = draw_bags(draw, (1, n), weights, codes, random)
        fresh = clone_with_seed(self._base(), random)
        return fit_to_codes(fresh, X[bag], codes[bag], **take_params_of_rows(fit_params, n, bag))

    def _measure_margins(self, fitted: Any, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
        if not hasattr(fitted, "activation_margins") or len(fitted.classes_) < len(self.classes_):
            # Without margins, or where a bag lacked a class, all rows are taken as beyond it.
            return np.where(_predict_codes(fitted, X) != codes, -np.inf, np.inf)
        if type(fitted) is ParallelPerceptronClassifier:
            return fitted._relative_margins(X, codes)
        return fitted.activation_margins(X, codes)

    def _judge(self, X: np.ndarray, codes: np.ndarray, doubts: np.ndarray) -> None:
        fraction = self.estimator_weights_ / self.estimator_weights_.sum()
        other = find_best_other(self._vote_fractions(X), codes)
        self._conclude(fraction @ doubts, codes, other, native=NOISY)

    def _vote_fractions(self, X: np.ndarray) -> np.ndarray:
        votes = np.zeros((len(X), len(self.classes_)))
        for fitted, alpha in zip(self.estimators_, self.estimator_weights_, strict=True):
            votes[np.arange(len(X)), _predict_codes(fitted, X)] += alpha
        return votes / self.estimator_weights_.sum()


def _predict_codes(fitted: Any, X: np.ndarray) -> np.ndarray:
    """The codes that a base estimator predicts for rows that have passed the checks."""
    if type(fitted) is ParallelPerceptronClassifier:
        return fitted.classes_[fitted._decide(X)]
    return fitted.predict(X)
