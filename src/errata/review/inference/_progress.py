"""How good the list has been so far, how much is left, and when to stop; also in sentences."""

from math import ceil, floor
from typing import NamedTuple

import numpy as np

from ..._format import count, percent, plural
from ...audit_folder import Components, Evidence, Left, expected_left, update
from ._certificate import Certificate, GoldAnswers, at_most, wilson

NEXT = 20  # rows that the rule to stop looks ahead
MOST_OF_THEM = 0.95  # of the wrong labels among suspects: the pace says when so many are found

SPOT_CHECK = 60  # rows: with none wrong among them, at most 5 % of the others are


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


def so_far(evidence: Evidence) -> SoFar:
    """How many of the suspects decided so far were wrong."""
    decided = evidence.flagged.rows
    wrong = evidence.found_flagged
    return SoFar(wrong, decided, *wilson(wrong, decided), evidence.promised / max(decided, 1))


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
        flagged=expected_left(now, flagged=flagged),
        others=expected_left(now, others=others),
        rate=found_and_left(now, evidence),
        pace=pace_of(evidence.found_flagged, upcoming, seconds),
        next_wrong=ahead,
        stop=ahead is None or ahead < stop_at,
        spot=spot_bound(components.others.rows, *spot),
        suspects=components.flagged.rows,
    )


def found_and_left(components: Components, evidence: Evidence) -> Left:
    """Wrong labels in the whole table: those found, and those expected elsewhere.

    A row that nobody could tell is still as likely wrong as before.
    """
    flagged = components.flagged.plus(evidence.flagged, -1)
    others = components.others.plus(evidence.others, -1)
    rest = expected_left(components, flagged=flagged, others=others)
    found = evidence.found_flagged + evidence.found_others
    rows = components.flagged.rows + components.others.rows
    return Left(rows, *(found + number for number in rest[1:]))


def pace_of(found: int, upcoming: np.ndarray, seconds: float | None) -> Pace:
    """Rows to go until most of the wrong labels among suspects are found, if taken in order."""
    expected = found + np.r_[0.0, np.cumsum(upcoming)]
    rows = int(np.searchsorted(expected, MOST_OF_THEM * expected[-1]))
    return Pace(rows, None if seconds is None else rows * seconds / 60)


def spot_bound(rows: int, wrong: int, decided: int, unsure: int = 0) -> Spot:
    """What the audit missed at most, by rows that were drawn uniformly from those not flagged."""
    most = at_most(wrong + unsure, decided) if decided else 1.0
    return Spot(wrong, decided, most, int(most * rows), unsure)


def sentences(progress: ReviewProgress) -> dict[str, str]:
    """What to say, by the part of the page that says it; "" where there is nothing to say."""
    return {
        "so_far": so_far_sentence(progress.so_far) if progress.suspects else "no row is flagged",
        "warning": warning_sentence(progress.so_far),
        "left": left_sentence(progress),
        "pace": pace_sentence(progress.pace),
        "stop": stop_sentence(progress),
        "spot": spot_sentence(progress.spot),
    }


def so_far_sentence(so_far: SoFar) -> str:
    """How good the list has been.

    >>> from errata.review.inference._progress import SoFar
    >>> so_far_sentence(SoFar(37, 41, 0.78, 0.96, 0.88))
    '37 of 41 were wrong (90%, 78 to 96%); expected 88%'
    """
    if not so_far.decided:
        return "no suspect is decided yet"
    share = percent(so_far.wrong / so_far.decided)
    reach = _range(so_far.low, so_far.high)
    were = "was" if 1 in (so_far.wrong, so_far.decided) else "were"
    return (
        f"{count(so_far.wrong)} of {count(so_far.decided)} {were} wrong ({share}, {reach}); "
        f"expected {percent(so_far.promised)}"
    )


def warning_sentence(so_far: SoFar) -> str:
    """What to think when the promise is outside of the interval."""
    if so_far.as_promised:
        return ""
    if so_far.promised > so_far.high:
        return "fewer were wrong than expected: the numbers below count on less, and so should you"
    return "more were wrong than expected: the numbers below count on more"


def left_sentence(progress: ReviewProgress) -> str:
    """What is still to be found.

    >>> from types import SimpleNamespace as Made
    >>> from errata.review.inference._progress import Left, Spot
    >>> left_sentence(Made(flagged=Left(146, 12.2, 8, 17), others=Left(1610, 9.1, 3, 20),
    ...                    spot=Spot(0, 0, 1.0, 1610)))
    'expected among 146 unreviewed suspects: 12 (8 to 17); among the 1,610 not flagged: 9, by the
    model alone: spot-check 60'
    """
    flagged = progress.flagged
    others = progress.others
    suspects = plural(flagged.rows, "unreviewed suspect")
    among = f"expected among {suspects}: {_expected(flagged)}" if flagged.rows else ""
    rest = f"among the {count(others.rows)} not flagged: "
    if progress.spot.decided:
        rest += _expected(others)
    else:
        rest += f"{count(round(others.expected))}, by the model alone: spot-check {SPOT_CHECK}"
    return f"{among}; {rest}" if among else f"expected {rest}"


