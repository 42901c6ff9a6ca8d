"""How good the list has been so far, how much is left, and when to stop; also in sentences."""

from collections.abc import Callable
from math import ceil, floor, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from ..._format import count, percent, plural
from ...audit_folder import Components, Evidence, expected_left
from ...audit_folder.decisions import RowVerdict

NEXT = 20  # rows that the rule to stop looks ahead
MOST_OF_THEM = 0.95  # of the wrong labels among suspects: the pace says when so many are found
SPOT_CHECK = 60  # rows: with none wrong among them, at most 5 % of the others are
PILES = ("calibration", "spot")


def progress(
    now: Components,
    evidence: Evidence,
    upcoming: np.ndarray,
    *,
    spot: tuple[int, int, int] = (0, 0, 0),
    seconds: float | None = None,
    stop_at: float = 0.1,
) -> dict[str, Any]:
    """All numbers of the page, as a dict that is valid JSON.

    Parameters
    ----------
    now : Components
        As reweighed by the evidence, see :func:`update`.
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

    Returns
    -------
    dict
        ``so_far``: verdicts on suspects, Wilson's interval of the fraction that was wrong, and what
        the audit ``expected`` of the same rows. ``flagged`` and ``others``: rows that nobody has
        looked at, and how many of them are expected to be wrong. ``rate``: the same of all rows,
        what was found already included. ``pace``: rows to go until most of the wrong suspects are
        found, and minutes. ``next_wrong``: the fraction of the next twenty suspects expected to be
        wrong. ``stop``: whether it is time to. ``spot``: what the rows of the spot pile were, and
        at most how many labels of rows that are not flagged are wrong, with 95 % confidence.
        ``suspects``: how many there are, decided or not.
    """
    decided = evidence.flagged.rows
    low, high = wilson(evidence.found_flagged, decided)
    flagged = now.flagged.plus(evidence.flagged, -1)
    others = now.others.plus(evidence.others, -1)
    # A row that nobody could tell is still as likely wrong as before, but it is not left to decide.
    left = flagged.plus(evidence.unsure_flagged, -1)
    other_left = others.plus(evidence.unsure_others, -1)
    found = evidence.found_flagged + evidence.found_others
    in_all = [found + number for number in expected_left(now, flagged=flagged, others=others)]
    ahead = float(np.mean(upcoming[:NEXT])) if len(upcoming) else None
    to_go = count_to_go(evidence.found_flagged, upcoming)
    return {
        "so_far": {
            "wrong": evidence.found_flagged,
            "decided": decided,
            "low": low,
            "high": high,
            "expected": evidence.expected / max(decided, 1),
        },
        "flagged": _name_expected(left.rows, expected_left(now, flagged=left)),
        "others": _name_expected(other_left.rows, expected_left(now, others=other_left)),
        "rate": _name_expected(now.flagged.rows + now.others.rows, in_all),
        "pace": {"rows": to_go, "minutes": None if seconds is None else to_go * seconds / 60},
        "next_wrong": ahead,
        "stop": ahead is None or ahead < stop_at,
        "spot": bound_missed(now.others.rows, *spot),
        "suspects": now.flagged.rows,
    }


def _name_expected(rows: int, numbers: Any) -> dict[str, Any]:
    return {"rows": rows, **dict(zip(("expected", "low", "high"), numbers, strict=True))}


def count_to_go(found: int, upcoming: np.ndarray) -> int:
    """Rows until most of the wrong labels among suspects are found, if taken in order."""
    expected = found + np.r_[0.0, np.cumsum(upcoming)]
    return int(np.searchsorted(expected, MOST_OF_THEM * expected[-1]))


def bound_missed(rows: int, wrong: int, decided: int, unsure: int = 0) -> dict[str, Any]:
    """The most that the audit missed, by rows drawn uniformly from those not flagged.

    The bound takes those that nobody could tell for wrong.
    """
    most = at_most(wrong + unsure, decided) if decided else 1.0
    missed = int(most * rows)
    return {
        "wrong": wrong,
        "decided": decided,
        "at_most": most,
        "missed": missed,
        "unsure": unsure,
    }


