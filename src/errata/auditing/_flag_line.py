"""Flags of many rows: a line through suspicion, drawn from sums over its bins.

Where rows are too many to be sorted in one place, whatever is needed to draw the line is added up
part by part. The list is the same as that of :mod:`._flags` but for rows within a bin of the line.
"""

from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from ._flags import Flags, best_f1_rule, longest_rule, no_flags
from ._settings import LEAST_FLAGGED, SUSPICION_BINS


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows by bins of suspicion, from 0 to 1; those of two parts, added, are those of both."""

    count: np.ndarray  # rows of each bin
    mass: np.ndarray  # of them expected to be wrong
    worth: np.ndarray  # rows of each bin that are wrong with a probability worth a look
    worth_mass: np.ndarray  # of them expected to be wrong

    @classmethod
    def of(cls, p_wrong: np.ndarray, suspicion: np.ndarray) -> "Ranking":
        """That of some rows whose label may be wrong."""
        # The number of bins is a power of two, so that places and edges have no rounding.
        place = np.minimum((suspicion * SUSPICION_BINS).astype(np.intp), SUSPICION_BINS - 1)
        worth = p_wrong >= LEAST_FLAGGED
        p_worth, among = p_wrong[worth], place[worth]
        return cls(
            count=np.bincount(place, minlength=SUSPICION_BINS),
            mass=np.bincount(place, weights=p_wrong, minlength=SUSPICION_BINS),
            worth=np.bincount(among, minlength=SUSPICION_BINS),
            worth_mass=np.bincount(among, weights=p_worth, minlength=SUSPICION_BINS),
        )

    def __add__(self, other: "Ranking") -> "Ranking":
        return Ranking(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


class FlagLine(NamedTuple):
    """Rows are flagged that reach both, and what may be expected of them."""

    suspicion: float
    p_wrong: float
    expected_precision: float
    expected_recall: float
    rule: str

    def flags(self, p_wrong: np.ndarray, suspicion: np.ndarray) -> np.ndarray:
        """Which rows are flagged, of rows whose label may be wrong."""
        return (suspicion >= self.suspicion) & (p_wrong >= self.p_wrong)


def draw_line(ranking: Ranking, precision: float | None = None) -> FlagLine:
    """The line by the same rules as :func:`._flags.draw_flags`, a whole bin at a time.

    With bins from above, count c and mass m, the expected F1 score of the first k bins is
    ``2 sum(m[:k]) / (sum(c[:k]) + sum(m))``.
    """
    count, mass, worth, worth_mass = (
        getattr(ranking, field.name)[::-1].cumsum() for field in fields(ranking)
    )
    total, precise = float(mass[-1]), precision is not None
    if precision is None:
        bins, least, rule = _best_f1(count, mass, worth), LEAST_FLAGGED, best_f1_rule()
    else:
        bins, least, rule = _longest(count, mass, precision), 0.0, longest_rule(precision)
    if not bins:
        return FlagLine(np.inf, least, np.nan, 0.0 if total > 0 else np.nan, rule)
    rows = (count if precise else worth)[bins - 1]
    wrong = float((mass if precise else worth_mass)[bins - 1])
    edge = (SUSPICION_BINS - bins) / SUSPICION_BINS
    return FlagLine(edge, least, wrong / rows, wrong / total if total > 0 else np.nan, rule)


def _best_f1(count: np.ndarray, mass: np.ndarray, worth: np.ndarray) -> int:
    """How many bins from above have the largest expected F1 score, where any row is worth it."""
    if not worth[-1]:
        return 0
    return int((mass / (count + mass[-1])).argmax()) + 1


def _longest(count: np.ndarray, mass: np.ndarray, precision: float) -> int:
    """How many bins from above keep so large a fraction expected to be wrong."""
    enough = np.flatnonzero((count > 0) & (mass >= precision * count))
    return int(enough[-1]) + 1 if len(enough) else 0


def no_line() -> FlagLine:
    """Nothing is flagged: the columns cannot tell."""
    nothing = no_flags(0)
    return FlagLine(np.inf, np.inf, np.nan, np.nan, nothing.rule)


def flags_by_line(
    p_wrong: np.ndarray, suspicion: np.ndarray, precision: float | None = None
) -> Flags:
    """The flags of many rows that are in memory, the same as those of rows on disk."""
    line = draw_line(Ranking.of(p_wrong, suspicion), precision)
    told = (line.expected_precision, line.expected_recall, line.rule)
    return Flags(line.flags(p_wrong, suspicion), *told)
