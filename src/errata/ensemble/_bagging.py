"""Bagging that draws hard rows less often (Walmsley 2017).

And what other ensembles take from it: bags of rows, weights by hardness, votes counted.
"""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Perceptron
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metadata_routing import MetadataRouter

from .._blocks import blocks, map_blocks
from .._detector import DetectorMixin
from .._kernels import kernels
from .._neighbors import NeighborIndex
from .._random import clone_with_seed
from .._routing import make_router, route_fit, take_params_of_rows
from .._validation import (
    check_choice,
    check_count,
    check_fraction,
    check_hardness,
    check_labelled,
    check_row_weights,
    check_rows,
    fit_to_codes,
)
from ..hardness import NeighborDisagreement

ORDERS = 32  # orders in which a bag is visited, over and over if there are more epochs
REDRAWS = 100  # attempts to draw such orders, or a bag with more than one class
BLOCK = 4096  # rows that all base estimators predict at a time

Draw = Callable[[tuple[int, int]], np.ndarray]

REGION = 7  # neighbours that say how competent a base estimator is, as is usual
BATCH = 2**24  # bytes held at once


class EstimatorPool:
    """Base estimators of any kind, fitted one by one."""

    def __init__(self, estimators: list[BaseEstimator], n_classes: int) -> None:
        self.estimators = estimators
        self.n_classes = n_classes

    @classmethod
    def fit(
        cls, estimator: BaseEstimator, X: Any, codes: np.ndarray,
        bags: np.ndarray | Sequence[np.ndarray], random: Any, n_jobs: int | None,
        fit_params: dict[str, Any],
    ) -> "EstimatorPool":  # fmt: skip
        """Fit a clone on the rows of each bag; a constant where a bag holds one class only."""
        # Seeds are drawn before anything runs in parallel, so that n_jobs changes nothing.
        clones = [clone_with_seed(estimator, random) for _ in bags]
        estimators = Parallel(n_jobs=n_jobs)(
            delayed(_fit_base)(
                fresh, X[bag], codes[bag], take_params_of_rows(fit_params, len(codes), bag)
            )
            for fresh, bag in zip(clones, bags, strict=True)
        )
        return cls(estimators, int(codes.max()) + 1)

    def votes(self, X: Any) -> np.ndarray:
        """Code of the class that each base estimator predicts: (row, estimator)."""
        return np.column_stack([fitted.predict(X) for fitted in self.estimators])

    def proba(self, X: Any) -> np.ndarray:
        """Mean of the class probabilities; zero for a class that an estimator never saw."""
        total = np.zeros((X.shape[0], self.n_classes))
        for fitted in self.estimators:
            total[:, fitted.classes_] += fitted.predict_proba(X)
        return total / len(self.estimators)