def wilson(found: int, n: int) -> tuple[float, float]:
    """Wilson's interval of a fraction, of which ``found`` in ``n`` were seen.

    Its mean coverage is close to 95 % even when few were seen; that of each single fraction is not
    guaranteed.

    Examples
    --------
    >>> low, high = wilson(37, 41)
    >>> round(low, 2), round(high, 2)
    (0.77, 0.96)
    """
    if n == 0:
        return 0.0, 1.0
    z2 = NormalDist().inv_cdf(0.975) ** 2
    centre = found + z2 / 2
    half = sqrt(z2 * (found * (n - found) / n + z2 / 4))
    return max(0.0, (centre - half) / (n + z2)), min(1.0, (centre + half) / (n + z2))


def at_most(found: int, n: int) -> float:
    """The exact upper bound of a fraction, at 95 % confidence.

    Examples
    --------
    >>> round(at_most(0, 60), 3)
    0.049
    """
    from scipy.special import betaincinv  # a quarter of a second, and not for the first card

    return float(betaincinv(found + 1, n - found, 0.95)) if found < n else 1.0


def find_drawn_rows(
    piles: dict[str, Any], verdict_of: Callable[[int], RowVerdict | None], audit: str
) -> dict[str, list[Any]]:
    """Both piles as far as they were gone through: the second counts when the first is done."""
    drawn = {queue: find_seen_rows(piles[queue], queue, verdict_of, audit) for queue in PILES}
    if len(drawn["calibration"]) < len(piles["calibration"]):
        drawn["spot"] = []
    return drawn


def find_seen_rows(
    pile: list[Any], queue: str, verdict_of: Callable[[int], RowVerdict | None], audit: str
) -> list[Any]:
    """The pile from its top to the last row that was decided as one of it, without a gap.

    A row further down may have been decided because it is suspicious; it is no random draw then.
    Neither is one that was drawn for another audit, whose piles were others. A row about which
    everything was taken back waits for its turn again.
    """
    reached = 0
    for place, entry in enumerate(pile, start=1):
        verdict = verdict_of(entry[0] if isinstance(entry, list | tuple) else entry)
        if verdict is None or verdict.state == "seen":
            break
        if (verdict.queue, verdict.audit) == (queue, audit):
            reached = place
    return pile[:reached]


def sentences(numbers: dict[str, Any]) -> dict[str, str]:
    """A sentence for each part of the page; "" where there is nothing to say."""
    return {
        "so_far": describe_so_far(numbers) if numbers["suspects"] else "no row is flagged",
        "warning": describe_surprise(numbers),
        "left": describe_left(numbers),
        "pace": describe_pace(numbers),
        "stop": describe_stop(numbers),
        "spot": describe_spot_check(numbers),
    }


def describe_so_far(numbers: dict[str, Any]) -> str:
    """How good the list has been.

    >>> so_far = {"wrong": 37, "decided": 41, "low": 0.78, "high": 0.96, "expected": 0.88}
    >>> describe_so_far({"so_far": so_far})
    '37 of 41 were wrong (90%, 78 to 96%); expected 88%'
    """
    so_far = numbers["so_far"]
    wrong = so_far["wrong"]
    decided = so_far["decided"]
    if not decided:
        return "no suspect is decided yet"
    were = "was" if 1 in (wrong, decided) else "were"
    reach = _format_range(so_far["low"], so_far["high"])
    return (
        f"{count(wrong)} of {count(decided)} {were} wrong ({percent(wrong / decided)}, {reach}); "
        f"expected {percent(so_far['expected'])}"
    )


def describe_surprise(numbers: dict[str, Any]) -> str:
    """A remark where the expectation is outside of the interval."""
    so_far = numbers["so_far"]
    if not so_far["decided"] or so_far["low"] <= so_far["expected"] <= so_far["high"]:
        return ""
    if so_far["expected"] > so_far["high"]:
        return "fewer were wrong than expected: the numbers below count on less, and so should you"
    return "more were wrong than expected: the numbers below count on more"


