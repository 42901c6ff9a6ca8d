"""How good the list has been so far, how much is left to find, and when to stop."""

from typing import NamedTuple

import numpy as np

from ._components import COVERAGE, Components, Evidence, RowSums, update
from ._intervals import at_most, of_mixture, wilson

NEXT = 20  # rows that the rule to stop looks ahead
MOST_OF_THEM = 0.95  # of the wrong labels among suspects: the pace says when so many are found


class SoFar(NamedTuple):
    """Verdicts on suspects, beside what the audit promised of the same rows."""

    wrong: int
    decided: int
    low: float  # Wilson's interval of the fraction that is wrong
    high: float
    promised: float  # fraction of these rows that the audit expected to be wrong

    @property
    def as_promised(self) -> bool:
        """Whether the promise lies within the interval."""
        return not self.decided or self.low <= self.promised <= self.high


class Left(NamedTuple):
    """Wrong labels that are expected among rows which nobody has looked at."""

    rows: int
    expected: float
    low: float
    high: float


class Spot(NamedTuple):
    """Rows that were not flagged, drawn at random and looked at."""

    wrong: int
    decided: int  # rows looked at
    at_most: float  # fraction of rows not flagged that are wrong, exact with 95 % confidence
    missed: int  # so many rows at most
    unsure: int = 0  # of those looked at, not told; the bound takes them for wrong


class Pace(NamedTuple):
    """How many more rows until most of the wrong suspects are found, and how long that takes."""

    rows: int
    minutes: float | None


class ReviewProgress(NamedTuple):
    """Everything that is in view while a person decides."""

    so_far: SoFar
    flagged: Left
    others: Left
    rate: Left  # of all rows, what was found already included
    pace: Pace
    next_wrong: float | None  # fraction of the next twenty suspects expected to be wrong
    stop: bool
    spot: Spot
    suspects: int  # decided or not


def progress(
    components: Components,
    evidence: Evidence,
    upcoming: np.ndarray,
    *,
    spot: tuple[int, int, int] = (0, 0, 0),
    seconds: float | None = None,
    stop_at: float = 0.1,
) -> ReviewProgress:
    """All numbers of the page.

    Parameters
    ----------
    components : Components
        As the audit left them.
    evidence : Evidence
        All verdicts so far.
    upcoming : array of shape (m,)
        ``p_wrong`` by what is known now of the suspects that are not decided, in the order of the
        queue.
    spot : (int, int, int)
        Of the rows of the spot pile, how many were wrong, how many were looked at, and how many of
        these nobody could tell.
    seconds : float, optional
        That a decision takes.
    stop_at : float, default=0.1
        Time to stop when less than this fraction of the next twenty is expected to be wrong.
    """
    now = update(components, evidence)
    flagged = components.flagged.plus(evidence.flagged, -1).plus(evidence.unsure_flagged, -1)
    others = components.others.plus(evidence.others, -1).plus(evidence.unsure_others, -1)
    ahead = float(np.mean(upcoming[:NEXT])) if len(upcoming) else None
    return ReviewProgress(
        so_far=so_far(evidence),
        flagged=expected_left(now, flagged),
        others=expected_left(now, others),
        rate=found_and_left(now, evidence),
        pace=pace_of(evidence.found_flagged, upcoming, seconds),
        next_wrong=ahead,
        stop=ahead is None or ahead < stop_at,
        spot=spot_bound(components.others.rows, *spot),
        suspects=components.flagged.rows,
    )


def so_far(evidence: Evidence) -> SoFar:
    """How many of the suspects decided so far were wrong."""
    decided, wrong = evidence.flagged.rows, evidence.found_flagged
    return SoFar(wrong, decided, *wilson(wrong, decided), evidence.promised / max(decided, 1))


def expected_left(components: Components, undecided: RowSums) -> Left:
    """Wrong labels expected among rows that are left.

    The interval is that of the mixture of components: what is not known of the noise, and chance.
    """
    weights = components.weights.ravel()
    wrong = undecided.wrong.ravel().clip(0, undecided.rows)
    low, high = of_mixture(
        weights, wrong, undecided.variance.ravel(), max(undecided.rows, 0), COVERAGE
    )
    expected = float(weights @ wrong)
    return Left(undecided.rows, expected, min(low, expected), max(high, expected))


def found_and_left(components: Components, evidence: Evidence) -> Left:
    """Wrong labels in the whole table: those found, and those expected elsewhere.

    A row that nobody could tell is still as likely wrong as before.
    """
    every = components.flagged.plus(components.others)
    decided = evidence.flagged.plus(evidence.others)
    rest = expected_left(components, every.plus(decided, -1))
    found = evidence.found_flagged + evidence.found_others
    return Left(every.rows, *(found + number for number in rest[1:]))


def pace_of(found: int, upcoming: np.ndarray, seconds: float | None) -> Pace:
    """Rows to go until most of the wrong labels among suspects are found, if taken in order."""
    expected = found + np.r_[0.0, np.cumsum(upcoming)]
    rows = int(np.searchsorted(expected, MOST_OF_THEM * expected[-1]))
    return Pace(rows, None if seconds is None else rows * seconds / 60)


def spot_bound(rows: int, wrong: int, decided: int, unsure: int = 0) -> Spot:
    """What the audit missed at most, by rows that were drawn uniformly from those not flagged."""
    most = at_most(wrong + unsure, decided) if decided else 1.0
    return Spot(wrong, decided, most, int(most * rows), unsure)