class PerceptronPool:
    """Perceptrons trained together by a compiled loop."""

    def __init__(self, weights: np.ndarray, biases: np.ndarray, seen: np.ndarray) -> None:
        self.weights = weights
        self.biases = biases
        self.seen = seen  # (perceptron, class): whether the class was in its bag

    @staticmethod
    def can_train(estimator: BaseEstimator, X: Any) -> bool:
        """Whether this is a plain perceptron on dense rows; anything more is scikit-learn's."""
        # Not isinstance: a subclass may learn in another way.
        if type(estimator) is not Perceptron or not isinstance(X, np.ndarray):
            return False
        plain = Perceptron().get_params()
        # What the loop knows how to follow, and what makes no difference to what is learnt.
        free = {"max_iter", "tol", "n_iter_no_change", "random_state", "n_jobs", "verbose"}
        given = estimator.get_params()
        return all(given[name] == plain[name] for name in plain if name not in free)

    @classmethod
    def fit(
        cls, estimator: Perceptron, X: np.ndarray, codes: np.ndarray, bags: np.ndarray, random: Any,
        n_jobs: int | None,
    ) -> "PerceptronPool":  # fmt: skip
        """Train one perceptron per bag and class."""
        m, n = bags.shape
        n_classes = int(codes.max()) + 1
        positives = np.array([1]) if n_classes == 2 else np.arange(n_classes)
        multipliers, offsets = _draw_orders(m, min(estimator.max_iter, ORDERS), n, random)
        # The kernel stops where the loss has not fallen by tol; by minus infinity it always has.
        tol = -np.inf if estimator.tol is None else float(estimator.tol)
        X = np.ascontiguousarray(X, dtype=float)
        # The loop lets go of the interpreter, so threads share the rows and nothing is copied.
        train = kernels("perceptrons").train_pool
        trained = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(train)(
                X, codes, bags[part], positives, multipliers[part], offsets[part],
                estimator.max_iter, tol,
                estimator.n_iter_no_change,
            )
            for part in np.array_split(np.arange(m), min(m, effective_n_jobs(n_jobs)))
        )  # fmt: skip
        weights, biases = map(np.concatenate, zip(*trained, strict=True))
        if n_classes == 2:  # one hyperplane for both
            weights = np.hstack([-weights, weights])
            biases = np.hstack([-biases, biases])
        seen = np.array([np.bincount(codes[bag], minlength=n_classes) > 0 for bag in bags])
        return cls(weights, biases, seen)

    def votes(self, X: np.ndarray) -> np.ndarray:
        """Code of the class that each perceptron predicts: (row, perceptron)."""
        m, k, d = self.weights.shape
        weights = self.weights.reshape(m * k, d).T

        def votes_of(rows: slice) -> np.ndarray:
            scores = (X[rows] @ weights).reshape(-1, m, k) + self.biases
            scores[:, ~self.seen] = -np.inf  # nobody votes for a class that was not in the bag
            return scores.argmax(axis=2)

        return map_blocks(votes_of, blocks(len(X), BLOCK))

    def proba(self, X: np.ndarray) -> np.ndarray:
        """Perceptrons have no probabilities: the fractions of their votes."""
        return vote_fractions(self.votes(X), self.seen.shape[1])

    @property
    def estimators(self) -> list[BaseEstimator]:
        """The pool as scikit-learn's perceptrons (constants where a bag held one class)."""
        triples = zip(self.weights, self.biases, self.seen, strict=True)
        return [_make_perceptron(*triple) for triple in triples]


def make_pool(
    estimator: BaseEstimator, X: Any, codes: np.ndarray, bags: np.ndarray, random: Any,
    n_jobs: int | None, fit_params: dict[str, Any],
) -> EstimatorPool | PerceptronPool:  # fmt: skip
    """Fit a clone on each bag, in the fastest way there is for its kind."""
    if PerceptronPool.can_train(estimator, X) and not fit_params:
        return PerceptronPool.fit(estimator, X, codes, bags, random, n_jobs)
    return EstimatorPool.fit(estimator, X, codes, bags, random, n_jobs, fit_params)


def _fit_base(
    fresh: BaseEstimator, X: Any, codes: np.ndarray, fit_params: dict[str, Any]
) -> BaseEstimator:
    if codes.min() == codes.max():
        return DummyClassifier(strategy="most_frequent").fit(X, codes)
    return fit_to_codes(fresh, X, codes, **fit_params)


def _draw_orders(m: int, count: int, n: int, random: Any) -> tuple[np.ndarray, np.ndarray]:
    """For each perceptron some orders in which to visit a bag of n rows, two numbers each.

    A multiplier that shares a factor with n would visit some rows twice and others never. At least
    one in seven shares none, so drawing again soon gives one; and 1 will always do.
    """
    multipliers = random.randint(1, max(n, 2), size=(m, count))
    for _ in range(REDRAWS):
        shared = np.gcd(multipliers, n) > 1
        if not shared.any():
            break
        multipliers[shared] = random.randint(1, n, size=shared.sum())
    multipliers[np.gcd(multipliers, n) > 1] = 1
    return multipliers, random.randint(n, size=(m, count))


def _make_perceptron(weights: np.ndarray, biases: np.ndarray, seen: np.ndarray) -> BaseEstimator:
    classes = np.flatnonzero(seen)
    if len(classes) == 1:
        return DummyClassifier(strategy="constant", constant=classes[0]).fit([[0]], classes)
    rows = classes[1:] if len(classes) == 2 else classes  # two classes share one hyperplane
    # All that ``predict`` looks at; a fit would train it a second time.
    perceptron = Perceptron()
    perceptron.classes_ = classes
    perceptron.coef_ = weights[rows]
    perceptron.intercept_ = biases[rows]
    perceptron.n_features_in_ = weights.shape[1]
    return perceptron


