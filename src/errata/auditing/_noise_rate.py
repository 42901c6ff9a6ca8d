"""How many labels are wrong, and between which bounds."""

from typing import NamedTuple


class NoiseRate(NamedTuple):
    """Fraction of wrong labels: the estimate, and the interval that should hold the truth.

    The interval holds nine tenths of the posterior over noise hypotheses.

    Examples
    --------
    >>> from errata.auditing import NoiseRate
    >>> print(NoiseRate(0.087, 0.061, 0.112))
    8.7% (6.1% to 11.2%)
    """

    estimate: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.estimate:.1%} ({self.low:.1%} to {self.high:.1%})"
