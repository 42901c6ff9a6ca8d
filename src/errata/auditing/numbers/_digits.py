"""Suggestions as the column is written: its digits, its sign, whole numbers where it has them."""

from typing import NamedTuple

import numpy as np

from .._settings import MOST_DECIMALS, MOST_NOUGHTS, WRITTEN_SO


class Digits(NamedTuple):
    """How the targets of a column are written."""

    decimals: int | None  # behind the point; below 0 for round numbers; None for all there are
    least: float  # a number below would have another sign than all that look right

    def write(self, values: np.ndarray) -> np.ndarray:
        """Numbers as the column would hold them."""
        values = np.maximum(values, self.least)
        return values if self.decimals is None else np.round(values, self.decimals)

    def finer(self, values: np.ndarray) -> np.ndarray:
        """Numbers with one digit more, as the bounds of an interval."""
        return values if self.decimals is None else np.round(values, self.decimals + 1)

    def text(self, value: float) -> str:
        """A number in the same digits, for people.

        >>> [Digits(places, 0.0).text(200 / 3) for places in (1, -1, None)]
        ['66.7', '67', '66.6667']
        """
        return f"{value:.6g}" if self.decimals is None else f"{value:.{max(self.decimals, 0)}f}"


def digits_of(targets: np.ndarray) -> Digits:
    """How targets are written, of which at most a few are wrong.

    Examples
    --------
    >>> digits_of(np.array([12.5, 30.0, 17.25])).write(np.array([18.2179, -3.0]))
    array([18.22, 12.5 ])
    >>> digits_of(np.array([1200, 300, 1700])).write(np.array([481.7]))
    array([500.])
    """
    places = range(-MOST_NOUGHTS, MOST_DECIMALS + 1)
    decimals = next((place for place in places if _fits(targets, place)), None)
    return Digits(decimals, _least(targets))


def _fits(targets: np.ndarray, decimals: int) -> bool:
    """Whether nearly all targets have no more digits than these."""
    off = np.abs(np.round(targets, decimals) - targets)
    return bool(np.mean(off <= 1e-9 * np.maximum(1.0, np.abs(targets))) >= WRITTEN_SO)


def _least(targets: np.ndarray) -> float:
    """The smallest number that may be suggested, where none has the other sign."""
    if targets.min() < 0:
        return -np.inf
    return float(targets.min()) if targets.min() > 0 else 0.0