class HardnessBaggingClassifier(DetectorMixin, ClassifierMixin, BaseEstimator):
    """Bagging that draws a row into a bag the less often, the harder it is to learn.

    Wrong labels are hard, so fewer of them enter each bag; no row is shut out. Reach for it when
    you would bag anyway and some labels may be wrong: at 30 and 40 % of wrong labels it beats
    bagging clearly, on clean labels it costs next to nothing. It assumes that hardness points to
    wrong labels, which fails when errors come in clusters. Costs the hardness (neighbours: O(n² d)
    at worst) and ``n_estimators`` fits; perceptrons are trained together in compiled code.

    Parameters
    ----------
    estimator : classifier, default=None
        What to bag; a perceptron of five epochs when not given, as in the paper.
    n_estimators : int, default=50
        Number of bags, and of base estimators.
    max_samples : float in (0, 1] or int, default=1.0
        Size of a bag, as a fraction of the rows or as their number.
    n_neighbors : int, default=5
        Neighbours that decide the hardness ("kdn" only). The paper does not state it.
    hardness : "kdn", detector or callable, default="kdn"
        How hard each row is, in [0, 1]: the fraction of disagreeing neighbours, the ``suspicion_``
        of any detector of errata, or ``hardness(X, y)``.
    probability : "linear", "softmax" or callable, default="linear"
        How hardness becomes the probability of being drawn, see :func:`selection_probabilities`.
    temperature : float, default=1
        Of the softmax: below one the hardest rows are drawn less often still.
    voting : {"hard", "soft", "weighted", "local"}, default="hard"
        A vote per base estimator; the mean of their probabilities; a vote weighted by the accuracy
        on rows not in the bag; or as many votes as the estimator gets right among the seven
        training rows nearest to the one in question (dynamic selection, KNORA-Union [2]_). On
        twelve small data sets with 0 to 40 % of wrong labels the last gains 1 to 3 points.
    oob_score : bool, default=False
        Whether to score each row by the base estimators that did not see it.
    threshold : float, optional
        Flag the rows whose suspicion exceeds it; 0.5 when neither this nor ``contamination`` is
        given.
    contamination : float, optional
        Flag this fraction of the rows instead, the most suspicious first.
    n_jobs : int, optional
        Number of base estimators fitted at the same time.
    random_state : int, RandomState instance or None
        Seed.

    Attributes
    ----------
    suspicion_ : array of shape (n,)
        The hardness of each row; also ``hardness_``.
    flagged_, suggested_ : arrays of shape (n,)
        Which rows are flagged, and the class of the neighbours or of the detector for those (the
        label itself with a callable, which names none).
    sample_probabilities_ : array of shape (n,)
        With which probability each draw takes each row.
    estimators_, estimators_samples_ : lists
        The fitted base estimators, which predict positions in ``classes_``, and the rows of their
        bags.
    estimator_weights_ : array of shape (n_estimators,)
        Weight of each vote; all 1 unless ``voting="weighted"``.
    oob_score_, oob_decision_function_ : float, array of shape (n, n_classes)
        With ``oob_score``: accuracy on, and vote fractions for, rows left out; nan for a row that
        was in every bag. Hard rows are left out more often, so this score is pessimistic.
    classes_, n_features_in_
        As usual.

    Notes
    -----
    With h the hardness, a draw takes row i with a probability proportional to ``1/n + 1 - h_i``
    ("linear", equation 3.3) or ``exp(1 - h_i)`` ("softmax", equation 3.4). The softmax spreads the
    probabilities by a factor of e at most, so it stays close to plain bagging; the linear rule
    spreads them up to n + 1 times. Constant hardness gives plain bagging with both. A bag that
    holds one class only is drawn again, up to a hundred times; then one of its rows makes room for
    one of another class. Where ``sample_weight`` leaves a single class, base estimators are
    constants.

    References
    ----------
    .. [1] Walmsley. Um método de geração de pools de classificadores usando instance hardness.
       Universidade Federal de Pernambuco, 2017.
    .. [2] Ko, Sabourin and Britto. From dynamic classifier selection to dynamic ensemble selection.
       Pattern Recognition 41, 2008.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from errata.ensemble import HardnessBaggingClassifier
    >>> from errata.noise import flip_labels
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> noisy, _ = flip_labels(y[:400], 0.4, random_state=0)        # 40 % of the labels are wrong
    >>> def accuracy(**how):
    ...     bagging = HardnessBaggingClassifier(random_state=0, **how)
    ...     model = make_pipeline(MinMaxScaler(), bagging).fit(X[:400], noisy)
    ...     return round(model.score(X[400:], y[400:]), 2)
    >>> accuracy(), accuracy(hardness=lambda X, y: 0 * y)           # constant: plain bagging
    (0.89, 0.73)
    """

    def __init__(
        self,
        estimator: BaseEstimator | None = None,
        n_estimators: int = 50,
        *,
        max_samples: float = 1.0,
        n_neighbors: int = 5,
        hardness: Any = "kdn",
        probability: str | Callable = "linear",
        temperature: float = 1.0,
        voting: str = "hard",
        oob_score: bool = False,
        threshold: float | None = None,
        contamination: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.n_neighbors = n_neighbors
        self.hardness = hardness
        self.probability = probability
        self.temperature = temperature
        self.voting = voting
        self.oob_score = oob_score
        self.threshold = threshold
        self.contamination = contamination
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Measure hardness, draw the bags, fit a base estimator on each.

        ``sample_weight`` multiplies the probabilities of being drawn; ``fit_params`` is metadata
        for ``estimator``, if metadata routing is enabled.
        """
        X, codes = check_labelled(self, X, y, accept_sparse="csr")
        weights = check_row_weights("sample_weight", sample_weight, len(codes))
        return self._fit_codes(X, codes, weights, route_fit(self, fit_params))

    def _fit_codes(
        self,
        X: Any,
        codes: np.ndarray,
        sample_weight: np.ndarray | None = None,
        fit_params: dict[str, Any] | None = None,
    ) -> Self:
        """Bag rows and labels that have passed the checks; ``classes_`` is set."""
        self._check_parameters()
        random = check_random_state(self.random_state)
        self.hardness_, suggested = measure_hardness(
            self.hardness,
            X,
            codes,
            self.classes_,
            random=random,
            n_neighbors=self.n_neighbors,
            n_jobs=self.n_jobs,
        )
        self._conclude(self.hardness_, codes, suggested)
        weights = np.ones(len(codes)) if sample_weight is None else sample_weight
        self.sample_probabilities_ = self._probabilities(weights)
        bags = _draw_bags(
            self.sample_probabilities_, codes, self.n_estimators, self._bag_size(len(codes)), random
        )
        self._pool = make_pool(self._base(), X, codes, bags, random, self.n_jobs, fit_params or {})
        self.estimators_samples_ = list(bags)
        self._weigh_votes(X, codes, bags)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Fraction of the votes for each class (mean of the probabilities if soft)."""
        X = check_rows(self, X, accept_sparse="csr")
        if self.voting == "soft":
            return self._pool.proba(X)
        weights = self._competence(X) if self.voting == "local" else self.estimator_weights_
        return vote_fractions(self._pool.votes(X), len(self.classes_), weights)

    def predict(self, X: Any) -> np.ndarray:
        """The class with most votes; the first of several."""
        fractions = self.predict_proba(X)
        return self.classes_[fractions.argmax(axis=1)]

    @property
    def estimators_(self) -> list[BaseEstimator]:
        """The fitted base estimators."""
        return self._pool.estimators

    def __len__(self) -> int:
        return len(self.estimators_samples_)

    def __getitem__(self, index: int) -> BaseEstimator:
        return self.estimators_[index]

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata ``fit`` takes, and which it hands to ``estimator``."""
        return make_router(self, estimator=self._base())

    def __sklearn_tags__(self) -> Any:
        """Declare that sparse matrices are accepted, and missing values where the parts do."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = (
            self.voting != "local" and takes_missing(self._base()) and takes_missing(self.hardness)
        )
        return tags

    def _base(self) -> Any:
        # The paper does not say how long its perceptron is trained; five epochs come nearer to its
        # accuracies than training to convergence.
        return Perceptron(max_iter=5, tol=None) if self.estimator is None else self.estimator

    def _check_parameters(self) -> None:
        check_count("n_estimators", self.n_estimators)
        check_choice("voting", self.voting, ("hard", "soft", "weighted", "local"))
        if self.voting == "soft" and not hasattr(self._base(), "predict_proba"):
            name = type(self._base()).__name__
            raise ValueError(
                f"voting='soft' averages probabilities, and {name} has none; "
                "pass another estimator, or voting='hard'."
            )

    def _probabilities(self, weights: np.ndarray) -> np.ndarray:
        p = selection_probabilities(self.hardness_, self.probability, temperature=self.temperature)
        return weights * p / (weights @ p)

    def _bag_size(self, n: int) -> int:
        if isinstance(self.max_samples, float):
            fraction = check_fraction("max_samples", self.max_samples)
            return max(1, int(fraction * n))
        return check_count("max_samples", self.max_samples, high=n)

    def _weigh_votes(self, X: Any, codes: np.ndarray, bags: np.ndarray) -> None:
        """Set what votes count for, and what they come to for rows out of the bags."""
        self.estimator_weights_ = np.ones(len(bags))
        if not self.oob_score and self.voting not in ("local", "weighted"):
            return
        votes = self._pool.votes(X)
        if self.voting == "local":
            self._competence = LocalCompetence(X, votes == codes[:, None])
        out = np.ones(votes.shape, dtype=bool)
        for voter, bag in enumerate(bags):
            out[bag, voter] = False
        if self.voting == "weighted":
            right = (votes == codes[:, None]) & out
            # One imaginary right row and one wrong, lest an estimator that few rows judge decide.
            self.estimator_weights_ = (right.sum(axis=0) + 1) / (out.sum(axis=0) + 2)
        if self.oob_score:
            self._score_out_of_bag(votes, out, codes)

    def _score_out_of_bag(self, votes: np.ndarray, out: np.ndarray, codes: np.ndarray) -> None:
        fractions = vote_fractions(votes, len(self.classes_), self.estimator_weights_, out)
        self.oob_decision_function_ = fractions
        judged = out.any(axis=1)
        right = fractions[judged].argmax(axis=1) == codes[judged]
        self.oob_score_ = float(right.mean()) if judged.any() else float("nan")


