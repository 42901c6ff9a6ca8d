"""Axes: where a number lies on one, in percent of its length, and round numbers to mark."""

from math import ceil, floor, log10
from typing import Any, NamedTuple

from .._format import number


class Axis(NamedTuple):
    """An axis from ``low`` to ``high``, perhaps of logarithms."""

    low: float
    high: float
    logs: bool = False

    def at(self, value: float) -> float:
        """Where a number lies, from 0 to 100; outside of that if it is beyond an end.

        >>> Axis(10, 30).at(15), Axis(1, 100, logs=True).at(10)
        (25.0, 50.0)
        """
        low, high, value = map(self._of, (self.low, self.high, value))
        return 100 * (value - low) / (high - low)

    def _of(self, value: float) -> float:
        return log10(max(value, 1e-300)) if self.logs else value

    def ticks(self, about: int = 5) -> list[dict[str, Any]]:
        """Round numbers on the axis, with their places.

        >>> [tick["text"] for tick in Axis(12, 61).ticks()]
        ['20', '30', '40', '50', '60']
        >>> [tick["text"] for tick in Axis(3, 2400, logs=True).ticks()]
        ['10', '100', '1,000']
        """
        values = self._powers() if self.logs else []
        values = values if len(values) > 1 else self._steps(about)
        return [{"at": self.at(value), "text": number(value, 6)} for value in values]

    def _powers(self) -> list[float]:
        first, last = ceil(log10(self.low)), floor(log10(self.high))
        return [float(10.0**power) for power in range(first, last + 1)]

    def _steps(self, about: int) -> list[float]:
        rough = (self.high - self.low) / about
        power = 10.0 ** floor(log10(rough))
        # Rather some marks more than too few.
        step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= 0.7 * rough)
        first, last = ceil(self.low / step), floor(self.high / step)
        return [step * place for place in range(first, last + 1)]


def around(values: list[float], margin: float = 0.04, *, logs: bool = False) -> Axis:
    """An axis that all of some numbers lie on, with a margin.

    >>> around([0.0, 50.0])
    Axis(low=-2.0, high=52.0, logs=False)
    """
    low, high = min(values), max(values)
    if logs:
        factor = (high / low) ** margin if high > low else 2.0
        return Axis(low / factor, high * factor, logs=True)
    room = margin * (high - low) or max(abs(high), 1.0)
    return Axis(low - room, high + room)
