"""Numbers and answers in words that need no statistics."""

from typing import Any

READING = (
    "Look at the first {rank} rows: you will find {recall} of the errors; "
    "{precision} of what you look at is wrong."
)

SPACE = "\N{NO-BREAK SPACE}"


def count(number: float) -> str:
    """A count with its thousands apart.

    >>> count(1797), count(21.3), count(412.7)
    ('1,797', '21.3', '413')
    """
    if number != int(number) and abs(number) < 100:
        return f"{number:,.1f}"
    return f"{round(number):,}"


def percent(share: float | None) -> str:
    """A share in percent, as precise as it is worth; the script of the page follows the same rule.

    >>> [percent(share).replace(SPACE, " ") for share in (0.087, 0.81, 0.0004, 0, None)]
    ['8.7 %', '81 %', '<0.1 %', '0 %', 'unknown']
    """
    if share is None:
        return "unknown"
    number = 100 * share
    if 0 < number < 0.1:
        return f"<0.1{SPACE}%"
    text = f"{number:.0f}" if number >= 9.95 or number == 0 else f"{number:.1f}"
    return f"{text}{SPACE}%"


def in_ten(share: float) -> str:
    """A share as people count.

    >>> in_ten(0.81), in_ten(0.97), in_ten(0.01)
    ('8 in 10', 'nearly all', 'hardly any')
    """
    if share >= 0.95:
        return "nearly all"
    return f"{max(1, round(10 * share))} in 10" if share >= 0.05 else "hardly any"


def answer(summary: dict[str, Any]) -> str:
    """What the audit found, in one or two sentences."""
    return f"{_how_many(summary)} {_flags(summary['flagged'])}"


def reading(rank: int, precision: float, recall: float) -> str:
    """What one point of the self-check says."""
    return READING.format(rank=count(rank), precision=percent(precision), recall=percent(recall))


def cards(summary: dict[str, Any]) -> list[dict[str, str]]:
    """The key figures: a name, a number, and what to make of it."""
    rate, flagged, rows = summary["noise_rate"], summary["flagged"], summary["rows"]
    return [
        {
            "name": "Labels probably wrong",
            "figure": percent(rate["estimate"]),
            "note": f"between {percent(rate['low'])} and {percent(rate['high'])}",
        },
        {
            "name": "Rows flagged",
            "figure": count(flagged["count"]),
            "note": f"{percent(flagged['count'] / rows if rows else None)} of {count(rows)} rows",
        },
        {
            "name": "Flags that are right",
            "figure": percent(flagged["expected_precision"]),
            "note": "of the flagged rows are wrong, we expect",
        },
        {
            "name": "Errors that are flagged",
            "figure": percent(flagged["expected_recall"]),
            "note": "of the wrong labels, we expect",
        },
    ]


def _how_many(summary: dict[str, Any]) -> str:
    rate, rows = summary["noise_rate"], count(summary["rows"])
    if not rate["count"]:
        most = (
            f"; at most {count(rate['count_high'])} of {rows} could be"
            if rate["count_high"]
            else ""
        )
        return f"Hardly any label looks wrong{most}."
    are = "is" if rate["count"] == 1 else "are"
    return (
        f"About {count(rate['count'])} of {rows} labels {are} probably wrong "
        f"(between {count(rate['count_low'])} and {count(rate['count_high'])})."
    )


def _flags(flagged: dict[str, Any]) -> str:
    if not flagged["count"]:
        return "No row is flagged."
    rows = "1 row is" if flagged["count"] == 1 else f"{count(flagged['count'])} rows are"
    chance = flagged["expected_precision"]
    if chance is None:
        return f"{rows} flagged."
    if flagged["count"] == 1:
        return f"{rows} flagged; the chance that it is a real error is {percent(chance)}."
    return f"{rows} flagged; we expect {in_ten(chance)} of them to be real errors."
