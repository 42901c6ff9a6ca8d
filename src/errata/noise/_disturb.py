"""Wrong numbers: targets of a regression that are swapped, blown up, shifted or in another unit."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from .._validation import check_choice, check_fraction

TARGET_NOISE = ("swap", "gross", "shift", "unit")
GROSS = (3.0, 10.0)  # standard deviations that a gross error is off by, at least and at most
SHIFT = 1.5
INCH = 2.54
REGION = 1 / 3  # of the table, in which units are confused


def disturb_targets(
    y: Any,
    rate: float,
    *,
    kind: str = "swap",
    by: Any = None,
    random_state: Any = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Put wrong numbers into the targets of a regression, and tell which.

    Parameters
    ----------
    y : array-like of shape (n,)
        The targets; missing ones stay so.
    rate : float
        Fraction of the targets that are changed, to the nearest row.
    kind : {"swap", "gross", "shift", "unit"}, default="swap"
        The value of another row; 3 to 10 standard deviations up or down, ten times too much or too
        little, or the sign lost, each as often; 1.5 standard deviations up or down; times 2.54, in
        a third of the table.
    by : array-like of shape (n,), optional
        For "unit": the third with the largest of these numbers. Any third by default.
    random_state : int, RandomState or None
        Fix it to get the same noise again.

    Returns
    -------
    noisy : array of float of shape (n,)
    changed : array of bool of shape (n,)
        Where ``noisy`` differs from ``y``: a value swapped for an equal one is no error.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.noise import disturb_targets
    >>> noisy, changed = disturb_targets(np.arange(100.0), 0.1, random_state=0)
    >>> int(changed.sum())
    10
    """
    check_choice("kind", kind, TARGET_NOISE)
    check_fraction("rate", rate)
    targets, random = np.array(y, dtype=float), check_random_state(random_state)
    there = np.flatnonzero(~np.isnan(targets))
    rows = _drawn(there, round(rate * len(there)), by if kind == "unit" else None, kind, random)
    noisy = targets.copy()
    spread = float(np.std(targets[there])) if len(there) else 0.0
    noisy[rows] = _wrong(kind, targets, rows, there, spread, random)
    changed = np.zeros(len(targets), dtype=bool)
    changed[rows] = noisy[rows] != targets[rows]
    return noisy, changed


def _drawn(there: np.ndarray, number: int, by: Any, kind: str, random: Any) -> np.ndarray:
    """Rows that get a wrong number; those of units from one part of the table."""
    if kind == "unit":
        size = max(number, round(REGION * len(there)))
        order = random.permutation(len(there)) if by is None else np.argsort(-np.asarray(by)[there])
        there = there[order[:size]]
    return random.choice(there, number, replace=False)


def _wrong(
    kind: str, targets: np.ndarray, rows: np.ndarray, there: np.ndarray, spread: float, random: Any
) -> np.ndarray:
    values = targets[rows]
    side = random.choice([-1.0, 1.0], len(rows))
    if kind == "swap":
        return targets[random.choice(there, len(rows))]
    if kind == "shift":
        return values + SHIFT * spread * side
    if kind == "unit":
        return INCH * values
    off = values + side * random.uniform(*GROSS, len(rows)) * spread
    ways = np.stack([off, 10 * values, values / 10, -values])
    return ways[random.randint(len(ways), size=len(rows)), np.arange(len(rows))]
