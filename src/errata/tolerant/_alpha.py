"""How much reinforcement to allow: the alpha at which a given share of the data is kept."""

from typing import Any

import numpy as np
from scipy.optimize import brentq

from .._validation import check_choice, check_row_weights
from ._checks import check_target
from ._weights import PENALTIES, check_log_p, weigh

# Shares that differ by less than this are equal: sums of weights carry rounding errors.
_ROUNDING = 1e-9


def select_log_alpha(
    log_p: Any, target: float = 0.95, *, penalty: str = "l1", sample_weight: Any = None
) -> float:
    """Logarithm of the alpha for which the mean weight of the rows is ``target``.

    Cross-validation cannot choose alpha: validation rows hold the same errors as training rows and
    vote for keeping them. What a user can state is the share of the rows that deserve to be fitted.
    Asking for too little costs almost nothing, asking for too much keeps errors in: with 10 % wrong
    rows take 0.9 or less, not 0.95. Costs O(n log n) for "l1" and some twenty sums for "l2".

    Parameters
    ----------
    log_p : array-like of shape (n,)
        Log-probability or log-density of each row under the model; -inf means weight 0.
    target : float in (0, 1), default=0.95
        The mean weight to reach.
    penalty : {"l1", "l2"}, default="l1"
        As for :func:`reinforcement_weights`.
    sample_weight : array-like of shape (n,), optional
        How many rows each row stands for in the mean.

    Returns
    -------
    float
        The logarithm, as alpha itself may exceed the largest float.

    Notes
    -----
    L1 is solved exactly by sorting, equations 72 and 73 of [1]_, with two repairs: all the rows may
    have to be below weight one, and the k rows below it must outnumber the share to give up (else
    the logarithm of zero turns up whenever the worst rows underflow). L2 is a search for the root
    of an increasing function, in a bracket that holds for densities of any unit: at its left end
    every weight is at most ``target``, at its right end at least.

    References
    ----------
    .. [1] Frénay and Verleysen. Pointwise probability reinforcements for robust statistical
       inference. Neural Networks 50, 2014. Section 5.

    Examples
    --------
    >>> import numpy as np
    >>> log_p = np.log([0.01, 0.1, 0.5, 0.8, 1.0])
    >>> round(float(np.exp(select_log_alpha(log_p, 0.95))), 6)
    75.0
    >>> round(float(np.exp(select_log_alpha(log_p, 0.95, penalty="l2"))), 3)
    23197.079
    """
    check_choice("penalty", penalty, PENALTIES)
    target = check_target(target)
    log_p = check_log_p(log_p)
    counts = check_row_weights("sample_weight", sample_weight, len(log_p))
    log_p, counts = log_p[counts > 0], counts[counts > 0]
    share = _share_of_possible(log_p, counts, target, penalty)
    possible = log_p > -np.inf
    search = _by_sorting if penalty == "l1" else _by_root
    return search(log_p[possible], counts[possible], share)


def _share_of_possible(log_p: np.ndarray, counts: np.ndarray, target: float, penalty: str) -> float:
    """The mean weight that the rows of non-zero probability need, the others having weight zero."""
    impossible = log_p == -np.inf
    left = 1 - counts[impossible].sum() / counts.sum()
    reachable = left > target + _ROUNDING if penalty == "l2" else left > target - _ROUNDING
    if not reachable:
        raise ValueError(
            f"{impossible.sum()} of {len(log_p)} rows have probability zero, so that no alpha "
            f"gives a mean weight of {target:g}; pass a target below {left:.3g}, or use a model "
            "that finds every row possible."
        )
    return min(1.0, target / left)


def _by_sorting(log_p: np.ndarray, counts: np.ndarray, target: float) -> float:
    """L1: find how many rows fall below weight one (72), then alpha from their sum (73)."""
    order = np.argsort(log_p, kind="stable")
    log_p, counts = log_p[order], counts[order]
    log_sum = np.logaddexp.accumulate(log_p + np.log(counts))
    below, total = np.cumsum(counts), counts.sum()
    give_up = (1 - target) * total
    # Mean weight when alpha = 1 / p of the next row: the first k rows below one, the others at one.
    at_next = (np.exp(log_sum[:-1] - log_p[1:]) + total - below[:-1]) / total
    enough = (at_next <= target) & (below[:-1] > give_up + _ROUNDING * total)
    k = int(enough.argmax()) if enough.any() else len(log_p) - 1
    return float(np.log(below[k] - give_up) - log_sum[k])


def _by_root(log_p: np.ndarray, counts: np.ndarray, target: float) -> float:
    """L2: the root of the mean weight minus the target."""

    def excess(log_alpha: float) -> float:
        return float(np.average(weigh(log_p, log_alpha, "l2"), weights=counts)) - target

    low, high = l2_bracket(log_p, target)
    margin = 1e-9 * (1 + abs(low) + abs(high))  # for equal log_p, where the bracket is one point
    return float(brentq(excess, low - margin, high + margin, xtol=1e-12, maxiter=1000))


def l2_bracket(log_p: np.ndarray, target: float) -> tuple[float, float]:
    """Values of log alpha at which no L2 weight is above, and none below, ``target``."""
    log_z = np.log(target) - np.log1p(-target) / 2  # the weight is target where p sqrt(alpha) = z
    return 2 * (log_z - log_p.max()), 2 * (log_z - log_p.min())