def _draw_bags(
    p: np.ndarray, codes: np.ndarray, n_bags: int, size: int, random: np.random.RandomState
) -> np.ndarray:
    """Rows of each bag, (bag, size), drawn with replacement."""
    # Where all probabilities are equal, there is no need to search for draws in their sums.
    draw = draw_uniformly(len(p), random) if np.ptp(p) == 0 else draw_by_weight(p, random)
    return draw_bags(draw, (n_bags, size), p, codes, random)


class LocalCompetence:
    """How many of the training rows nearest to a row each base estimator gets right.

    Weighting these rows by how easy they are was tried, and does not help.
    """

    def __init__(self, X: Any, right: np.ndarray) -> None:
        self.right = right
        self.index = NeighborIndex(X)

    def __call__(self, X: Any) -> np.ndarray:
        """Weight of each base estimator (n, m) for each row; 1 where all fail nearby."""
        parts = blocks(X.shape[0], BATCH, width=REGION * self.right.shape[1])
        weights = map_blocks(self._count_right, parts, X)
        weights[~weights.any(axis=1)] = 1.0
        return weights

    def _count_right(self, rows: slice, X: Any) -> np.ndarray:
        _, near = self.index.find(X[rows], min(REGION, len(self.right)))
        return self.right[near].sum(axis=1, dtype=float)


