"""What a reinforcement does to one row: its size, the weight left, the value of the objective.

Everything is computed from logarithms, so that a row whose density is 1e-400 is no special case.
With ``w`` for the weight, the price paid for a reinforcement is ``alpha Omega(r) = c (1 - w)``
under both penalties, with ``c`` = 1 for L1 and 1/2 for L2.
"""

from typing import Any

import numpy as np
from scipy.special import expit

from .._validation import check_choice

PENALTIES = ("l1", "l2")
_PRICE = {"l1": 1.0, "l2": 0.5}
_LOG_2 = np.log(2.0)
_TIE_BREAK = 1e-6
_LOG_NEXT_TO_NOTHING = -1e300  # stands for the logarithm of 0, so that inf - inf never occurs


def reinforcement_weights(log_p: Any, log_alpha: float, *, penalty: str = "l1") -> np.ndarray:
    """Weight of each row, ``w = p / (p + r)``, once its probability has been reinforced.

    Reach for it to reinforce a model of your own: maximise the weighted likelihood, compute these
    weights, and repeat. A row that the model finds likely keeps a weight near one; the weight of an
    unlikely row falls in proportion to its probability. The order of the rows never changes.

    Parameters
    ----------
    log_p : array-like of shape (n,)
        Log-probability or log-density of each row under the model; -inf is welcome (weight 0
        for any finite alpha).
    log_alpha : float
        Logarithm of the reinforcement constant: the higher, the fewer rows are let go. ``inf``
        leaves every row its weight of one. :func:`select_log_alpha` chooses it.
    penalty : {"l1", "l2"}, default="l1"
        "l1" lets go of the rows below the threshold 1/alpha and of no other; "l2" is smooth, with
        its threshold at 1/sqrt(alpha).

    Returns
    -------
    array of shape (n,), with values in [0, 1]

    Notes
    -----
    The reinforcement ``r >= 0`` maximises ``log(p + r) - alpha Omega(r)`` with ``Omega(r) = r``
    (L1, equation 12 of [1]_) or ``r²/2`` (L2, equation 17), so that ``w = min(1, alpha p)`` or
    ``w = 2z / (z + sqrt(z² + 4))`` with ``z = p sqrt(alpha)``.

    References
    ----------
    .. [1] Frénay and Verleysen. Pointwise probability reinforcements for robust statistical
       inference. Neural Networks 50, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> p = np.array([0.01, 0.1, 0.5, 0.8, 1.0])
    >>> reinforcement_weights(np.log(p), np.log(75)).round(3)
    array([0.75, 1.  , 1.  , 1.  , 1.  ])
    >>> reinforcement_weights(np.log(p), np.log(412.6), penalty="l2").round(3)
    array([0.184, 0.832, 0.99 , 0.996, 0.998])
    """
    check_choice("penalty", penalty, PENALTIES)
    if np.isnan(log_alpha) or log_alpha == -np.inf:
        raise ValueError(f"log_alpha={log_alpha!r} must be the logarithm of a number above 0.")
    return weigh(check_log_p(log_p), log_alpha, penalty)


def weigh(log_p: np.ndarray, log_alpha: float, penalty: str) -> np.ndarray:
    """The weights of rows that have been checked; see :func:`reinforcement_weights`."""
    log_p = np.maximum(log_p, _LOG_NEXT_TO_NOTHING)
    with np.errstate(over="ignore"):
        if penalty == "l1":
            return np.exp(np.minimum(0.0, log_alpha + log_p))
        return 2 / (1 + np.hypot(1.0, np.exp(_LOG_2 - log_p - log_alpha / 2)))


def log_reinforced(log_p: np.ndarray, log_alpha: float, penalty: str) -> np.ndarray:
    """Logarithm of the reinforced probability ``p + r`` (equations 13 and 18)."""
    if penalty == "l1":
        return np.maximum(log_p, -log_alpha)
    log_root = np.logaddexp(2 * log_p, 2 * _LOG_2 - log_alpha) / 2  # of sqrt(p² + 4 / alpha)
    return np.logaddexp(log_p, log_root) - _LOG_2


def reinforcements(log_p: np.ndarray, log_alpha: float, penalty: str) -> np.ndarray:
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

    L1 gives a weight of one to all the likely rows. Where more rows are wrong than were to be let
    go, some of the wrong are among them, and a list sorted by abnormality should still have these
    next.
    """
    degree = 1 - weigh(log_p, log_alpha, penalty)
    if penalty == "l2":
        return degree
    log_odds = -(log_alpha + np.maximum(log_p, _LOG_NEXT_TO_NOTHING))
    return (1 - _TIE_BREAK) * degree + _TIE_BREAK * expit(log_odds)


def reinforced_log_likelihood(log_p: np.ndarray, log_alpha: float, penalty: str) -> np.ndarray:
    """Each row's share of the objective (5), its reinforcement being the best one.

    That is ``log(p + r) - alpha Omega(r)``: what the loop raises from step to step.
    """
    degree = 1 - weigh(log_p, log_alpha, penalty)
    return log_reinforced(log_p, log_alpha, penalty) - _PRICE[penalty] * degree


def check_log_p(log_p: Any) -> np.ndarray:
    """Return log-probabilities as an array, or name the first row that has none."""
    log_p = np.asarray(log_p, dtype=float)
    if log_p.ndim != 1 or len(log_p) == 0:
        raise ValueError(f"log_p must hold one number per row, but its shape is {log_p.shape}.")
    wrong = np.isnan(log_p) | (log_p == np.inf)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise ValueError(
            f"log_p[{row}] = {log_p[row]} is the logarithm of no probability or density; "
            "a model whose likelihood is infinite or undefined cannot be reinforced."
        )
    return log_p
