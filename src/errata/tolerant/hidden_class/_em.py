"""The one loop of expectation-maximisation: the class is hidden, the label is a noisy copy of it.

Every model of this folder says ``P(label = l | x) = sum_c P(class = c | x) T[c, l]``. They differ
in how the class depends on the features (the *class step*) and in what is known of the transition
matrix T (the *transition step*). Memory is O(n K).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

from ..._warn import warn_user


class Labels(NamedTuple):
    """What the table says: the code of each row's label, and how many rows the row stands for."""

    codes: np.ndarray
    weights: np.ndarray


class ClassFit(NamedTuple):
    """A model of the class: its parameters and what it says of the rows."""

    params: Any
    log_proba: np.ndarray  # (n, K): log P(class | x), or the log-density of x and class
    penalty: float = 0.0  # what the objective loses for these parameters


class Turn(NamedTuple):
    """One expectation and the maximisations around it."""

    fit: ClassFit
    transition: np.ndarray  # T of the expectation
    next_transition: np.ndarray  # T that maximises given it
    responsibilities: np.ndarray  # (n, K): P(class | x, label)
    log_likelihood: float
    objective: float


class EmptyClass(Exception):
    """Raised by a class step, never the first, that is left with too few rows of a class."""


# (responsibilities, T) -> the class model that they call for
ClassStep = Callable[[np.ndarray, np.ndarray], ClassFit]
Settled = Callable[[Turn | None, Turn], bool]


class Maximum(NamedTuple):
    """The last round, and what the rounds before it came to."""

    last: Turn
    log_likelihood: np.ndarray
    objective: np.ndarray


def expectation(
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
    labels: Labels,
    *,
    start: np.ndarray,
    settled: Settled,
    max_iter: int,
) -> Maximum:
    """Take turns between the class model, the expectation and T until ``settled``.

    ``noise`` is a :class:`~._noise.NoiseStep`; ``start`` are the responsibilities that the first
    class model is fitted to.
    """
    history, before = [], None
    responsibilities, transition = start, noise.start
    for n_rounds in range(max_iter):
        try:
            fit = class_step(responsibilities, transition)
        except EmptyClass as reason:
            warn_user(f"{reason}; the fit of round {n_rounds} is kept.", ConvergenceWarning)
            break
        now = _turn(fit, noise, transition, labels)
        history.append((now.log_likelihood, now.objective))
        if settled(before, now):
            break
        before, responsibilities, transition = now, now.responsibilities, now.next_transition
    else:
        warn_user(
            f"the hidden classes had not settled after max_iter={max_iter} rounds; raise max_iter "
            "or tol.",
            ConvergenceWarning,
        )
    return Maximum(now, *np.array(history).T)


def _turn(fit: ClassFit, noise: Any, transition: np.ndarray, labels: Labels) -> Turn:
    responsibilities, log_p = expectation(fit.log_proba, transition, labels.codes)
    log_likelihood = float(labels.weights @ log_p)
    objective = log_likelihood + noise.log_prior(transition) - fit.penalty
    after = noise.update(responsibilities, labels, transition)
    return Turn(fit, transition, after, responsibilities, log_likelihood, objective)


def objective_settled(tol: float, before: Turn | None, now: Turn) -> bool:
    """Whether the objective has stopped growing."""
    if before is None:
        return False
    return bool(abs(now.objective - before.objective) <= tol * abs(now.objective))


def transition_settled(tol: float, before: Turn | None, now: Turn) -> bool:
    """Whether T has stopped moving; where it is known, whether the responsibilities have.

    Out of fold the likelihood need not rise, so that it is not asked.
    """
    if before is None:
        return False
    if now.next_transition is now.transition:
        return bool(np.abs(now.responsibilities - before.responsibilities).max() < tol)
    return bool(np.abs(now.next_transition - now.transition).max() < tol)
