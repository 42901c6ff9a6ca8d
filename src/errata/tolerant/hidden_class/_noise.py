"""The transition matrix in the loop: where it starts, what is known beforehand, how it is learnt.

Beforehand T is thought to be ``NoiseModel.uniform(K, init_error)``, as firmly as ``prior_strength``
rows seen of each class would make it (a Dirichlet prior on each row of T).
"""

from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy
from sklearn.exceptions import ConvergenceWarning

from ..._format import listed
from ..._validation import check_choice, check_fraction, check_transition
from ..._warn import warn_user
from ...noise import NoiseModel
from ._em import Labels

# Beyond this condition number labels do not tell some classes apart.
SINGULAR = 1e6


def _full(counts: np.ndarray) -> np.ndarray:
    """Every class errs in its own way; a class without rows has no way that could be told."""
    total = counts.sum(axis=1, keepdims=True)
    return np.divide(counts, total, out=np.full_like(counts, np.nan), where=total > 0)


def _per_class(counts: np.ndarray) -> np.ndarray:
    """Every class errs at its own rate, towards all others alike."""
    kept = np.diag(_full(counts))
    return _symmetric(kept)


def _uniform(counts: np.ndarray) -> np.ndarray:
    """All classes err at one rate."""
    return _symmetric(np.full(len(counts), np.trace(counts) / counts.sum()))


def _symmetric(kept: np.ndarray) -> np.ndarray:
    transition = np.repeat((1 - kept)[:, None] / (len(kept) - 1), len(kept), axis=1)
    np.fill_diagonal(transition, kept)
    return transition


NOISES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "full": _full,
    "per_class": _per_class,
    "uniform": _uniform,
}


class NoiseStep(NamedTuple):
    """How T is maximised given the responsibilities."""

    start: np.ndarray
    prior_counts: np.ndarray  # A: what each row of T was seen to do beforehand
    rows_of: Callable[[np.ndarray], np.ndarray] = _full
    learn: bool = True

    def update(
        self, responsibilities: np.ndarray, labels: Labels, transition: np.ndarray
    ) -> np.ndarray:
        """The likeliest T; a class that no row may be of keeps its row of the ``transition``."""
        if not self.learn:
            return transition
        counts = soft_counts(responsibilities, labels, self.start.shape[1])
        updated = self.rows_of(counts + self.prior_counts)
        return np.where(np.isnan(updated), transition, updated)

    def log_prior(self, transition: np.ndarray) -> float:
        """Log-density of T beforehand, up to a constant; none where T is known."""
        return float(xlogy(self.prior_counts, transition).sum()) if self.learn else 0.0


def soft_counts(responsibilities: np.ndarray, labels: Labels, n_labels: int) -> np.ndarray:
    """``C[c, l]``: how many rows with label l are of class c, as far as one can tell."""
    weighted = responsibilities * labels.weights[:, None]
    return np.array([np.bincount(labels.codes, column, n_labels) for column in weighted.T])


def noise_step(model: Any) -> NoiseStep:
    """The transition step that the parameters of ``model`` ask for."""
    n_classes = len(model.classes_)
    beforehand = NoiseModel.uniform(n_classes, _init_error(model.init_error, n_classes)).transition
    strength = check_fraction("prior_strength", model.prior_strength, high=np.inf)
    start = beforehand
    if model.transition is not None:
        start = known_transition(model.transition, model.classes_)
    elif not model.learn_transition:
        raise ValueError(
            "learn_transition=False needs a transition matrix that is known; pass transition=..."
        )
    rows_of = NOISES[check_choice("noise", model.noise, tuple(NOISES))]
    return NoiseStep(start, strength * beforehand, rows_of, bool(model.learn_transition))


def known_transition(transition: Any, classes: np.ndarray) -> np.ndarray:
    """What the user says of T for these classes: a matrix, a NoiseModel, or one error rate."""
    if isinstance(transition, Real):
        transition = NoiseModel.uniform(len(classes), transition)
    T = check_transition(getattr(transition, "transition", transition))
    if getattr(transition, "classes", None) is not None:
        order = _places_of(classes, transition.classes)
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


def _places_of(classes: np.ndarray, named: np.ndarray) -> list[int]:
    """Where each of the classes stands among those that a noise model names."""
    names, labels = named.tolist(), classes.tolist()
    if set(names) != set(labels):
        raise ValueError(
            f"the noise model is for the classes {listed(map(repr, names))}, but the labels are "
            f"{listed(map(repr, labels))}; name the same classes, in any order, or none."
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


def _init_error(value: Any, n_classes: int) -> float:
    highest = (n_classes - 1) / n_classes
    error = check_fraction("init_error", value)
    if not 0 < error < highest:
        raise ValueError(
            f"init_error={value!r} must be above 0 and below {highest:.3g}, the rate at which "
            f"labels of {n_classes} classes say nothing."
        )
    return error
