"""Boosting turned round: keep the safe rows, let go of the noisy ones (Cantador and Dorronsoro)."""

import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..._detector import DetectorMixin
from ..._random import seeded_clone
from ..._validation import check_choice, check_count, check_labelled, check_row_weights
from ...exceptions import SuspicionWarning
from .._bags import by_weight, draw_bags, of_one_class
from ..boosting._adaboost import samme_weight
from ._classifier import NOISY, ParallelPerceptronClassifier, categories_of

RESTARTS = 5  # attempts to get a member that is better than guessing


class Round(NamedTuple):
    """A member, its weight, and what it says of the training rows."""

    member: Any
    alpha: float
    wrong: np.ndarray
    margins: np.ndarray  # above 1 safe, below -1 noisy


class NoiseReducingBoostClassifier(DetectorMixin, ClassifierMixin, BaseEstimator):
    """NR boosting: rows that a member is safely right about gain weight, noisy ones lose it.

    Where AdaBoost turns to the rows that members get wrong, this booster turns away from those that
    they are clearly against, and leaves the ones near the border alone. So it stays with what most
    rows say, and hardly minds wrong labels; on clean and difficult rows ordinary boosting is
    better. With several classes members learn one against the rest, which a vote of a few
    hyperplanes may not manage; two classes are its field. Costs ``n_estimators`` fits of the
    member.

    Parameters
    ----------
    estimator : classifier with ``sample_weight``, optional
        The member; a :class:`ParallelPerceptronClassifier` when not given. "nr" needs one with a
        method ``activation_margins(X, y)``: above 1 for safe rows, below -1 for noisy ones.
    n_estimators : int, default=10
        Number of members, unless boosting stops before.
    mode : {"nr", "adaboost", "bagging"}, default="nr"
        NR boosting; ordinary boosting; or members fitted to bootstrap samples that vote alike: the
        rivals in the paper.
    sampling : {"weights", "resample"}, default="weights"
        Whether members get the weights of the rows, or rows drawn by their weights, two classes at
        least among them; boosting stops when a single class has all the weight.
    collapse : {"stop", "clip"}, default="stop"
        After some rounds all weight may lie on rows that are easily right, and a member without
        error would decide alone. Stop before it, or go on as if its error were ``1 / (2 n)``.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.731, that of rows as far on the wrong side as
        the margin, when neither this nor ``contamination`` is given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    random_state : int, RandomState or None, default=None
        Seeds the members and draws rows.

    Attributes
    ----------
    estimators_ : list of classifiers
        The members; they predict positions in ``classes_``.
    estimator_weights_ : array of shape (n_estimators_,)
        Weight of each vote (alpha).
    suspicion_ : array of shape (n,)
        Weighted mean over the members of 1 / (1 + exp(m)), m being the margin; for members without
        margins, weighted share of those that are wrong. A score from 0 to 1.
    flagged_, suggested_ : arrays of shape (n,)
        The suspects, and the best other class where a row is flagged, its own label elsewhere.
    final_distribution_ : array of shape (n,)
        Weights of the rows after the last round.
    category_history_ : array of shape (n_estimators_, n)
        1 for safe, 0 for borderline, -1 for noisy rows, by member.
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost on the labels ``y``; ``sample_weight`` is the distribution to start from."""
        X, codes = check_labelled(self, X, y, min_classes=2, dtype=float, order="C")
        weights = check_row_weights("sample_weight", sample_weight, len(codes))
        base = ParallelPerceptronClassifier() if self.estimator is None else self.estimator
        self._check_parameters(base)
        random = check_random_state(self.random_state)
        self.final_distribution_ = weights / weights.sum()
        if self.mode == "bagging" or self.sampling == "resample":
            self._check_classes_to_draw(codes[self.final_distribution_ > 0])
        make_rounds = self._bags if self.mode == "bagging" else self._rounds
        rounds = list(make_rounds(base, X, codes, random))
        self.estimators_ = [r.member for r in rounds]
        self.estimator_weights_ = np.array([r.alpha for r in rounds])
        margins = np.array([r.margins for r in rounds])
        self.category_history_ = categories_of(margins)
        self._judge(X, codes, expit(-margins))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Shares of the weighted votes: (n, K), or their difference (n,) for two classes."""
        shares = self._shares(self._checked(X))
        return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares

    def predict(self, X: Any) -> np.ndarray:
        """The class with most of the weighted votes."""
        shares = self._shares(self._checked(X))
        return self.classes_[shares.argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Share of the weighted votes; no probabilities."""
        return self._shares(self._checked(X))

    def _check_parameters(self, base: Any) -> None:
        check_count("n_estimators", self.n_estimators)
        check_choice("mode", self.mode, ("nr", "adaboost", "bagging"))
        check_choice("sampling", self.sampling, ("weights", "resample"))
        check_choice("collapse", self.collapse, ("stop", "clip"))
        if self.mode == "nr" and not hasattr(base, "activation_margins"):
            raise ValueError(
                f"mode='nr' asks members which rows are noisy, and {type(base).__name__} has no "
                "method activation_margins(X, y); pass another estimator or mode."
            )

    def _check_classes_to_draw(self, codes: np.ndarray) -> None:
        if of_one_class(codes):
            raise ValueError(
                f"sample_weight leaves rows of one class only ({self.classes_[codes[0]]}), and a "
                "bag is to hold at least two; give rows of another class a weight above zero."
            )

    def _bags(self, base: Any, X: np.ndarray, codes: np.ndarray, random: Any) -> Iterator[Round]:
        for _ in range(self.n_estimators):
            member = self._fit_bag(base, X, codes, self.final_distribution_, random)
            yield self._look(member, X, codes)

    def _rounds(self, base: Any, X: np.ndarray, codes: np.ndarray, random: Any) -> Iterator[Round]:
        n_classes, least_error = len(self.classes_), 1 / (2 * len(codes))
        for t in range(self.n_estimators):
            weights = self.final_distribution_
            if self.sampling == "resample" and of_one_class(codes[weights > 0]):
                return  # the others have lost all weight, down to the last digit
            for _ in range(RESTARTS):
                member = self._fit_member(base, X, codes, weights, random)
                round_ = self._look(member, X, codes)
                error = float(weights[round_.wrong].sum())
                if error < 1 - 1 / n_classes:
                    break
            else:
                if t == 0:
                    warnings.warn(
                        "No member is better than guessing; keeping one that is not.",
                        SuspicionWarning,
                        stacklevel=3,
                    )
                    yield round_
                return
            if error < least_error and self.collapse == "stop":
                if t == 0:
                    yield round_
                return
            alpha = samme_weight(max(error, least_error), n_classes)
            yield round_._replace(alpha=alpha)
            weights = weights * np.exp(self._exponents(round_, alpha, n_classes))
            self.final_distribution_ = weights / weights.sum()

    def _fit_member(
        self, base: Any, X: np.ndarray, codes: np.ndarray, weights: np.ndarray, random: Any
    ) -> Any:
        if self.sampling == "resample":
            return self._fit_bag(base, X, codes, weights, random)
        return seeded_clone(base, random).fit(X, codes, sample_weight=weights * len(weights))

    def _fit_bag(
        self, base: Any, X: np.ndarray, codes: np.ndarray, weights: np.ndarray, random: Any
    ) -> Any:
        """A member fitted to rows drawn by their weights, at least two classes among them."""
        draw = by_weight(weights, random)
        (rows,) = draw_bags(draw, (1, len(codes)), weights, codes, random)
        return seeded_clone(base, random).fit(X[rows], codes[rows])

    def _look(self, member: Any, X: np.ndarray, codes: np.ndarray) -> Round:
        wrong = member.predict(X) != codes
        if hasattr(member, "activation_margins") and len(member.classes_) == len(self.classes_):
            margins = member.activation_margins(X, codes)
        else:
            margins = np.where(wrong, -np.inf, np.inf)
        return Round(member, 1.0, wrong, margins)

    def _exponents(self, round_: Round, alpha: float, n_classes: int) -> np.ndarray:
        """What is added to the logarithm of each weight."""
        if self.mode == "nr":
            return alpha * categories_of(round_.margins)
        # SAMME raises the wrong rows; with two classes alpha is half, and the right ones fall.
        return alpha * np.where(round_.wrong, 1.0, -1.0 if n_classes == 2 else 0.0)

    def _judge(self, X: np.ndarray, codes: np.ndarray, doubts: np.ndarray) -> None:
        share = self.estimator_weights_ / self.estimator_weights_.sum()
        votes = self._shares(X)
        votes[np.arange(len(codes)), codes] = -np.inf
        self._conclude(share @ doubts, codes, votes.argmax(axis=1), native=NOISY)

    def _shares(self, X: np.ndarray) -> np.ndarray:
        shares = np.zeros((len(X), len(self.classes_)))
        for member, alpha in zip(self.estimators_, self.estimator_weights_, strict=True):
            shares[np.arange(len(X)), member.predict(X)] += alpha
        return shares / self.estimator_weights_.sum()

    def _checked(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return validate_data(self, X, dtype=float, reset=False)
