"""Boosting turned round: keep the safe rows, let go of the noisy ones (Cantador and Dorronsoro)."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import MetadataRouter

from ..._detector import DetectorMixin
from ..._random import clone_with_seed
from ..._routing import make_router, route_fit, take_params_of_rows
from ..._validation import (
    check_choice,
    check_count,
    check_labelled,
    check_row_weights,
    check_rows,
    fit_to_codes,
)
from ..._warn import warn_user
from .._bags import draw_bags, draw_by_weight, is_one_class, takes_missing
from ..boosting._adaboost import compute_samme_weight
from ._parallel import NOISY, ParallelPerceptronClassifier, categorise

RESTARTS = 5  # fits from other random starts to get a base estimator better than guessing


# A base estimator, its weight, and the margins of the training rows: above 1 safe, below -1 noisy
Round = tuple[Any, float, np.ndarray]


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
        votes = self._vote_fractions(X)
        votes[np.arange(len(codes)), codes] = -np.inf
        self._conclude(fraction @ doubts, codes, votes.argmax(axis=1), native=NOISY)

    def _vote_fractions(self, X: np.ndarray) -> np.ndarray:
        votes = np.zeros((len(X), len(self.classes_)))
        for fitted, alpha in zip(self.estimators_, self.estimator_weights_, strict=True):
            votes[np.arange(len(X)), _predict_codes(fitted, X)] += alpha
        return votes / self.estimator_weights_.sum()


def _predict_codes(fitted: Any, X: np.ndarray) -> np.ndarray:
    """What a base estimator predicts for rows that have passed the checks."""
    if type(fitted) is ParallelPerceptronClassifier:
        return fitted.classes_[fitted._decide(X)]
    return fitted.predict(X)