def pace_sentence(pace: Pace) -> str:
    """How long it takes to find most of them.

    >>> from errata.review.inference._progress import Pace
    >>> pace_sentence(Pace(40, 5.1))
    'about 95% found after 40 more, 5 minutes'
    """
    if not pace.rows:
        return ""
    after = f"about 95% found after {count(pace.rows)} more"
    if pace.minutes is None:
        return after
    return f"{after}, {plural(max(1, round(pace.minutes)), 'minute')}"


def stop_sentence(progress: ReviewProgress) -> str:
    """Whether it is time to stop."""
    if not progress.stop or not progress.suspects:
        return ""
    if progress.next_wrong is None:
        return "every suspect is decided"
    return f"only {percent(progress.next_wrong)} of the next are expected to be wrong: time to stop"


def spot_sentence(spot: Spot) -> str:
    """What the audit missed at most.

    >>> from errata.review.inference._progress import Spot
    >>> spot_sentence(Spot(0, 60, 0.0487, 78))
    'none of 60 spot-checked was wrong: at most 4.9% of the rows not flagged (78), with 95%
    confidence'
    """
    if not spot.decided:
        return ""
    found = count(spot.wrong) if spot.wrong else "none"
    unsure = f", {count(spot.unsure)} may be" if spot.unsure else ""
    return (
        f"{found} of {count(spot.decided)} spot-checked {'was' if spot.wrong < 2 else 'were'} "
        f"wrong{unsure}: at most {percent(_up(spot.at_most))} of the rows not flagged "
        f"({count(spot.missed)}), with 95% confidence"
    )


def certificate_sentence(certificate: Certificate, judged: str = "labels") -> str:
    """What the verdicts prove, whatever the models did; "" before the first.

    ``judged`` is what is right or wrong.

    >>> from errata.review.inference import Certificate
    >>> certificate_sentence(Certificate(0.09, 0.05, 0.16, 40, 0.5, 120, 10, 0.6, more=124))
    '5.0 to 16% of all labels are wrong (95% confidence, valid whenever you stop; 40 rows drawn by
    lot); of the 120 most suspicious rows at least 50% are; about 120 more verdicts until ±3%'
    """
    if not certificate.verdicts:
        return ""
    drawn = f"{plural(certificate.verdicts, 'row')} drawn by lot"
    if certificate.fixed is None:
        holds = "valid whenever you stop"
    elif certificate.verdicts < certificate.fixed:
        return f"{drawn}: nothing is proven before {count(certificate.fixed)}, as was fixed"
    else:
        holds = f"for the {count(certificate.fixed)} verdicts that were fixed in advance"
    parts = [
        f"{_range(_down(certificate.low), _up(certificate.high))} of all {judged} are wrong "
        f"(95% confidence, {holds}; {drawn})"
    ]
    if certificate.listed:
        parts.append(
            f"of the {count(certificate.listed)} most suspicious rows at least "
            f"{percent(certificate.precision)} are"
        )
    if certificate.low_with_slips is not None and certificate.high_with_slips is not None:
        reach = _range(_down(certificate.low_with_slips), _up(certificate.high_with_slips))
        slips = f"allowing for slips as in {plural(certificate.gold, 'gold row')}"
        parts.append(f"{slips}, {reach} of all {judged} are")
    if certificate.more:
        parts.append(f"about {count(_round_roughly(certificate.more))} more verdicts until ±3%")
    if not certificate.agrees:
        parts.append("the audit and the verdicts disagree, so it is wider than it could be")
    return "; ".join(parts)


def gold_sentence(answers: GoldAnswers) -> str:
    """How often a reviewer was right where the label was certain.

    >>> gold_sentence(GoldAnswers("ann", 19, 10, 10, alarms=1))
    'ann was right on 19 of 20 gold rows (67 to 100%)'
    """
    low, high = answers.interval
    return (
        f"{answers.reviewer} was right on {count(answers.right)} of "
        f"{plural(answers.rows, 'gold row')} ({_range(_down(low), _up(high))})"
    )


def _round_roughly(number: int) -> int:
    """A number of which the second digit means little: 124 is about 120."""
    step = 10 ** max(len(str(number)) - 2, 0)
    return round(number / step) * step


def _expected(left: Left) -> str:
    low = count(int(left.low))
    high = count(int(-(-left.high // 1)))
    return f"{count(round(left.expected))} ({low} to {high})"


def _range(low: float, high: float) -> str:
    return f"{percent(low).removesuffix('%')} to {percent(high)}"


def _up(bound: float) -> float:
    """An upper bound as it is shown, never below what it is.

    >>> [percent(_up(bound)) for bound in (0.0491, 0.05, 0.1601, 1.0)]
    ['5.0%', '5.0%', '17%', '100%']
    """
    return ceil(bound / _shown(bound) - 1e-9) * _shown(bound)


def _down(bound: float) -> float:
    """A lower bound as it is shown, never above what it is."""
    return floor(bound / _shown(bound) + 1e-9) * _shown(bound)


def _shown(fraction: float) -> float:
    """How finely ``percent`` shows a fraction."""
    return 0.001 if fraction < 0.0995 else 0.01
