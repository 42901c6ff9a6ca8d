"""What the page says in words: key figures, kinds of noise, one point of the self-check."""

from typing import Any

from .._format import capitalised, count, percent, plural
from .._sentences import anything, may_be_overlap, wording

AT_RANK = (
    "Look at the first {rank} rows: you find {recall} of the planted errors "
    "({label_recall} by labels alone); {precision} of these rows are planted errors."
)

HYPOTHESES = {
    "none": "no noise, the classes overlap",
    "uniform": "labels wrong uniformly at random",
    "pattern": "some classes wrong more often",
    "class to class": "classes flow into others",
    "boundary": "wrong where classes meet",
    "votes as weighed": "votes count as much as they predict each other",
    "votes worth less": "votes count half as much",
    "votes worth more": "votes count twice as much",
}


def at_rank(rank: int, **fractions: float) -> str:
    """What one point of the self-check says."""
    return AT_RANK.format(rank=count(rank), **{name: percent(p) for name, p in fractions.items()})


def hypotheses(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The kinds of noise in words, each with its weight and its rate; none without skill."""
    if not summary["has_skill"]:
        return []
    return [
        {**each, "kind": HYPOTHESES.get(each["kind"], each["kind"])}
        for each in summary["hypotheses"]
    ]


def listing(summary: dict[str, Any]) -> str:
    """Which rows the list of examples holds, and how many of them are flagged.

    >>> rows = [{"flagged": True}, {"flagged": True}, {"flagged": False}]
    >>> listing({"examples": rows, "flagged": {"count": 2}})
    'The 3 most suspicious rows, 2 of them flagged.'
    """
    examples, flagged = summary["examples"], summary["flagged"]["count"]
    row = wording(summary).row
    here = sum(example["flagged"] for example in examples)
    if here == flagged == len(examples):
        return f"The flagged {row}." if flagged == 1 else f"The {count(flagged)} flagged {row}s."
    rows = plural(len(examples), f"most suspicious {row}")
    if here == flagged:
        return f"The {rows}, {count(here)} of them flagged."
    return f"The {rows}, with {count(here)} of the {count(flagged)} flagged ones."


def cards(summary: dict[str, Any]) -> list[dict[str, str]]:
    """The key figures: a name, a number, and what to make of it."""
    flagged, rows, words = summary["flagged"], summary["rows"], wording(summary)
    part = percent(flagged["count"] / rows if rows else None)
    return [
        _rate_card(summary),
        {
            "name": f"{capitalised(words.row)}s flagged",
            "figure": count(flagged["count"]),
            "note": f"{part} of {plural(rows, words.row)}",
        },
        {
            "name": "Flags that are right",
            **_fraction_card(
                flagged["expected_precision"], f"of the flagged {words.row}s are wrong"
            ),
        },
        {
            "name": "Errors that are flagged",
            **_fraction_card(flagged["expected_recall"], f"of the wrong {words.many}"),
        },
    ]


def _rate_card(summary: dict[str, Any]) -> dict[str, str]:
    rate, judged = summary["noise_rate"], capitalised(wording(summary).many)
    if not summary["has_skill"]:
        return {"name": f"{judged} wrong", "figure": "unknown", "note": anything(summary)}
    return {
        "name": f"{judged} {'perhaps' if may_be_overlap(summary) else 'probably'} wrong",
        "figure": percent(rate["estimate"]),
        "note": f"between {percent(rate['low'])} and {percent(rate['high'])}",
    }


def _fraction_card(fraction: float | None, of: str) -> dict[str, str]:
    note = "no row is flagged" if fraction is None else f"{of}, we expect"
    return {"figure": percent(fraction), "note": note}


def method(summary: dict[str, Any], predicted: str) -> str:
    """How the numbers came about, where models ``predicted`` something of each row."""
    return (
        "Several models predicted every row without having been fitted to it. These out-of-fold "
        f"{predicted} were pooled, and the probability that a {wording(summary).one} is wrong "
        "computed from them."
    )
