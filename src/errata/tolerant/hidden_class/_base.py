"""The base of models of a hidden class: expectation-maximisation, and the noise it learns.

Every model of this folder says ``P(label = l | x) = sum_c P(class = c | x) T[c, l]``. They differ
in how the class depends on the features (the *class step*) and in what is known of the transition
matrix T (the *transition step*). Memory is O(n K).

Beforehand T is thought to be ``NoiseModel.uniform(K, init_error)``, as firmly as ``prior_strength``
rows seen of each class would make it (a Dirichlet prior on each row of T).
"""

from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.special import logsumexp, xlogy
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

from ..._detector import DetectorMixin, measure_doubt
from ..._format import join_names
from ..._validation import (
    check_choice,
    check_class_weights,
    check_count,
    check_fraction,
    check_labelled,
    check_row_weights,
    check_rows,
    check_transition,
)
from ..._warn import warn_user
from ...noise import NoiseModel

# Beyond this condition number labels do not tell some classes apart.
SINGULAR = 1e6

# (responsibilities, T) -> parameters of the class model they call for; log P(class | x), or the
# log-density of x and class, (n, K); and what the objective loses for the parameters
ClassStep = Callable[[np.ndarray, np.ndarray], tuple[Any, np.ndarray, float]]
# (objectives of the rounds, how far T or the responsibilities moved) -> whether to stop
Settled = Callable[[list[float], float], bool]


class HiddenClassClassifier(ClassifierMixin, DetectorMixin, BaseEstimator):
    """A classifier of rows whose labels may be wrong.

    A model says in ``_fit_labels`` how it learns, and gives ``predict_proba``.
    """

    _sparse = False  # whether sparse matrices are accepted

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn classes from labels of which some are wrong.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Features.
        y : array-like of shape (n,)
            Labels, of two classes at least.
        sample_weight : array-like of shape (n,), optional
            How many rows each row stands for.
        """
        X, codes = check_labelled(self, X, y, min_classes=2, **self._checks())
        return self._fit_codes(X, codes, sample_weight)

    def _fit_codes(self, X: Any, codes: np.ndarray, sample_weight: Any = None) -> Self:
        """Fit rows and labels that have passed the checks; ``classes_`` is set."""
        self._fit_labels(X, codes, self._check_weights(codes, sample_weight))
        return self

    def _check_weights(self, codes: np.ndarray, sample_weight: Any) -> np.ndarray:
        weights = check_row_weights("sample_weight", sample_weight, len(codes))
        check_class_weights(codes, self.classes_, weights)
        return weights

    def _fit_labels(self, X: Any, codes: np.ndarray, weights: np.ndarray) -> None:
        raise NotImplementedError

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n, K)."""
        raise NotImplementedError

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row."""
        likeliest = self.predict_proba(X).argmax(axis=1)
        return self.classes_[likeliest]

    def _report_noise(self, T: np.ndarray, responsibilities: np.ndarray, codes: np.ndarray) -> None:
        """Set what is said of T and of the rows."""
        self.noise_transition_ = T
        self.error_rates_ = 1 - np.diag(T)
        suspicion = measure_doubt(responsibilities, codes)
        self._conclude(suspicion, codes, responsibilities.argmax(axis=1), probability=True)

    def _check_rows(self, X: Any) -> Any:
        return check_rows(self, X, **self._checks())

    def _checks(self) -> dict[str, Any]:
        return {"accept_sparse": "csr" if self._sparse else False, "dtype": float, "order": "C"}

    def __sklearn_tags__(self) -> Any:
        """Declare whether sparse tables are accepted."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        return tags


class NoiseLearningClassifier(HiddenClassClassifier):
    """A model of a hidden class that learns the transition matrix, or is told it."""

    noise: str
    transition: Any
    learn_transition: bool
    init_error: float
    prior_strength: float
    max_iter: int
    tol: float

    def _learn(
        self,
        class_step: ClassStep,
        codes: np.ndarray,
        weights: np.ndarray,
        settled: Callable[[float, list[float], float], bool] | None = None,
    ) -> tuple[Any, np.ndarray]:
        """Run the loop, set the fitted attributes that all have.

        Returns the parameters and responsibilities of the last round.
        """
        tol = check_fraction("tol", self.tol, high=np.inf)
        params, T, responsibilities, self.log_likelihood_, self.objective_ = maximise_likelihood(
            class_step,
            choose_noise_step(self),
            codes,
            weights,
            start=np.eye(len(self.classes_))[codes],
            settled=partial(settled or is_objective_settled, tol),
            max_iter=check_count("max_iter", self.max_iter),
        )
        self.n_iter_ = len(self.objective_)
        self._report_noise(T, responsibilities, codes)
        if self.learn_transition:
            warn_if_classes_are_confused(T, self.classes_)
        return params, responsibilities