def describe_left(numbers: dict[str, Any]) -> str:
    """How much is still to be found.

    >>> flagged = {"rows": 146, "expected": 12.2, "low": 8, "high": 17}
    >>> others = {"rows": 1610, "expected": 9.1, "low": 3, "high": 20}
    >>> describe_left({"flagged": flagged, "others": others, "spot": {"decided": 0}})
    'expected among 146 unreviewed suspects: 12 (8 to 17); among the 1,610 not flagged: 9, by the
    model alone: spot-check 60'
    """
    flagged = numbers["flagged"]
    others = numbers["others"]
    suspects = plural(flagged["rows"], "unreviewed suspect")
    among = f"expected among {suspects}: {_format_expected(flagged)}" if flagged["rows"] else ""
    rest = f"among the {count(others['rows'])} not flagged: "
    if numbers["spot"]["decided"]:
        rest += _format_expected(others)
    else:
        rest += f"{count(round(others['expected']))}, by the model alone: spot-check {SPOT_CHECK}"
    return f"{among}; {rest}" if among else f"expected {rest}"


def describe_pace(numbers: dict[str, Any]) -> str:
    """How long it takes to find most of them.

    >>> describe_pace({"pace": {"rows": 40, "minutes": 5.1}})
    'about 95% found after 40 more, 5 minutes'
    """
    pace = numbers["pace"]
    if not pace["rows"]:
        return ""
    after = f"about 95% found after {count(pace['rows'])} more"
    if pace["minutes"] is None:
        return after
    return f"{after}, {plural(max(1, round(pace['minutes'])), 'minute')}"


def describe_stop(numbers: dict[str, Any]) -> str:
    """Whether it is time to stop."""
    if not numbers["stop"] or not numbers["suspects"]:
        return ""
    ahead = numbers["next_wrong"]
    if ahead is None:
        return "every suspect is decided"
    return f"only {percent(ahead)} of the next are expected to be wrong: time to stop"


def describe_spot_check(numbers: dict[str, Any]) -> str:
    """How much the audit missed at most.

    >>> describe_spot_check({"spot": bound_missed(1610, wrong=0, decided=60)})
    'none of 60 spot-checked was wrong: at most 4.9% of the rows not flagged (78), with 95%
    confidence'
    """
    spot = numbers["spot"]
    wrong = spot["wrong"]
    if not spot["decided"]:
        return ""
    unsure = f", {count(spot['unsure'])} may be" if spot["unsure"] else ""
    return (
        f"{count(wrong) if wrong else 'none'} of {count(spot['decided'])} spot-checked "
        f"{'was' if wrong < 2 else 'were'} wrong{unsure}: at most "
        f"{percent(_round_up(spot['at_most']))} of the rows not flagged ({count(spot['missed'])}), "
        "with 95% confidence"
    )


def _format_expected(left: dict[str, Any]) -> str:
    low = count(int(left["low"]))
    high = count(ceil(left["high"]))
    return f"{count(round(left['expected']))} ({low} to {high})"


def _format_range(low: float, high: float) -> str:
    """Two fractions, as in "5.0 to 16%"."""
    return f"{percent(low).removesuffix('%')} to {percent(high)}"


def format_bounds(low: float, high: float) -> str:
    """Two bounds of a fraction, each as it is shown rounded outward."""
    return _format_range(_round_down(low), _round_up(high))


def _round_up(bound: float) -> float:
    """An upper bound as it is shown, never below what it is.

    >>> [percent(_round_up(bound)) for bound in (0.0491, 0.05, 0.1601, 1.0)]
    ['5.0%', '5.0%', '17%', '100%']
    """
    return ceil(bound / _get_step(bound) - 1e-9) * _get_step(bound)


def _round_down(bound: float) -> float:
    """A lower bound as it is shown, never above what it is."""
    return floor(bound / _get_step(bound) + 1e-9) * _get_step(bound)


def _get_step(fraction: float) -> float:
    """How finely ``percent`` shows a fraction."""
    return 0.001 if fraction < 0.0995 else 0.01
