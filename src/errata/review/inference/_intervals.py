"""Intervals of a fraction that was counted, and of a count that was only expected."""

from math import erfc, sqrt
from statistics import NormalDist

import numpy as np

_HALVINGS = 40  # of the range that a quantile lies in


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
    centre, half = found + z2 / 2, sqrt(z2 * (found * (n - found) / n + z2 / 4))
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


def of_mixture(
    weights: np.ndarray, means: np.ndarray, variances: np.ndarray, most: float, coverage: float
) -> tuple[float, float]:
    """Quantiles of a count between 0 and ``most`` that is nearly normal under each hypothesis."""
    spread = np.sqrt(2 * np.maximum(variances, 1e-12))
    parts = list(zip(weights.tolist(), means.tolist(), spread.tolist(), strict=True))
    tail = (1 - coverage) / 2
    return _quantile(parts, tail, most), _quantile(parts, 1 - tail, most)


def _quantile(parts: list[tuple[float, float, float]], level: float, most: float) -> float:
    """Where the distribution function of the mixture reaches a level, by halving."""
    low, high = 0.0, float(most)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = sum(weight * erfc((mean - middle) / spread) for weight, mean, spread in parts) / 2
        low, high = (middle, high) if below < level else (low, middle)
    return high
