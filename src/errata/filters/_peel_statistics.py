"""How suspicious each row looks to a boosted ensemble: the statistics behind peeling.

``agreement`` (n, T) says for each row and round whether the rule gave its label: 1 or -1.
"""

from collections.abc import Iterable

import numpy as np
from scipy.stats import t as student

SCALES = ("pooled", "paper", "between")


def misclassification_rate(agreement: np.ndarray) -> np.ndarray:
    """Share of the rounds that were wrong about each row, the accurate ones counting more."""
    wrong = agreement < 0
    n_right = (~wrong).sum(axis=0)  # whole numbers: a tie of the rounds is exactly one half
    total = n_right.sum()
    return wrong @ n_right / total if total > 0 else wrong.mean(axis=1)


def mean_vote(agreement: np.ndarray) -> np.ndarray:
    """Mean over the rounds, from -1 (all wrong about the row) to 1."""
    return agreement.mean(axis=1, dtype=float)


def mean_weight(
    weights: Iterable[np.ndarray], *, gamma: float, scale: str
) -> tuple[np.ndarray, float]:
    """Mean over the rounds of the weight of each row, and the line above which it is suspicious.

    The line is ``1/n + t s``, t being the quantile of order ``1 - gamma`` of Student's distribution
    and s the spread of the weights: of all rows and rounds ("pooled"), that divided by the root of
    the number of rounds ("paper"), or of the means ("between"). The mean of all is 1/n.
    """
    total = squares = np.zeros(1)
    n_rounds = 0
    for round_weights in weights:
        total = total + round_weights
        squares = squares + (round_weights - 1 / len(round_weights)) ** 2
        n_rounds += 1
    mean, n = total / n_rounds, len(total)
    if scale == "between":
        spread, freedom = mean.std(ddof=1), n - 1
    else:
        freedom = n_rounds * n - 1
        spread = np.sqrt(squares.sum() / freedom)
        spread /= np.sqrt(n_rounds) if scale == "paper" else 1
    return mean, float(1 / n + student.ppf(1 - gamma, freedom) * spread)


def keep_safe(
    flagged: np.ndarray,
    suspicion: np.ndarray,
    codes: np.ndarray,
    *,
    max_peel: int,
    min_per_class: int,
) -> tuple[np.ndarray, bool]:
    """The rows to peel: at most ``max_peel``, and not the last ``min_per_class`` of a class.

    The least suspicious are spared. Says, too, whether some were for the sake of their class.
    """
    peeled = np.zeros(len(flagged), dtype=bool)
    suspects = np.flatnonzero(flagged)
    suspects = suspects[np.argsort(-suspicion[suspects], kind="stable")]
    peeled[suspects[:max_peel]] = True
    rescued = False
    for code in np.unique(codes):
        members = np.flatnonzero(codes == code)
        wanted = min(min_per_class, len(members))
        missing = wanted - int((~peeled[members]).sum())
        if missing > 0:
            gone = members[peeled[members]]
            peeled[gone[np.argsort(suspicion[gone], kind="stable")][:missing]] = False
            rescued = True
    return peeled, rescued
