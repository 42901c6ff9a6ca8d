"""The reinforcement constant at which the weights of the rows have a given mean (section 5)."""

import numpy as np
from scipy.optimize import brentq

from ._weights import weigh

# Fractions that differ by less than this are equal: sums of weights carry rounding errors.
_ROUNDING = 1e-9


def choose_log_alpha(
    log_p: np.ndarray, counts: np.ndarray, mean_weight: float, penalty: str
) -> float:
    """Logarithm of the alpha for which the mean weight of the rows is ``mean_weight``.

    The logarithm, as alpha itself may exceed the largest float. Rows with ``log_p`` of -inf have
    weight 0; ``counts`` says how many rows each row stands for.

    L1 is solved exactly by sorting, equations 72 and 73, with two repairs: all the rows may have to
    be below weight one, and the k rows below it must outnumber the rows to give up (else the
    logarithm of zero turns up whenever the worst rows underflow). L2 is a search for the root of an
    increasing function, in a bracket that holds for densities of any unit: at its left end every
    weight is at most ``mean_weight``, at its right end at least.
    """
    log_p, counts = log_p[counts > 0], counts[counts > 0]
    needed = _mean_of_possible(log_p, counts, mean_weight, penalty)
    possible = log_p > -np.inf
    search = _by_sorting if penalty == "l1" else _by_root
    return search(log_p[possible], counts[possible], needed)


def _mean_of_possible(
    log_p: np.ndarray, counts: np.ndarray, mean_weight: float, penalty: str
) -> float:
    """The mean weight that the rows of non-zero probability need, the others having weight zero."""
    impossible = log_p == -np.inf
    left = 1 - counts[impossible].sum() / counts.sum()
    # L1 gives all possible rows a weight of one at a finite alpha, L2 in the limit only.
    margin = _ROUNDING if penalty == "l2" else -_ROUNDING
    if not left > mean_weight + margin:
        raise ValueError(
            f"{impossible.sum()} of {len(log_p)} rows have probability zero, so that no "
            f"reinforcement gives a mean weight of {mean_weight:g}; pass a mean_weight below "
            f"{left:.3g}, or use a model that finds every row possible."
        )
    return min(1.0, mean_weight / left)


def _by_sorting(log_p: np.ndarray, counts: np.ndarray, mean_weight: float) -> float:
    """L1: find how many rows fall below weight one (72), then alpha from their sum (73)."""
    order = np.argsort(log_p, kind="stable")
    log_p, counts = log_p[order], counts[order]
    log_sum = np.logaddexp.accumulate(log_p + np.log(counts))
    below, total = np.cumsum(counts), counts.sum()
    give_up = (1 - mean_weight) * total
    # Mean weight when alpha = 1 / p of the next row: the first k rows below one, the others at one.
    at_next = (np.exp(log_sum[:-1] - log_p[1:]) + total - below[:-1]) / total
    enough = (at_next <= mean_weight) & (below[:-1] > give_up + _ROUNDING * total)
    k = int(enough.argmax()) if enough.any() else len(log_p) - 1
    return float(np.log(below[k] - give_up) - log_sum[k])


def _by_root(log_p: np.ndarray, counts: np.ndarray, mean_weight: float) -> float:
    """L2: the root of the mean weight minus the one to reach."""

    def excess(log_alpha: float) -> float:
        return float(np.average(weigh(log_p, log_alpha, "l2"), weights=counts)) - mean_weight

    low, high = l2_bracket(log_p, mean_weight)
    margin = 1e-9 * (1 + abs(low) + abs(high))  # for equal log_p, where the bracket is one point
    return float(brentq(excess, low - margin, high + margin, xtol=1e-12, maxiter=1000))


def l2_bracket(log_p: np.ndarray, mean_weight: float) -> tuple[float, float]:
    """Values of log alpha at which no L2 weight is above, and none below, ``mean_weight``."""
    # The weight of a row is mean_weight where p sqrt(alpha) = z.
    log_z = np.log(mean_weight) - np.log1p(-mean_weight) / 2
    return 2 * (log_z - log_p.max()), 2 * (log_z - log_p.min())
