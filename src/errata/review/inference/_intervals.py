"""Intervals of fractions and numbers that were counted, in one sample or in two strata.

Of the N_s rows of stratum s, K_s are wrong; n_s were drawn without replacement, and x_s of them are
wrong, which is hypergeometric. The statistic is the stratified estimate of the fraction,

    T = sum_s (N_s / N) x_s / n_s,

and a number K of wrong labels in all is ruled out from below when T was as large as it is, or
larger, with a probability of less than 2.5 % for every split of K into strata; likewise from above.
What verdicts on other rows make certain bounds the K_s. Nothing is approximated, so the interval
holds the truth at least as often as it says. It is the narrower the more the strata differ: there
the predictions are at work.
"""

from math import sqrt
from statistics import NormalDist

import numpy as np

from ._anytime import Draws, log_choose

SPLITS = 60  # of a number of wrong labels into strata that are tried, and so many around the worst


def wilson(found: int, n: int, coverage: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a fraction, of which ``found`` in ``n`` were seen.

    Its mean coverage is close to what is asked for even when few were seen; that of each single
    fraction is not guaranteed.

    Examples
    --------
    >>> low, high = wilson(37, 41)
    >>> round(low, 2), round(high, 2)
    (0.77, 0.96)
    """
    if n == 0:
        return 0.0, 1.0
    z2 = NormalDist().inv_cdf((1 + coverage) / 2) ** 2
    centre = found + z2 / 2
    half = sqrt(z2 * (found * (n - found) / n + z2 / 4))
    return max(0.0, (centre - half) / (n + z2)), min(1.0, (centre + half) / (n + z2))


def clopper_pearson(found: int, n: int, coverage: float = 0.95) -> tuple[float, float]:
    """The exact interval of a fraction: it holds the truth at least that often, whatever it is.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 60)
    >>> low, round(high, 3)
    (0.0, 0.06)
    """
    tail = (1 - coverage) / 2
    return at_least(found, n, 1 - tail), at_most(found, n, 1 - tail)


def at_most(found: int, n: int, confidence: float = 0.95) -> float:
    """The exact upper bound of a fraction.

    Examples
    --------
    >>> round(at_most(0, 60), 3)
    0.049
    """
    from scipy.special import betaincinv  # a quarter of a second, and not for the first card

    return float(betaincinv(found + 1, n - found, confidence)) if found < n else 1.0


def at_least(found: int, n: int, confidence: float = 0.95) -> float:
    """The exact lower bound of a fraction."""
    return 1 - at_most(n - found, n, confidence)


def at_least_wrong(draws: Draws, confidence: float = 0.975) -> int:
    """The smallest number of wrong labels that is not ruled out."""
    low = sum(least for least, _ in draws.limits)
    high = sum(most for _, most in draws.limits)
    while low < high:
        middle = (low + high) // 2
        if _chance(draws, middle) > 1 - confidence:
            high = middle
        else:
            low = middle + 1
    return low


def at_most_wrong(draws: Draws, confidence: float = 0.975) -> int:
    """The largest number of wrong labels that is not ruled out."""
    return sum(draws.rows) - at_least_wrong(draws.exchange(), confidence)


def _chance(draws: Draws, total: int) -> float:
    """The largest probability, over all splits of ``total``, of a statistic as large as it is."""
    (least, most), (other_least, other_most) = draws.limits
    low = max(least, total - other_most)
    high = min(most, total - other_least)
    tried = np.unique(np.linspace(low, high, SPLITS).round().astype(int))
    chances = _chances(draws, tried, total)
    if high - low < SPLITS:
        return float(chances.max())
    step = -(-(high - low) // (SPLITS - 1))
    worst = int(tried[chances.argmax()])
    near = np.unique(np.linspace(worst - step, worst + step, SPLITS).round().astype(int))
    near = near[(near >= low) & (near <= high)]
    return float(max(chances.max(), _chances(draws, near, total).max()))


def _chances(draws: Draws, split: np.ndarray, total: int) -> np.ndarray:
    """Probability of the statistic or a larger one, if so many of the first stratum are wrong."""
    rows, other_rows = draws.rows
    drawn, other_drawn = map(int, draws.drawn)
    wrong, other_wrong = draws.wrong
    seen = _hypergeometric(rows, drawn, split)
    beyond = _hypergeometric(other_rows, other_drawn, total - split)
    beyond = np.cumsum(beyond[:, ::-1], axis=1)[:, ::-1]
    beyond = np.column_stack([beyond, np.zeros(len(split))])
    # What is missing of the statistic, but for a factor, after the draws of the first stratum.
    worth = rows / max(drawn, 1)
    other_worth = other_rows / max(other_drawn, 1)
    missing = (wrong - np.arange(drawn + 1)) * worth + other_wrong * other_worth
    needed = np.ceil(missing / max(other_worth, 1.0) - 1e-9).clip(0, other_drawn + 1).astype(int)
    return np.sum(seen * beyond[:, needed], axis=1)


def _hypergeometric(rows: int, drawn: int, wrong: np.ndarray) -> np.ndarray:
    """Probabilities of 0, 1, ... wrong labels among those drawn, a line for each number in all."""
    found = np.arange(drawn + 1)
    wrong = wrong[:, None]
    others = rows - wrong
    possible = (found <= wrong) & (drawn - found <= others)
    logs = (
        log_choose(wrong, np.minimum(found, wrong))
        + log_choose(others, np.clip(drawn - found, 0, others))
        - log_choose(rows, drawn)
    )
    return np.where(possible, np.exp(logs), 0.0)