def draw_bags(
    draw: Draw,
    shape: tuple[int, int],
    p: np.ndarray,
    codes: np.ndarray,
    random: np.random.RandomState,
) -> np.ndarray:
    """Rows of each bag, (bag, size), as ``draw`` gives them with probabilities ``p``.

    Bags of one class are drawn again, but not for ever: where that does not help, other classes are
    so rare that a bag with any of their rows would nearly always hold one, and it gets one. Bags
    stay as they are where ``p`` leaves one class only, or a bag has one row.
    """
    bags = draw(shape)
    if shape[1] == 1 or is_one_class(codes[p > 0]):
        return bags
    for _ in range(REDRAWS):
        poor = is_one_class(codes[bags])
        if not poor.any():
            return bags
        # The poor ones alone: with many bags, hardly any set of them all would do at once.
        bags[poor] = draw((int(poor.sum()), shape[1]))
    for i in np.flatnonzero(is_one_class(codes[bags])):
        # By its weight and in any place, which is nearly what drawing on for ever would give.
        others = np.where(codes == codes[bags[i, 0]], 0.0, p)
        bags[i, random.randint(shape[1])] = random.choice(len(p), p=others / others.sum())
    return bags


def is_one_class(codes: np.ndarray) -> np.ndarray:
    """Whether the codes along the last axis are all the same."""
    return (codes == codes[..., :1]).all(axis=-1)


def draw_uniformly(n: int, random: np.random.RandomState) -> Draw:
    """Draw rows uniformly at random."""
    return lambda shape: random.randint(n, size=shape)


