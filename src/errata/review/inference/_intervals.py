"""Intervals of a fraction that was counted, and of a count that was only expected."""

import numpy as np
from scipy.special import betaincinv, ndtr, ndtri

_GRID = 1001  # places at which a mixture is looked at


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
    z2 = float(ndtri((1 + coverage) / 2)) ** 2
    centre, half = found + z2 / 2, np.sqrt(z2 * (found * (n - found) / n + z2 / 4))
    low, high = (centre - half) / (n + z2), (centre + half) / (n + z2)
    return max(0.0, float(low)), min(1.0, float(high))


def clopper_pearson(found: int, n: int, coverage: float = 0.95) -> tuple[float, float]:
    """The exact interval of a fraction: it holds the truth at least that often, whatever it is.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 60)
    >>> low, round(high, 3)
    (0.0, 0.06)
    """
    tail = (1 - coverage) / 2
    low = float(betaincinv(found, n - found + 1, tail)) if found else 0.0
    return low, at_most(found, n, 1 - tail)


def at_most(found: int, n: int, confidence: float = 0.95) -> float:
    """The exact upper bound of a fraction.

    Examples
    --------
    >>> round(at_most(0, 60), 3)
    0.049
    """
    return float(betaincinv(found + 1, n - found, confidence)) if found < n else 1.0


def at_least(found: int, n: int, confidence: float = 0.95) -> float:
    """The exact lower bound of a fraction."""
    return 1 - at_most(n - found, n, confidence)


def of_mixture(
    weights: np.ndarray, means: np.ndarray, variances: np.ndarray, most: float, coverage: float
) -> tuple[float, float]:
    """Quantiles of a count between 0 and ``most`` that is nearly normal under each hypothesis."""
    grid = np.linspace(0, most, _GRID)
    spread = np.sqrt(np.maximum(variances, 1e-12))
    below = ndtr((grid[:, None] - means) / spread) @ weights
    tail = (1 - coverage) / 2
    low, high = np.searchsorted(below, [tail, 1 - tail]).clip(max=_GRID - 1)
    return float(grid[low]), float(grid[high])
