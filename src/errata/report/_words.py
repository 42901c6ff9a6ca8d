"""Numbers and answers in words that need no statistics."""

from typing import Any

READING = (
    "Look at the first {rank} rows: you find {recall} of the planted errors "
    "({label_recall} by labels alone); {precision} of these rows are planted errors."
)

# Expected precision of the flags from which it is not said that all labels may well be right.
RATHER_SURE = 0.75
NEXT_TO_NONE = 0.01  # of the labels: an interval that begins below may as well begin at none

HYPOTHESES = {
    "none": "no noise, the classes overlap",
    "uniform": "labels wrong uniformly at random",
    "pattern": "some classes wrong more often",
    "class to class": "classes flow into others",
    "boundary": "wrong where classes meet",
}

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
    if not summary["has_skill"]:
        return (
            "These columns do not tell the labels apart, so nobody can say from them which labels "
            f"are wrong: {_anything(summary)} of the {count(summary['rows'])} labels is possible. "
            "Nothing is flagged."
        )
    return f"{_how_many(summary)} {_flags(summary['flagged'])}"


def notes(summary: dict[str, Any]) -> list[str]:
    """The notes that the answer does not give already: without skill the first one repeats it."""
    return summary["notes"] if summary["has_skill"] else summary["notes"][1:]


def reading(rank: int, **shares: float) -> str:
    """What one point of the self-check says."""
    return READING.format(rank=count(rank), **{name: percent(p) for name, p in shares.items()})


def hypotheses(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The kinds of noise in words, each with its weight and its rate; none without skill."""
    if not summary["has_skill"]:
        return []
    return [
        {**each, "kind": HYPOTHESES.get(each["kind"], each["kind"])}
        for each in summary["hypotheses"]
    ]


def cards(summary: dict[str, Any]) -> list[dict[str, str]]:
    """The key figures: a name, a number, and what to make of it."""
    flagged, rows = summary["flagged"], summary["rows"]
    return [
        _rate_card(summary),
        {
            "name": "Rows flagged",
            "figure": count(flagged["count"]),
            "note": f"{percent(flagged['count'] / rows if rows else None)} of {count(rows)} rows",
        },
        {
            "name": "Flags that are right",
            **_share_card(flagged["expected_precision"], "of the flagged rows are wrong"),
        },
        {
            "name": "Errors that are flagged",
            **_share_card(flagged["expected_recall"], "of the wrong labels"),
        },
    ]


def _rate_card(summary: dict[str, Any]) -> dict[str, str]:
    rate = summary["noise_rate"]
    if not summary["has_skill"]:
        return {"name": "Labels wrong", "figure": "unknown", "note": _anything(summary)}
    return {
        "name": f"Labels {'perhaps' if _may_be_overlap(summary) else 'probably'} wrong",
        "figure": percent(rate["estimate"]),
        "note": f"between {percent(rate['low'])} and {percent(rate['high'])}",
    }


def _share_card(share: float | None, of: str) -> dict[str, str]:
    note = "no row is flagged" if share is None else f"{of}, we expect"
    return {"figure": percent(share), "note": note}


def _anything(summary: dict[str, Any]) -> str:
    """What may be wrong where the columns do not tell: all but the most frequent label."""
    return f"anything from none to {percent(summary['noise_rate']['high'])}"


def _how_many(summary: dict[str, Any]) -> str:
    rate, rows = summary["noise_rate"], count(summary["rows"])
    most = count(rate["count_high"])
    if not rate["count"]:
        could = f"; at most {most} of {rows} could be" if rate["count_high"] else ""
        return f"Hardly any label looks wrong{could}."
    are = "is" if rate["count"] == 1 else "are"
    so_many = f"{count(rate['count'])} of {rows} labels {are}"
    if _may_be_overlap(summary):
        return (
            f"Perhaps {so_many} wrong, at most {most}; it may well be that hardly any is and the "
            "classes merely overlap."
        )
    least = rate["count_low"]
    reach = f"between {count(least)} and {most}" if least else f"at most {most}"
    return f"About {so_many} probably wrong ({reach})."


def _may_be_overlap(summary: dict[str, Any]) -> bool:
    """Whether there may be hardly any wrong label at all.

    If a fraction p of some rows is expected to be wrong, none of them is with a probability of at
    most 1 - p. So a list that promises much is no overlap, wherever the interval begins.
    """
    promised = summary["flagged"]["expected_precision"] or 0
    return summary["noise_rate"]["low"] < NEXT_TO_NONE and promised < RATHER_SURE


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
