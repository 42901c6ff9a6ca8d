"""What a reinforcement does to one row: its size, the weight left, the value of the objective.

The formulas have the letters of the paper: ``alpha`` is the constant that the estimators call
``reinforcement``, ``r`` what is added to the probability ``p`` of a row, and ``w = p / (p + r)``
its weight. What is paid for a reinforcement is ``alpha Omega(r) = c (1 - w)`` under both penalties,
with ``c`` = 1 for L1 and 1/2 for L2.

Everything is computed from logarithms, so that a density of 1e-400 is not a special case.
"""

import numpy as np
from scipy.special import expit

PENALTIES = ("l1", "l2")
_PRICE = {"l1": 1.0, "l2": 0.5}
_LOG_2 = np.log(2.0)
_TIE_BREAK = 1e-6  # of the abnormality; the rest of it is one minus the weight
_LOG_NEXT_TO_NOTHING = -1e300  # stands for the logarithm of 0, so that inf - inf never occurs


def weigh(log_p: np.ndarray, log_alpha: float, penalty: str) -> np.ndarray:
    """Weight of each row (34): ``min(1, alpha p)`` or ``2z / (z + √(z² + 4))``, z = p √alpha."""
    log_p = np.maximum(log_p, _LOG_NEXT_TO_NOTHING)
    with np.errstate(over="ignore"):
        if penalty == "l1":
            return np.exp(np.minimum(0.0, log_alpha + log_p))
        # Divided through by z: z² would overflow for large z, and inf / inf is nan.
        return 2 / (1 + np.hypot(1.0, np.exp(_LOG_2 - log_p - log_alpha / 2)))


def log_reinforced(log_p: np.ndarray, log_alpha: float, penalty: str) -> np.ndarray:
    """Logarithm of the reinforced probability ``p + r`` (equations 13 and 18)."""
    if penalty == "l1":
        return np.maximum(log_p, -log_alpha)
    log_root = np.logaddexp(2 * log_p, 2 * _LOG_2 - log_alpha) / 2  # of sqrt(p² + 4 / alpha)
    return np.logaddexp(log_p, log_root) - _LOG_2


def added_probabilities(log_p: np.ndarray, log_alpha: float, penalty: str) -> np.ndarray:
    """The reinforcements ``r`` (equations 12 and 17); inf where they exceed the largest float.

    From ``r = (1 - w) / alpha`` for L1 and ``r = 1 / (alpha (p + r))`` for L2, neither of which
    subtracts two numbers that may be nearly equal.
    """
    with np.errstate(over="ignore", divide="ignore"):
        if penalty == "l1":
            log_p = np.maximum(log_p, _LOG_NEXT_TO_NOTHING)
            return np.exp(np.log(-np.expm1(np.minimum(0.0, log_alpha + log_p))) - log_alpha)
        return np.exp(-log_alpha - log_reinforced(log_p, log_alpha, penalty))


def abnormality(log_p: np.ndarray, log_alpha: float, penalty: str) -> np.ndarray:
    """One minus the weight (section 3.5), to the sixth digit; the rest keeps the order of ``p``.

    L1 gives a weight of one to all the likely rows. Where more rows are wrong than the mean weight
    leaves room for, some of the wrong are among them, and a list sorted by abnormality should still
    have these next.
    """
    degree = 1 - weigh(log_p, log_alpha, penalty)
    if penalty == "l2":
        return degree
    log_odds = -(log_alpha + np.maximum(log_p, _LOG_NEXT_TO_NOTHING))
    return (1 - _TIE_BREAK) * degree + _TIE_BREAK * expit(log_odds)


def reinforced_log_likelihood(log_p: np.ndarray, log_alpha: float, penalty: str) -> np.ndarray:
    """Each row's term of the objective (5), its reinforcement being the best one.

    That is ``log(p + r) - alpha Omega(r)``: what the loop raises from step to step.
    """
    degree = 1 - weigh(log_p, log_alpha, penalty)
    return log_reinforced(log_p, log_alpha, penalty) - _PRICE[penalty] * degree
