"""The one loop: reinforce the probabilities, fit the model with the weights left, and again."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..._validation import check_log_probabilities
from ..._warn import warn_user
from ._mean_weight import choose_log_alpha
from ._weights import reinforced_log_likelihood, weigh


class Fit(NamedTuple):
    """What a model plugged into the loop answers to a set of weights."""

    params: Any
    log_p: np.ndarray  # log-probability of each training row under the parameters
    log_prior: float = 0.0  # minus the model's own penalty (ridge, kernel), 0 when it has none


# Given the weight of each row and the parameters before (None at first), fit the model.
Maximise = Callable[[np.ndarray, Any], Fit]


class Degenerate(ValueError):
    """The weights given to a model leave it nothing to fit; the message says what is gone."""


class Rule(NamedTuple):
    """How the loop reinforces and when it stops; the parameters shared by all the estimators."""

    penalty: str
    log_alpha: float | None  # None: chosen anew at each iteration, to reach the mean weight
    mean_weight: float
    max_iter: int
    tol: float


class Reinforced(NamedTuple):
    """The end of the loop: the parameters, and what belongs to them row by row."""

    fit: Fit
    weights: np.ndarray
    log_alpha: float
    objective: np.ndarray  # at each iteration, under the alpha of that iteration
    n_iter: int
    converged: bool


def reinforce(
    maximise: Maximise,
    rule: Rule,
    *,
    sample_weight: np.ndarray,
    w_init: np.ndarray,
) -> Reinforced:
    """Maximise the reinforced likelihood (5) by weighted fits, as section 3.2 of the paper does.

    The weighted likelihood is a lower bound of the reinforced one that touches it at the present
    parameters (theorem 3). So with alpha, the reinforcement, fixed the objective never falls,
    provided that ``maximise`` raises the weighted log-likelihood plus ``log_prior``.
    """
    # With w_init at its default, ones, this is the plain fit, that of an infinite alpha.
    weights, fit, objective = w_init, maximise(sample_weight * w_init, None), []
    log_alpha = np.nan if rule.log_alpha is None else rule.log_alpha
    for n_iter in range(1, rule.max_iter + 1):
        log_p = check_log_probabilities("log_p", fit.log_p)
        # Half of the iterations without rest may mean that rows hop in and out of an L1 threshold
        # that moves with them: from then on it is held still.
        if rule.log_alpha is None and n_iter <= max(1, rule.max_iter // 2):
            log_alpha = choose_log_alpha(log_p, sample_weight, rule.mean_weight, rule.penalty)
        before, weights = weights, weigh(log_p, log_alpha, rule.penalty)
        objective.append(_objective(fit, log_alpha, rule.penalty, sample_weight))
        # A row that stands for no row has a weight too, but no say in when to stop.
        moved = np.abs(weights - before)[sample_weight > 0].max()
        if moved <= rule.tol:
            break
        if n_iter == rule.max_iter:
            _warn_restless(moved, n_iter)
            break
        try:
            fit = _refit(maximise, sample_weight * weights, fit.params)
        except Degenerate as reason:
            warn_user(f"{reason}; keeping the fit before that.")
            break
    converged = bool(moved <= rule.tol)
    return Reinforced(fit, weights, log_alpha, np.array(objective), n_iter, converged)


def _warn_restless(moved: float, n_iter: int) -> None:
    warn_user(
        f"after {n_iter} iterations the weights still move by {moved:.2g}; "
        "raise max_iter or tol, or pass a number for reinforcement.",
        ConvergenceWarning,
    )


def _refit(maximise: Maximise, row_weights: np.ndarray, params: Any) -> Fit:
    if not row_weights.any():
        raise Degenerate("the reinforcement is so small that no row keeps any weight")
    return maximise(row_weights, params)


def _objective(fit: Fit, log_alpha: float, penalty: str, sample_weight: np.ndarray) -> float:
    gains = reinforced_log_likelihood(fit.log_p, log_alpha, penalty)
    return float(sample_weight @ gains) + fit.log_prior