class EmptyClass(Exception):
    """Raised by a class step, never the first, that is left with too few rows of a class."""


def compute_expectation(
    log_proba: np.ndarray, transition: np.ndarray, codes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """P(class | x, label) of each row, and the log-probability of its label.

    A transition of zero is a class ruled out by the label.
    """
    with np.errstate(divide="ignore"):
        joint = log_proba + np.log(transition).T[codes]
    log_likelihood = logsumexp(joint, axis=1)
    joint -= log_likelihood[:, None]
    return np.exp(joint, out=joint), log_likelihood


def maximise_likelihood(
    class_step: ClassStep,
    noise: Any,
    codes: np.ndarray,
    weights: np.ndarray,
    *,
    start: np.ndarray,
    settled: Settled,
    max_iter: int,
) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Take turns between the class model, the expectation and T until ``settled``.

    ``noise`` is a :class:`NoiseStep`; ``start`` are the responsibilities that the first class model
    is fitted to. Returns the parameters, T and responsibilities of the last round, and the
    log-likelihoods and objectives of all rounds.
    """
    log_likelihoods = list[float]()
    objectives = list[float]()
    responsibilities = start
    transition = noise.start
    for n_rounds in range(max_iter):
        try:
            params, log_proba, penalty = class_step(responsibilities, transition)
        except EmptyClass as reason:
            warn_user(f"{reason}; the fit of round {n_rounds} is kept.", ConvergenceWarning)
            break
        before = responsibilities
        responsibilities, log_p = compute_expectation(log_proba, transition, codes)
        log_likelihoods.append(float(weights @ log_p))
        objectives.append(log_likelihoods[-1] + noise.log_prior(transition) - penalty)
        if noise.learn:
            learnt = noise.update(responsibilities, codes, weights, transition)
            moved = np.abs(learnt - transition).max()
            transition = learnt
        else:
            moved = np.abs(responsibilities - before).max()
        if settled(objectives, moved):
            break
    else:
        warn_user(
            f"the hidden classes had not settled after max_iter={max_iter} rounds; raise max_iter "
            "or tol.",
            ConvergenceWarning,
        )
    return params, transition, responsibilities, np.array(log_likelihoods), np.array(objectives)


def is_objective_settled(tol: float, objectives: list[float], moved: float) -> bool:
    """Whether the objective has stopped growing."""
    if len(objectives) == 1:
        return False
    return bool(abs(objectives[-1] - objectives[-2]) <= tol * abs(objectives[-1]))


def is_transition_settled(tol: float, objectives: list[float], moved: float) -> bool:
    """Whether T has stopped moving; where it is known, whether the responsibilities have.

    Out of fold the likelihood need not rise, so that it is not asked.
    """
    return len(objectives) > 1 and bool(moved < tol)


def _estimate_full(counts: np.ndarray) -> np.ndarray:
    """Every class errs in its own way; a class without rows has no way that could be told."""
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=np.full_like(counts, np.nan), where=total > 0)


def _estimate_per_class(counts: np.ndarray) -> np.ndarray:
    """Every class errs at its own rate, towards all others alike."""
    kept = np.diag(_estimate_full(counts))
    return _make_symmetric(kept)


def _estimate_uniform(counts: np.ndarray) -> np.ndarray:
    """All classes err at one rate."""
    return _make_symmetric(np.full(len(counts), np.trace(counts) / counts.sum()))


def _make_symmetric(kept: np.ndarray) -> np.ndarray:
    transition = np.repeat((1 - kept)[:, None] / (len(kept) - 1), len(kept), axis=1)
    np.fill_diagonal(transition, kept)
    return transition


NOISES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "full": _estimate_full,
    "per_class": _estimate_per_class,
    "uniform": _estimate_uniform,
}


class NoiseStep(NamedTuple):
    """How T is maximised given the responsibilities."""

    start: np.ndarray
    prior_counts: np.ndarray  # A: what each row of T was seen to do beforehand
    rows_of: Callable[[np.ndarray], np.ndarray] = _estimate_full
    learn: bool = True

    def update(
        self,
        responsibilities: np.ndarray,
        codes: np.ndarray,
        weights: np.ndarray,
        transition: np.ndarray,
    ) -> np.ndarray:
        """The likeliest T; a class that no row may be of keeps its row of the ``transition``."""
        counts = count_softly(responsibilities, codes, weights, self.start.shape[1])
        updated = self.rows_of(counts + self.prior_counts)
        return np.where(np.isnan(updated), transition, updated)

    def log_prior(self, transition: np.ndarray) -> float:
        """Log-density of T beforehand, up to a constant; none where T is known."""
        return float(xlogy(self.prior_counts, transition).sum()) if self.learn else 0.0


def count_softly(
    responsibilities: np.ndarray, codes: np.ndarray, weights: np.ndarray, n_labels: int
) -> np.ndarray:
    """``C[c, l]``: how many rows with label l are of class c, as far as one can tell."""
    weighted = responsibilities * weights[:, None]
    return np.array([np.bincount(codes, column, n_labels) for column in weighted.T])


def choose_noise_step(model: Any) -> NoiseStep:
    """The transition step that the parameters of ``model`` ask for."""
    n_classes = len(model.classes_)
    beforehand = NoiseModel.uniform(
        n_classes, _check_init_error(model.init_error, n_classes)
    ).transition
    strength = check_fraction("prior_strength", model.prior_strength, high=np.inf)
    start = beforehand
    if model.transition is not None:
        start = check_known_transition(model.transition, model.classes_)
    elif not model.learn_transition:
        raise ValueError(
            "learn_transition=False needs a transition matrix that is known; pass transition=..."
        )
    rows_of = NOISES[check_choice("noise", model.noise, tuple(NOISES))]
    return NoiseStep(start, strength * beforehand, rows_of, bool(model.learn_transition))


def check_known_transition(transition: Any, classes: np.ndarray) -> np.ndarray:
    """The T that the user gave for these classes: a matrix, a NoiseModel, or one error rate."""
    if isinstance(transition, Real):
        transition = NoiseModel.uniform(len(classes), transition)
    T = check_transition(getattr(transition, "transition", transition))
    if getattr(transition, "classes", None) is not None:
        order = _find_positions(classes, transition.classes)
        T = T[np.ix_(order, order)]
    if len(T) != len(classes):
        raise ValueError(
            f"the transition matrix has {len(T)} rows, but there are {len(classes)} classes."
        )
    never = np.flatnonzero(T.sum(axis=0) == 0)
    if len(never):
        raise ValueError(
            f"by the transition matrix no class is ever labelled {classes.tolist()[never[0]]!r}, "
            "but some rows are; every column needs an entry above 0."
        )
    if np.linalg.cond(T) > SINGULAR:
        raise ValueError(
            f"the transition matrix is singular (condition number {np.linalg.cond(T):.2g}): some "
            "classes are labelled alike, so that labels cannot tell them apart; merge these "
            "classes, or mend the matrix."
        )
    return T


def _find_positions(classes: np.ndarray, named: np.ndarray) -> list[int]:
    """Where each of the classes stands among those that a noise model names."""
    names = named.tolist()
    labels = classes.tolist()
    if set(names) != set(labels):
        raise ValueError(
            f"the noise model is for the classes {join_names(map(repr, names))}, but the labels "
            f"are {join_names(map(repr, labels))}; name the same classes, in any order, or none."
        )
    return [names.index(label) for label in labels]


def warn_if_classes_are_confused(transition: np.ndarray, classes: np.ndarray) -> None:
    """Warn when a class is labelled as another at least as often as by its own name."""
    others = np.where(np.eye(len(transition), dtype=bool), -1, transition).max(axis=1)
    lost = np.flatnonzero(np.diag(transition) <= others)
    if len(lost):
        warn_user(
            f"by the transition matrix that was learnt, rows of the class "
            f"{classes.tolist()[lost[0]]!r} mostly have another label, so classes may have been "
            "exchanged; pass the transition matrix if it is known, or a larger prior_strength.",
            ConvergenceWarning,
        )


def _check_init_error(value: Any, n_classes: int) -> float:
    highest = (n_classes - 1) / n_classes
    error = check_fraction("init_error", value)
    if not 0 < error < highest:
        raise ValueError(
            f"init_error={value!r} must be above 0 and below {highest:.3g}, the rate at which "
            f"labels of {n_classes} classes say nothing."
        )
    return error