def draw_by_weight(p: np.ndarray, random: np.random.RandomState) -> Draw:
    """Draw rows with the probabilities ``p``."""
    cumulative = np.cumsum(p)
    cumulative /= cumulative[-1]  # rounding may leave the sum below 1, and draws beyond it
    # To the right, so that a row of weight 0, which takes up no room, is never hit.
    return lambda shape: np.searchsorted(cumulative, random.random_sample(shape), side="right")


def measure_hardness(
    hardness: str | BaseEstimator | Callable,
    X: Any,
    codes: np.ndarray,
    classes: np.ndarray,
    *,
    random: np.random.RandomState,
    n_neighbors: int = 5,
    n_jobs: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Hardness of each row, in [0, 1], and the code of the class its measure would give.

    ``hardness`` is "kdn", a detector of errata, or ``hardness(X, y)``.
    """
    if callable(hardness):
        # A function suggests no class, so that the label stands in for one.
        return check_hardness(hardness(X, classes[codes]), len(codes)), codes
    if isinstance(hardness, str):
        check_choice("hardness", hardness, ("kdn",))
        hardness = NeighborDisagreement(n_neighbors=n_neighbors, n_jobs=n_jobs)
    detector = fit_to_codes(clone_with_seed(hardness, random), X, codes)
    return check_hardness(detector.suspicion_, len(codes)), detector.suggested_


def takes_missing(part: Any) -> bool:
    """Whether an estimator or a measure of hardness says that it takes missing values.

    A function has no tags to say so: it is given the rows as they are.
    """
    if hasattr(part, "__sklearn_tags__"):
        return get_tags(part).input_tags.allow_nan
    return callable(part)


def selection_probabilities(
    hardness: Any, probability: str | Callable = "linear", *, temperature: float = 1.0
) -> np.ndarray:
    """Probability with which one draw of a bag takes each row, falling with its hardness.

    Parameters
    ----------
    hardness : array-like of shape (n,)
        Between 0 and 1.
    probability : "linear", "softmax" or callable, default="linear"
        ``1/n + 1 - h``, ``exp((1 - h) / temperature)``, or ``probability(hardness)``, normalised.
    temperature : float, default=1
        Of the softmax.

    Returns
    -------
    array of shape (n,) that sums to one

    Examples
    --------
    >>> selection_probabilities([0, 0, 1])
    array([0.44444444, 0.44444444, 0.11111111])
    >>> selection_probabilities([0, 0, 1], "softmax").round(3)
    array([0.422, 0.422, 0.155])
    """
    h = check_hardness(hardness, len(hardness))
    if callable(probability):
        weights = np.asarray(probability(h), dtype=float)
        bad = weights.shape != h.shape or not np.all(np.isfinite(weights)) or weights.min() < 0
        if bad or not weights.any():
            raise ValueError(
                "probability must give one non-negative number per row, not all of them zero."
            )
    elif check_choice("probability", probability, ("linear", "softmax")) == "linear":
        # Equation 3.2: thanks to 1/n, no row is shut out, as hard ones may mark the border.
        weights = 1 / len(h) + 1 - h
    else:
        if not temperature > 0:
            raise ValueError(f"temperature={temperature!r} must be a number above 0.")
        # Equation 3.4 over its largest value: at a low temperature exp(1 / temperature) overflows.
        weights = np.exp((h.min() - h) / temperature)
    return weights / weights.sum()


def vote_fractions(
    votes: np.ndarray,
    n_classes: int,
    weights: np.ndarray | float = 1.0,
    counted: np.ndarray | None = None,
) -> np.ndarray:
    """Weighted fraction of the votes (row, voter) for each class: (row, class).

    ``counted`` says which votes count; a row without any that does gets nan.

    Examples
    --------
    >>> import numpy as np
    >>> vote_fractions(np.array([[0, 1, 1, 1], [0, 0, 0, 0]]), 2)
    array([[0.25, 0.75],
           [1.  , 0.  ]])
    """
    weights = np.broadcast_to(weights, votes.shape)
    if counted is not None:
        weights = np.where(counted, weights, 0.0)
    sums = np.column_stack([((votes == c) * weights).sum(axis=1) for c in range(n_classes)])
    total = weights.sum(axis=1, keepdims=True)
    return np.divide(sums, total, out=np.full_like(sums, np.nan), where=total > 0)
